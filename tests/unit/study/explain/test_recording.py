import pandas as pd
import pytest

from mmwemu.core.errors import InputError
from mmwemu.results import store
from mmwemu.results.collection import open_folder
from mmwemu.study.explain.explanation import explain
from tests.records import download
from tests.tcp_packets import Packets, telemetry


def kept(folder, packets=None, **changes):
    """Make a results folder of one download, with packets if there are some."""
    with store.create(store.Experiment("download", ["mmwemu"], {}), folder) as writer:
        writer.add(download(1, **changes), telemetry(1.0))
        if packets is not None:
            (writer.folder / "packets").mkdir()
            packets.to_parquet(writer.folder / "packets" / "00001.parquet")
    return open_folder(folder)


def good():
    packets = Packets()
    packets.down(packets.up(packets.connect(), 1, 100), 1001, 1000)
    return packets.frame()


def refusal(folder, number=1):
    with pytest.raises(InputError) as error:
        explain(folder, number)
    return str(error.value)


def test_a_folder_with_packets_is_explained(tmp_path):
    found = explain(kept(tmp_path / "r", good(), duration_s=0.04), 1)
    assert found.length_s == pytest.approx(0.04) and found.to_json()["parts_s"]["setup"] == pytest.approx(0.02)


def test_packets_that_were_not_recorded_name_the_option(tmp_path):
    assert refusal(kept(tmp_path / "r")).endswith("does not exist; explain needs each packet: run again with"
                                                  " --packets parquet")  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"status": "failed", "error": "no route"}, "failed (no route)"),
        ({"edge": True}, "passed an edge"),
        ({"application": "flow"}, "application flow: cannot be explained; these can: download, web"),
        ({"application": "gone"}, "application gone: cannot be explained"),
    ],
)
def test_runs_that_cannot_be_explained(tmp_path, changes, words):
    assert words in refusal(kept(tmp_path / "r", good(), **changes))


def test_a_run_that_is_not_there(tmp_path):
    assert refusal(kept(tmp_path / "r", good()), 7).endswith("run 7: does not exist; it has 1 to 1")


def test_files_of_another_time_or_kind(tmp_path):
    old = kept(tmp_path / "old", good().drop(columns="tcp_seq"))
    assert "has no column tcp_seq; run again with --packets parquet" in refusal(old)
    udp = kept(tmp_path / "udp", good().assign(tcp_seq=pd.NA))
    assert "holds no packet of TCP" in refusal(udp)
    broken = kept(tmp_path / "broken", good())
    (broken.path / "packets" / "00001.parquet").write_bytes(b"PAR1 no")
    assert "cannot be read" in refusal(broken)


def test_two_applications_on_one_client_cannot_be_told_apart(tmp_path):
    with store.create(store.Experiment("mix", ["mmwemu"], {}), tmp_path / "r") as writer:
        writer.add(download(1), telemetry(1.0))
        writer.add(download(2, replay=1), telemetry(1.0))
    assert "shared its client (download)" in refusal(open_folder(tmp_path / "r"))


def test_tables_edited_into_nonsense_are_one_line(tmp_path):
    words = kept(tmp_path / "words", good().astype({"sent_s": str}).assign(sent_s="soon"))
    assert "was it edited?" in refusal(words)
    folder = kept(tmp_path / "lacking", good())
    file = folder.path / "runs.parquet"
    pd.read_parquet(file).drop(columns="connect_s").to_parquet(file)
    assert "KeyError: 'connect_s'" in refusal(folder)
