"""Applications on several clients, and behind an edge and a core link."""

import json
import subprocess
import sys

import pandas as pd
import pytest

from mmwemu.apps.download.application import Downloads
from mmwemu.pattern.convert import constant
from mmwemu.testbed.topology import CORE
from tests.apps import running
from tests.programs import MMWEMU

pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_link")]


def test_each_client_has_a_run_in_each_replay_and_together_they_have_the_rate(tmp_path):
    asked = Downloads(sizes_bytes=(2_000_000,))
    runs = running.run(tmp_path, constant(30e6, 60.0), asked, repetitions=2, clients=3, queue_bytes=150_000)
    assert [(run.replay, run.client, run.run) for run in runs] == [
        (1, 1, 1), (1, 2, 2), (1, 3, 3), (2, 1, 4), (2, 2, 5), (2, 3, 6),
    ]  # fmt: skip
    assert {(run.status, run.clients) for run in runs} == {("ok", 3)}
    for replay in (1, 2):
        mine = [run for run in runs if run.replay == replay]
        # All bytes in the time of the last: the link is full until then.
        took_s = max(run.duration_s for run in mine)
        assert 0.8 * 30e6 < 3 * 2_000_000 * 8 / took_s < 30e6 * 1448 / 1500
        assert sum(run.goodput_bps for run in mine) < 2 * 30e6
    link = pd.read_parquet(tmp_path / "r" / "link.parquet")
    delivered = link[link["direction"] == "downlink"].groupby("run")["delivered_bytes"].sum()
    # The runs of a replay have the same telemetry, that of all.
    assert delivered[1] == delivered[2] == delivered[3] > 3 * 2_000_000


def test_the_core_link_bounds_the_goodput_and_the_edge_has_a_server(tmp_path):
    pattern = running.saved(tmp_path, constant(50e6, 60.0))
    log = tmp_path / "edge"
    edge = "import os; print(os.environ['MMWEMU_EDGE'], flush=True); input()"
    (tmp_path / "edge.py").write_text(edge.replace("input()", "import time; time.sleep(1000)"))
    words = ["--pattern", pattern, "--size", "1MB", "-n", 1, "--core-rate", "10Mbit/s", "--json", "-o", tmp_path / "r"]
    serve = f"sh -c '{sys.executable} {tmp_path}/edge.py > {log}'"
    argv = [*MMWEMU, "run", "download", *words, "--edge", "--serve-edge", serve]
    done = subprocess.run(list(map(str, argv)), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(done.stdout)["runs"]
    assert (run["edge"], run["core_rate_bps"], run["core_loss"], run["status"]) == (True, 10e6, 0.0, "ok")
    assert 6e6 < run["goodput_bps"] < 10e6 * 1448 / 1500
    assert log.read_text() == "10.77.0.1\n"
    link = pd.read_parquet(tmp_path / "r" / "link.parquet")
    assert set(link["link"]) == {CORE, 1}


def test_a_server_at_the_edge_that_ends_is_one_line(tmp_path):
    pattern = running.saved(tmp_path, constant(50e6, 60.0))
    words = [
        "--pattern",
        str(pattern),
        "--size",
        "10kB",
        "-n",
        "30",
        "-o",
        str(tmp_path / "r"),
        "--serve-edge",
        "false",
    ]
    done = subprocess.run([*MMWEMU, "run", "download", *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "mmwemu: false ended at the edge, with exit code 1"
