"""The sender's choices on real downloads and flows: the kernel keeps them, and tells so."""

import math
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
import pytest

from mmwemu.apps.download.application import Downloads
from mmwemu.apps.flow.application import Flows
from mmwemu.apps.flow.settings import FlowSettings
from mmwemu.pattern.convert import constant
from mmwemu.results import store
from mmwemu.study.conduct import conduct
from mmwemu.study.plan import ReplayPlan
from tests.apps.running import saved
from tests.link import as_who
from tests.programs import MMWEMU

_URL = "'http://' + os.environ['MMWEMU_SERVER'] + ':8080/file'"
pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_link")]


def runs_of(tmp_path, application, rate_bps=100e6, **plan):
    file = saved(tmp_path, constant(rate_bps, 60))
    conduct(application, [file], ReplayPlan(delay_s=0.025, **plan), tmp_path / "r", [])
    return store.load(tmp_path / "r")


def test_downloads_begin_with_the_window_that_was_chosen(tmp_path):
    windows = (None, 40, "bdp")
    runs = runs_of(tmp_path, Downloads((1_000_000,)), vary={"initial_window": windows})
    assert runs["valid"].all(), runs["invalid_because"].tolist()
    assert runs["initial_window"].fillna(0).tolist() == [0, 40, 417]  # 100 Mbit/s x 50 ms in packets of 1500 bytes
    assert runs["used_initial_window"].dropna().tolist() == [40, 417]
    # 10, 20, 40, ...: from 10 packets the window of 690 takes four doublings more than from 417.
    assert runs["duration_s"].is_monotonic_decreasing
    assert runs["duration_s"].iloc[0] - runs["duration_s"].iloc[2] > 0.15


def test_a_server_of_ours_or_nginx_is_paced_by_its_sockets(tmp_path):
    runs = runs_of(tmp_path, Downloads((1_000_000,)), vary={"pacing": (20e6, "bdp")}, initial_window="bdp")
    assert runs["valid"].all(), runs["invalid_because"].tolist()
    assert runs["used_pacing_bps"].tolist() == pytest.approx([20e6, 100e6 * 1448 / 1500], abs=8)
    assert runs["goodput_bps"].iloc[0] == pytest.approx(18e6, rel=0.15)
    assert runs["goodput_bps"].iloc[1] > 40e6


def test_a_window_bounds_what_is_in_flight(tmp_path):
    runs = runs_of(tmp_path, Downloads((1_000_000,)), vary={"window_bytes": (65_536, 4 * 2**20)})
    assert runs["valid"].all(), runs["invalid_because"].tolist()
    assert runs["used_receive_buffer_bytes"].tolist() == [65_536, 4 * 2**20]
    assert (runs["used_send_buffer_bytes"] <= runs["window_bytes"]).all()
    # At most 64 kB in each round trip of 50 ms.
    assert runs["goodput_bps"].iloc[0] < 65_536 * 8 / 0.05
    assert runs["goodput_bps"].iloc[1] > 2 * runs["goodput_bps"].iloc[0]


@pytest.mark.parametrize("direction", ["downlink", "uplink"])
def test_flows_of_several_clients_behind_an_edge_have_them_too(tmp_path, direction):
    runs = runs_of(
        tmp_path, Flows((FlowSettings(direction=direction, duration_s=1),)), clients=2, edge=True,
        initial_window=30, pacing=10e6, window_bytes=2**20,
    )  # fmt: skip
    assert len(runs) == 2 and runs["valid"].all(), runs["invalid_because"].tolist()
    assert (runs["used_initial_window"] == 30).all() and (runs["used_receive_buffer_bytes"] == 2**20).all()
    assert runs["goodput_bps"].max() < 12e6 and math.isfinite(runs["used_pacing_bps"].max())


@pytest.mark.parametrize("who", ["root", "user"])
def test_a_server_of_the_user_is_paced_whoever_runs_it(who):
    with tempfile.TemporaryDirectory() as name:  # unlike those of pytest, open to others
        folder = Path(name)
        folder.chmod(0o777)
        saved(folder, constant(100e6, 60)).chmod(0o644)
        (folder / "file").write_bytes(bytes(200_000))
        serve = f"{sys.executable} -m http.server 8080 --directory {name}"
        get = f"import os, urllib.request; urllib.request.urlopen({_URL}).read()"
        argv = [
            *MMWEMU,
            "run",
            "command",
            "--pattern",
            f"{name}/p.csv",
            "-n",
            "1",
            "-o",
            f"{name}/r",
            "--delay-ms",
            "25",
        ]
        argv += ["--pacing", "4Mbit/s", "--initial-window", "bdp", "--serve", serve, "--", sys.executable, "-c", get]
        done = subprocess.run(as_who.command(who, argv, folder), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        (run,) = pd.read_parquet(folder / "r" / "runs.parquet").to_dict("records")
    assert (run["used_pacing_bps"], run["used_initial_window"], run["status"]) == (4e6, 417, "ok")
    assert 0.35 < run["duration_s"] < 5  # 185 kB at 4 Mbit/s, after ten packets that are not paced


def test_without_a_choice_nothing_is_watched(tmp_path):
    runs = runs_of(tmp_path, Downloads((10_000,)))
    columns = [name for name in runs if name.startswith("used_")]
    assert len(columns) == 4 and pd.isna(runs[columns]).all(axis=None)
