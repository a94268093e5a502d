"""Users of a cell, with real servers, clients and packets."""

import json
import subprocess

import pandas as pd
import pytest

from mmwemu.apps.users.application import Users
from mmwemu.pattern.convert import constant
from tests.apps import running
from tests.programs import MMWEMU

pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_link")]

SMALL = Users(
    duration_s=4.0,
    size_mean_bytes=400_000,
    size_sd_bytes=100_000,
    size_least_bytes=100_000,
    size_most_bytes=1_000_000,
    pause_mean_s=0.1,
    pause_least_s=0.02,
    pause_most_s=0.5,
)


def cell(folder, *rates_bps, duration_s=10.0):
    folder.mkdir()
    for i, rate_bps in enumerate(rates_bps, 1):
        running.saved(folder, constant(rate_bps, duration_s), f"ue{i}")
    return folder


def test_three_users_fetch_and_pause_at_the_rates_of_their_patterns(tmp_path):
    found = running.run(
        tmp_path, {"cell": cell(tmp_path / "cell", 60e6, 20e6, 40e6)}, SMALL, clients=3, scheduler="round-robin"
    )
    assert [(run.client, run.status, run.scheduler, run.pattern) for run in found] == [
        (number, "ok", "round-robin", "cell") for number in (1, 2, 3)
    ]
    downloads, gave = (pd.read_parquet(tmp_path / "r" / f"{name}.parquet") for name in ("downloads", "cell"))
    down = gave[gave["direction"] == "downlink"].groupby("run")[["delivered_bytes", "airtime_s"]].sum()
    for run, rate_bps in zip(found, (60e6, 20e6, 40e6), strict=True):
        mine = downloads[downloads["run"] == run.run]
        finished = mine[mine["finished"]]
        assert run.downloads == len(finished) >= 3
        assert run.unfinished == len(mine) - len(finished) <= 1
        assert list(mine["number"]) == list(range(1, len(mine) + 1))
        assert (finished["received_bytes"] == finished["size_bytes"]).all()
        assert mine["size_bytes"].between(100_000, 1_000_000).all()
        pauses_s = mine["start_s"].to_numpy()[1:] - mine["end_s"].to_numpy()[:-1]
        assert (pauses_s > 0.019).all()
        assert run.goodput_bps == pytest.approx(run.received_bytes * 8 / run.fetching_s)
        assert finished["rate_bps"].max() < rate_bps
        assert run.received_bytes < down.loc[run.run, "delivered_bytes"] < 1.2 * run.received_bytes + 100_000
        # It sent at the rate of its own pattern.
        assert down.loc[run.run, "delivered_bytes"] * 8 / down.loc[run.run, "airtime_s"] == pytest.approx(
            rate_bps, rel=0.02
        )
    assert down["airtime_s"].sum() < 5.0


def test_a_user_whom_no_server_answers_has_failed_with_the_reason(tmp_path, monkeypatch):
    from mmwemu.apps.users import user

    monkeypatch.setattr(user, "__file__", str(tmp_path / "user.py"))
    text = running.Path(user.__spec__.origin).read_text().replace("_PORT = 80", "_PORT = 81")
    (tmp_path / "user.py").write_text(text)
    (run,) = running.run(tmp_path, constant(20e6, 10.0), SMALL)
    assert (run.status, run.error, run.downloads, run.goodput_bps) == (
        "failed",
        "download 1: Connection refused",
        0,
        0.0,
    )


@pytest.mark.parametrize(
    ("rates", "more", "words", "message"),
    [
        (2, 10.0, ["--clients", "5", "--scheduler", "round-robin"],
         "cell: has 2 patterns for 5 clients; it needs one for each, or one for all"),
        (2, 20.0, ["--clients", "3", "--scheduler", "max-rate"],
         "cell: pattern 3: lasts 20 s, the first 10 s; all must last as long (mmwemu pattern cut, repeat)"),
        (2, 10.0, ["--clients", "2"],
         "link: scheduler: is fifo; a pattern for each client needs another, such as --scheduler round-robin"),
        (2, 10.0, ["--clients", "2", "--scheduler", "round-robin", "--slot-us", "5000"],
         "link: slot_s: is 0.005; with a scheduler it must be from 125 us to 1 ms"),
    ],
)  # fmt: skip
def test_what_is_no_cell_is_one_line_before_anything_starts(tmp_path, rates, more, words, message):
    folder = cell(tmp_path / "cell", *[1e6] * rates)
    if more != 10.0:
        running.saved(folder, constant(1e6, more), "ue3")
    argv = [*MMWEMU, "run", "users", "--pattern", str(folder), "-o", str(tmp_path / "r"), *words]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, f"mmwemu: {message}")
    assert not list(tmp_path.glob("r*"))


def test_the_verb_shows_the_distribution_over_users(tmp_path):
    pattern = running.saved(tmp_path, constant(80e6, 10.0))
    argv = [*MMWEMU, "run", "users", "--pattern", pattern, "--clients", 3, "--scheduler", "proportional-fair"]
    argv += ["--duration-s", 2, "--size-mean", "300kB", "--size-sd", "50kB", "--size-least", "1kB"]
    argv += ["--pause-mean-s", 0, "--pause-least-s", 0, "--json", "-o", tmp_path / "r"]
    done = subprocess.run(list(map(str, argv)), capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 4), done.stderr
    found = json.loads(done.stdout)
    (users,) = found["users"]
    assert (users["users"], len(found["runs"])) == (3, 3)
    assert (tmp_path / "r" / "plots" / "users.png").exists()
    if done.returncode == 0:
        assert 0.9 < users["jain_index"] <= 1
        assert sum(users["goodputs_bps"]) < 80e6
