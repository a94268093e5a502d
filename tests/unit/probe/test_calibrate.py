import json
import math

import pytest

from mmwemu.pattern.convert import constant
from mmwemu.probe import calibrate
from mmwemu.probe.calibrate import Calibration


@pytest.fixture
def known(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return Calibration(1e9, 0.001, 0.002, 0.0001, 0.0003, calibrate.machine(), "2026-01-02T03:04:05+00:00")


@pytest.mark.parametrize("limit", [0, 1, 3, 7, 8, 9])
def test_bisection_finds_the_highest_that_passes(limit):
    tried = []

    def passes(value):
        tried.append(value)
        return value <= limit

    assert calibrate.highest(range(1, 9), passes) == min(limit, 8)
    assert len(tried) <= 8


def test_what_fails_once_has_another_try():
    failures = [4]

    def passes(value):
        if value in failures:
            failures.remove(value)
            return False
        return value <= 5

    assert calibrate.highest(range(1, 9), passes) == 5


def test_a_calibration_is_remembered(known, tmp_path):
    assert calibrate.remembered() is None
    assert calibrate.keep(known) == tmp_path / "mmwemu" / "calibration.json"
    assert calibrate.remembered() == known


@pytest.mark.parametrize(
    "change",
    [
        {"machine": "another"},
        {"format": 2},
        {"more": 1},
        {"rate_bps": "x"},
        {"rate_bps": 10**400},
        {"measured": []},
        None,
    ],
)
def test_what_does_not_hold_here_is_not(known, change):
    path = calibrate.keep(known)
    path.write_text("[" * 3000 if change is None else json.dumps(json.loads(path.read_text()) | change))
    assert calibrate.remembered() is None


def test_only_what_asks_for_more_is_warned_of(known):
    words = calibrate.warning([constant(1e6, 1.0), constant(3e9, 1.0)], known)
    assert "reaches 3000 Mbit/s; this machine carried 1000" in words
    assert calibrate.warning([constant(1e9, 1.0), constant(math.inf, 1.0)], known) is None
    assert calibrate.warning([constant(3e9, 1.0)], None) is None
    assert calibrate.warning([], known) is None


def test_timers_are_late_and_never_early():
    late_s = calibrate.timer_lateness_s()
    assert late_s.min() >= 0
    assert 0 < late_s.mean() < 0.05
