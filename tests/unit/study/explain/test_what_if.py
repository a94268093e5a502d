import math

import pytest

from mmwemu.core.errors import InputError
from mmwemu.report.statistics import Estimate
from mmwemu.results import store
from mmwemu.results.collection import open_folder
from mmwemu.study.explain import recording, what_if
from mmwemu.study.explain.changes import parse
from mmwemu.study.explain.what_if import WhatIf
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
    asked = {"fill": "sparse", "patterns": ["s1-long-nlos.lte", "gone.csv"]}
    with store.create(store.Experiment("download", ["mmwemu"], asked), tmp_path / "r") as writer:
        writer.add(download(1, **changes), telemetry(1.0))
    folder = open_folder(tmp_path / "r")
    with pytest.raises(InputError) as caught:
        what_if.replay(folder, recording.run_of(folder, 1), parse(text), 2, tmp_path / "w", [])
    assert problem in str(caught.value) and not (tmp_path / "w").exists()
