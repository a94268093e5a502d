"""Real downloads: nginx and curl over a real link."""

import subprocess
import tempfile
from pathlib import Path

import pandas as pd
import pytest

from mmwemu.apps.download.application import Downloads
from mmwemu.core.errors import InputError, MissingError
from mmwemu.pattern.convert import constant
from tests.apps import running
from tests.link import as_who
from tests.programs import MMWEMU

pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_link")]


@pytest.mark.parametrize("congestion_control", ["cubic", "reno"])
def test_goodput_is_that_of_the_pattern(tmp_path, congestion_control):
    asked = Downloads(sizes_bytes=(8_000_000,))
    plan = {"repetitions": 2, "congestion_control": congestion_control}
    runs = running.run(tmp_path, constant(40e6, 10), asked, **plan)
    assert [run.status for run in runs] == ["ok", "ok"]
    for run in runs:
        # 40 Mbit/s less 52 bytes of headers in 1500, less the start of the connection.
        assert 34e6 < run.goodput_bps < 40e6 * 1448 / 1500
        assert 0.022 <= run.connect_s < 0.1
        assert run.ttfb_s > run.connect_s


def test_the_limit_ends_a_download_and_the_next_one_is_not_disturbed(tmp_path):
    asked = Downloads(sizes_bytes=(50_000_000, 100_000), limit_s=1.0)
    long, short = running.run(tmp_path, constant(10e6, 10), asked)
    assert long.status == "timeout"
    assert 0.5e6 < long.received_bytes < 1.3e6
    assert long.duration_s == pytest.approx(1.0, abs=0.1)
    assert (short.status, short.received_bytes) == ("ok", 100_000)
    assert short.duration_s < 0.5


def test_a_syn_in_an_outage_is_sent_again_after_about_a_second(tmp_path):
    pattern = running.steps([0.0, 50e6], [0.0, 0.5], outage="drop")
    (run,) = running.run(tmp_path, pattern, Downloads(sizes_bytes=(100_000,)))
    assert run.status == "ok"
    assert 0.95 < run.connect_s < 1.3
    assert run.dropped_outage_bytes >= 40


def test_the_start_is_a_time_in_the_pattern(tmp_path):
    pattern = running.steps([1e6, 50e6], [0.0, 5.0])
    slow, fast = running.run(tmp_path, pattern, Downloads(sizes_bytes=(200_000,)), starts_at_s=(0.0, 5.0))
    assert slow.duration_s > 1.4
    assert fast.duration_s < 0.5


def test_an_unknown_congestion_control_names_those_there_are(tmp_path):
    with pytest.raises(InputError, match="cubic"):
        running.run(tmp_path, constant(1e6, 1), Downloads(sizes_bytes=(5,)), congestion_control="nosuch")


def test_no_curl_is_said_before_anything_is_made(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingError, match="curl is not installed; install it: sudo apt-get install curl"):
        running.run(tmp_path, constant(1e6, 1), Downloads(sizes_bytes=(5,)))
    assert [p.name for p in tmp_path.iterdir()] == ["p.csv"]


@pytest.mark.parametrize("changes", [{"sizes_bytes": (0,)}, {"sizes_bytes": ()}, {"limit_s": 0.0}])
def test_a_plan_that_makes_no_sense_is_refused(changes):
    with pytest.raises(InputError, match="must be"):
        Downloads(**({"sizes_bytes": (5,)} | changes))


def test_variations_are_runs_over_different_links(tmp_path):
    vary = {"congestion_control": ("cubic", "reno"), "delay_s": (0.005, 0.04)}
    runs = running.run(tmp_path, constant(40e6, 10), Downloads(sizes_bytes=(100_000,)), vary=vary)
    assert [(run.congestion_control, run.link["delay_s"]) for run in runs] == [
        ("cubic", 0.005), ("cubic", 0.04), ("reno", 0.005), ("reno", 0.04),
    ]  # fmt: skip
    for run in runs:
        assert 2 * run.link["delay_s"] <= run.connect_s < 2 * run.link["delay_s"] + 0.05


def test_http3_is_timed_as_http_is(tmp_path):
    asked = Downloads(sizes_bytes=(1_000, 4_000_000), protocols=("http", "h3"))
    runs = running.run(tmp_path, constant(40e6, 10), asked, delay_s=0.02)
    assert {(run.status, run.received_bytes == run.size_bytes) for run in runs} == {("ok", True)}
    found = {(run.protocol, run.size_bytes): run for run in runs}
    # One round trip for the connection and one for the request, with TLS and without.
    for protocol in ("http", "h3"):
        assert 0.08 <= found[protocol, 1_000].duration_s < 0.12
        assert 0.08 <= found[protocol, 1_000].ttfb_s < 0.12
        assert 30e6 < found[protocol, 4_000_000].goodput_bps < 40e6 * 1448 / 1500
    states = pd.read_parquet(tmp_path / "r" / "quic.parquet")
    assert set(states["run"]) == {run.run for run in runs if (run.protocol, run.size_bytes) == ("h3", 4_000_000)}
    assert states["cwnd_bytes"].max() > 100_000


def test_the_limit_ends_a_download_over_http3(tmp_path):
    asked = Downloads(sizes_bytes=(50_000_000,), protocols=("h3",), limit_s=1.0)
    (run,) = running.run(tmp_path, constant(10e6, 10), asked)
    assert (run.status, run.duration_s) == ("timeout", 1.0)
    assert 0.5e6 < run.received_bytes < 1.3e6


def test_an_ordinary_user_can_download_over_http3_too():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        running.saved(folder, constant(20e6, 10))
        argv = [*MMWEMU, "run", "download", "--pattern", f"{name}/p.csv", "--protocol", "h3", "--size", "1MB", "-n", 1]
        command = as_who.command("user", list(map(str, [*argv, "-o", f"{name}/r"])), folder)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        (run,) = pd.read_parquet(folder / "r" / "runs.parquet").to_dict("records")
    assert 0.044 < run["ttfb_s"] < run["duration_s"]
    assert 10e6 < run["goodput_bps"] < 20e6
