"""Calibration: capability of the link on this machine, measured once and stored."""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mmwemu.core import paths
from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.progress import OnProgress, Progress, ignore
from mmwemu.core.tables import Table
from mmwemu.core.text import parse_json, read_text
from mmwemu.core.units import mbps
from mmwemu.link.check import check
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.convert import constant
from mmwemu.pattern.model import Direction, Floats, Pattern
from mmwemu.testbed.testbed import Testbed, open_testbed

if TYPE_CHECKING:
    import pandas as pd

FORMAT = 1
RATES_BPS = tuple(mbit * 1e6 for mbit in (50, 100, 200, 300, 500, 700, 1000, 1400, 2000, 2800, 4000, 5600, 8000, 11000))
"""Candidate rates, bit/s."""
_TRIES = 2
_PROBE_S = 0.7
_SETTLED_S = 0.3  # after slow start
_LEAST_SHARE = 0.97
_STEP_S, _STEP_RATES_BPS = 0.010, (5e6, 15e6)
_TIMER_PERIOD_S, _TIMER_TIMES = 0.001, 700
_DELAY_S = 0.001


@dataclass(frozen=True)
class Calibration:
    """Result of a calibration, and its machine.

    Attributes
    ----------
    rate_bps
        Highest of `RATES_BPS` that the link carried within tolerance in one direction, 0 if none.
    lateness_p99_s, lateness_max_s
        Lateness of packets under steps of 10 ms at 5 and 15 Mbit/s: 99th percentile over bytes, and maximum.
    timer_p99_s, timer_max_s
        Wake-up lateness of a sleeping process.
    machine
        Validity: kernel, processors, and whether the user was root, which may have real-time priority.
    measured
        Time of the calibration, UTC.
    """

    rate_bps: float
    lateness_p99_s: float
    lateness_max_s: float
    timer_p99_s: float
    timer_max_s: float
    machine: str
    measured: str


def calibrate(on_progress: OnProgress = ignore) -> Calibration:
    """Measure this machine in less than 10 s.

    Raises
    ------
    MissingError
        If the machine lacks a requirement of a link.
    """
    on_progress(Progress("timer", 0, 3))
    timer_s = timer_lateness_s()
    with open_testbed() as testbed:
        testbed.set_congestion_control("cubic")
        on_progress(Progress("steps", 1, 3))
        steps = check(_load(testbed, LinkSettings(_steps(), delay_s=_DELAY_S, start="now")))
        on_progress(Progress("rate", 2, 3))
        rate_bps = highest(RATES_BPS, lambda rate_bps: _carries(testbed, rate_bps))
    on_progress(Progress("rate", 3, 3))
    return Calibration(
        rate_bps=rate_bps,
        lateness_p99_s=steps.lateness_p99_s,
        lateness_max_s=steps.lateness_max_s,
        timer_p99_s=float(np.quantile(timer_s, 0.99)),
        timer_max_s=float(timer_s.max()),
        machine=machine(),
        measured=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def highest(values: Sequence[float], passes: Callable[[float], bool]) -> float:
    """Return the highest of rising values that passes, by bisection with one retry per value, 0 if none does."""
    low, high = 0, len(values)  # all below low pass, all from high on fail
    while low < high:
        middle = (low + high) // 2
        if any(passes(values[middle]) for _ in range(_TRIES)):
            low = middle + 1
        else:
            high = middle
    return values[low - 1] if low else 0.0


def timer_lateness_s() -> Floats:
    """Return the wake-up lateness of this process after sleeps of 1 ms [n], s."""
    late_s = np.empty(_TIMER_TIMES)
    due_s = time.monotonic()
    for i in range(_TIMER_TIMES):
        due_s += _TIMER_PERIOD_S
        time.sleep(max(0.0, due_s - time.monotonic()))
        now_s = time.monotonic()
        late_s[i] = now_s - due_s
        due_s = max(due_s, now_s - _TIMER_PERIOD_S)
    return late_s


def machine() -> str:
    """Return the machine and user for which a calibration is valid."""
    processors = len(os.sched_getaffinity(0))
    user = "root" if os.geteuid() == 0 else "user"
    return f"{platform.node()}, Linux {platform.release()}, {processors} processors, {user}"


def keep(calibration: Calibration) -> Path:
    """Store a calibration for `remembered` and return its file."""
    path = paths.user_folder() / "calibration.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as draft:
        draft.write_text(json.dumps({"format": FORMAT, **asdict(calibration)}, indent=2) + "\n", encoding="utf-8")
    return path


def remembered() -> Calibration | None:
    """Return the stored calibration, or None if there is none for this machine."""
    file = paths.user_folder() / "calibration.json"
    try:
        values = parse_json(read_text(file), str(file))
        table = Table(str(file), values if isinstance(values, dict) else {})
        table.format(FORMAT)
        numbers = {field.name: table.number(field.name, least=0) for field in fields(Calibration)[:5]}
        found = Calibration(**numbers, machine=table.title("machine"), measured=table.title("measured"))
        table.finish()
    except InputError:
        return None
    return found if found.machine == machine() else None


def warning(patterns: Sequence[Pattern], calibration: Calibration | None) -> str | None:
    """Return a warning if patterns have higher rates than the machine carried, else None."""
    if calibration is None or not patterns:
        return None
    rates_bps = np.concatenate([d.rate_bps for p in patterns for d in (p.downlink, p.uplink)])
    most_bps = float(rates_bps[np.isfinite(rates_bps)].max(initial=0.0))
    if most_bps <= calibration.rate_bps:
        return None
    return (
        f"the pattern reaches {mbps(most_bps):.0f} Mbit/s; this machine carried {mbps(calibration.rate_bps):.0f}"
        f" at its calibration ({calibration.measured[:10]}): the link may not be valid"
    )


def _steps() -> Pattern:
    rates_bps = np.array(_STEP_RATES_BPS)
    direction = Direction(rates_bps, np.zeros(2), np.zeros(2))
    return Pattern(np.array([0.0, _STEP_S]), 2 * _STEP_S, direction, direction)


def _carries(testbed: Testbed, rate_bps: float) -> bool:
    """Return whether the link was valid and full at a rate."""
    queue_bytes = round(max(150_000, rate_bps * 4 * _DELAY_S / 8))
    settings = LinkSettings(constant(rate_bps, 1.0), delay_s=_DELAY_S, queue_bytes=queue_bytes)
    telemetry = _load(testbed, settings)
    down = telemetry[(telemetry["direction"] == "downlink") & (telemetry["time_s"] >= _SETTLED_S)]
    down = down[down["time_s"] < _PROBE_S - 0.02]  # before the end
    share = float(down["delivered_bytes"].sum() / down["capacity_bytes"].sum()) if len(down) else math.nan
    return share >= _LEAST_SHARE and check(telemetry).valid


def _load(testbed: Testbed, settings: LinkSettings) -> pd.DataFrame:
    """Send by TCP from server to client and return the link's telemetry."""
    testbed.start(settings)
    program = [sys.executable, "-P", "-m", "mmwemu.probe.bulk_tcp"]
    address = testbed.server.address
    sender = testbed.server.popen([*program, "send", address], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert sender.stdout is not None
    with sender.stdout as words:
        words.readline()
        receiver = testbed.client.popen([*program, "receive", address, f"{_PROBE_S}"], stdin=subprocess.DEVNULL)
        receiver.wait()
        telemetry = testbed.telemetry()
        sender.kill()
        sender.wait()
    return telemetry
