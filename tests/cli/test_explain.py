import json

import pytest

from mmwemu.results import store
from tests.records import download
from tests.tcp_packets import Packets, telemetry


@pytest.fixture
def kept(tmp_path):
    """Make a folder ``r`` with a run of 42 ms, 2 ms of them transfer."""
    packets = Packets()
    packets.down(packets.up(packets.connect(), 1, 100), 1001, 1000, service_s=0.002)
    with store.create(store.Experiment("download", ["mmwemu"], {}), tmp_path / "r") as writer:
        writer.add(download(1, duration_s=0.042, valid=False, invalid_because="late"), telemetry(0.1))
        (writer.folder / "packets").mkdir()
        packets.frame().to_parquet(writer.folder / "packets" / "00001.parquet")


def test_the_parts_are_printed_and_drawn(mmwemu, tmp_path, kept):
    code, out, err = mmwemu("explain", "r", "--plot", "p.png")
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert lines[0][-2:] == ["0.042", "s"]
    assert ["transfer", "at", "the", "link's", "rate", "0.002", "4.8"] in lines
    assert ["in", "all", "0.042", "100.0"] in lines
    assert lines[-1] == ["p.png"] and (tmp_path / "p.png").stat().st_size > 10_000
    assert err == "mmwemu: the link was not valid in this run: late\n"


def test_json_has_parts_and_time_line(mmwemu, kept):
    found = json.loads(mmwemu("explain", "r", "--json")[1])
    assert sum(found["parts_s"].values()) == pytest.approx(found["length_s"]) == pytest.approx(0.042)
    line = found["time_line"]
    assert [one["end_s"] for one in line[:-1]] == [one["begin_s"] for one in line[1:]]
    assert {one["cause"] for one in line} == {"setup", "request", "transfer"}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("r", "--run", "2"), "r: run 2: does not exist; it has 1 to 1"),
        (("gone",), "gone: is not a results folder"),
        (("r", "--what-if", "faster"), "--what-if: is 'faster'; must be no-outage, initcwnd=PACKETS, cc=NAME or"),
        (("r", "--plot", "p.txt"), "p.txt: is not a picture file"),
        (("r", "-o", "w"), "--output: is the results folder of --what-if, which is not given"),
        (("r", "--what-if", "cc=reno"), "manifest.json: asked: does not say what was downloaded"),
    ],
)
def test_what_cannot_be_is_one_line(mmwemu, tmp_path, kept, words, problem):
    code, _, err = mmwemu("explain", *words)
    assert code == 2
    assert err.startswith(f"mmwemu: {problem}") and err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["r"]
