import math

import pytest

from mmwemu.apps.download.application import Downloads
from mmwemu.apps.download.explained import EXPLAINED
from mmwemu.core.errors import InputError
from mmwemu.core.files import sha256
from mmwemu.link.profile import LinkProfile
from mmwemu.pattern.convert import constant
from mmwemu.report.statistics import Estimate
from mmwemu.results import store
from mmwemu.results.collection import open_folder
from mmwemu.study.explain import recording, what_if
from mmwemu.study.explain.again import again_of
from mmwemu.study.explain.changes import parse
from mmwemu.study.explain.what_if import WhatIf
from tests.apps.running import saved
from tests.records import download
from tests.tcp_packets import telemetry


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(-0.2, -0.1, "shorter with cc=bbr"), (0.1, 0.2, "longer with cc=bbr"), (-0.1, 0.1, "no difference is shown"),
     (math.nan, math.nan, "too few pairs to judge")],
)  # fmt: skip
def test_the_interval_decides(tmp_path, low, high, verdict):
    found = WhatIf("cc=bbr", [1.0], [1.0], Estimate(0.0, low, high, 1), [], tmp_path)
    assert found.verdict == verdict and found.to_json()["verdict"] == verdict


@pytest.mark.parametrize(
    ("changes", "text", "problem"),
    [
        ({"clients": 2}, "cc=reno", "shared its link with other clients"),
        ({"pattern": "s1-long-nlos.lte"}, "cc=reno", "pattern s1-long-nlos.lte: is not where it was, or has changed"),
    ],
)
def test_runs_that_cannot_be_replayed(tmp_path, changes, text, problem):
    asked = DOWNLOAD | {"patterns": ["s1-long-nlos.lte", "gone.csv"]}
    with store.create(store.Experiment("download", ["mmwemu"], asked), tmp_path / "r") as writer:
        writer.add(download(1, **changes), telemetry(1.0))
    folder = open_folder(tmp_path / "r")
    with pytest.raises(InputError) as caught:
        what_if.replay(folder, recording.run_of(folder, 1), parse(text), 2, tmp_path / "w", [])
    assert problem in str(caught.value) and not (tmp_path / "w").exists()


DOWNLOAD = {"name": "download", "offset_s": 0.0, "sizes_bytes": [2_000_000], "fill": "sparse", "limit_s": 40.0}


def again(tmp_path, asked):
    """Return what repeats a download of 2 MB over a pattern of ours, kept with these settings."""
    file = saved(tmp_path, constant(1e6, 60))
    run = download(1, pattern="p", pattern_sha256=sha256(file))
    with store.create(store.Experiment("t", ["mmwemu"], asked(str(file))), tmp_path / "r") as writer:
        writer.add(run, telemetry(1.0))
    folder = open_folder(tmp_path / "r")
    return again_of(folder, recording.run_of(folder, 1), EXPLAINED)


def test_a_run_of_a_study_has_the_settings_of_its_experiment(tmp_path):
    other = DOWNLOAD | {"sizes_bytes": [5]}
    page = {"name": "web", "offset_s": 0.0}
    found = again(tmp_path, lambda file: {"experiments": [
        {"applications": [page], "patterns": ["gone.csv"]},
        {"applications": [DOWNLOAD, page], "patterns": [file]},
        {"applications": [other], "patterns": [file]},
        {"applications": [DOWNLOAD], "patterns": [file]},
    ]})  # fmt: skip
    assert found.application == Downloads((2_000_000,), "sparse", 40.0)
    assert found.file == tmp_path / "p.csv" and found.plan.starts_at_s == (0.0,)


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (lambda file: {"merged": [{"folder": "r", "asked": {"patterns": [file]}}]}, "was the folder merged?"),
        (lambda file: {"experiments": [{"applications": [DOWNLOAD], "patterns": [file]},
                                       {"applications": [DOWNLOAD | {"fill": "random"}], "patterns": [file]}]},
         "has several experiments that run 1 may be of"),
        (lambda file: DOWNLOAD | {"sizes_bytes": [5], "patterns": [file]}, "has no download of 2000000 bytes"),
        (lambda file: {"experiments": 3}, "was it edited?"),
        (lambda file: {"experiments": [{"applications": [{}]}]}, "was it edited?"),
        (lambda file: {"patterns": [file]}, "does not say what was downloaded"),
    ],
)  # fmt: skip
def test_folders_that_do_not_say_what_was_run(tmp_path, asked, problem):
    with pytest.raises(InputError) as caught:
        again(tmp_path, asked)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("given", "sizes"),
    [
        ({}, (1_500_000, 1_500_000)),
        ({"queue_s": 0.5}, (62_500, 62_500)),
        ({"uplink_queue_bytes": 40_000}, (1_500_000, 40_000)),
        ({"queue_packets": 40}, (1_500_000, None)),
    ],
)
def test_sizes_of_queues_that_follow_from_the_rate_stay_in_bytes(tmp_path, given, sizes):
    file = saved(tmp_path, constant(1e6, 60))
    run = download(1, pattern="p", pattern_sha256=sha256(file), link=LinkProfile(**given).profile())
    asked = {"patterns": [str(file)], **DOWNLOAD}
    with store.create(store.Experiment("t", ["mmwemu"], asked), tmp_path / "r") as writer:
        writer.add(run, telemetry(1.0))
    folder = open_folder(tmp_path / "r")
    plan = again_of(folder, recording.run_of(folder, 1), EXPLAINED).plan
    assert (plan.queue_bytes, plan.uplink_queue_bytes) == sizes
    assert plan.queue_s is None and plan.queue_packets == given.get("queue_packets")
