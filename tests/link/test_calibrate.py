"""A real calibration, and the warning it leads to."""

import json
import subprocess
import time

import pytest

from mmwemu.pattern.convert import constant
from mmwemu.pattern.formats import native
from mmwemu.probe import calibrate
from tests.programs import MMWEMU

pytestmark = pytest.mark.link


@pytest.fixture(autouse=True)
def _data(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def mmwemu(*words, code=0):
    done = subprocess.run([*MMWEMU, *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, done.stderr
    return done


def test_a_machine_is_measured_in_below_ten_seconds():
    begin_s = time.monotonic()
    values = json.loads(mmwemu("doctor", "--calibrate", "--json").stdout)
    assert time.monotonic() - begin_s < 10
    assert values["rate_bps"] in calibrate.RATES_BPS
    assert values["rate_bps"] >= 100e6
    assert 0 <= values["lateness_p99_s"] <= values["lateness_max_s"] < 0.5
    assert 0 < values["timer_p99_s"] <= values["timer_max_s"] < 0.5
    assert calibrate.remembered() == calibrate.Calibration(**values)
    row = next(line for line in mmwemu("doctor").stdout.splitlines() if " calibration " in line)
    assert f" {values['rate_bps'] / 1e6:.0f} Mbit/s on 20" in row


def test_a_link_that_asks_for_more_is_warned_of(tmp_path):
    calibrate.keep(calibrate.Calibration(1e6, 0.0, 0.0, 0.0, 0.0, calibrate.machine(), "2026-01-02"))
    native.save(constant(2e6, 1.0), tmp_path / "p.csv")
    words = mmwemu("link", "--pattern", str(tmp_path / "p.csv"), "--", "true").stderr
    assert words.startswith("mmwemu: the pattern reaches 2 Mbit/s; this machine carried 1 at")
    native.save(constant(1e6, 1.0), tmp_path / "p.csv")
    assert mmwemu("link", "--pattern", str(tmp_path / "p.csv"), "--", "true").stderr == ""
