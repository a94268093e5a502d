"""Repetitions of an application under patterns: what every experiment has in common."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from mmwemu.core.errors import InputError
from mmwemu.core.files import sha256
from mmwemu.emulate.check import check
from mmwemu.emulate.link import Backend, LinkSettings, TcMode, Testbed
from mmwemu.pattern import library
from mmwemu.pattern.convert import constant
from mmwemu.pattern.model import Pattern

if TYPE_CHECKING:
    import pandas as pd

# Long enough for the last segments and resets of one run to leave before the next.
_DRAIN_RTTS = 4
_DRAIN_LEAST_S = 0.1

Case = TypeVar("Case")
Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class ReplayPlan:
    """How often and over which link an application is run.

    Attributes
    ----------
    repetitions
        How often each case is run over each pattern.
    starts_at_s
        Times in the pattern at which a run starts.
    congestion_control
        TCP congestion control of both ends.
    delay_s
        One-way delay of the core link, each way.
    queue_bytes
        Size of the bottleneck's queue in each direction.
    limit_s
        A run ends here at the latest; that is a result, not an error.
    seed
        Seed of random loss; repetition i, counted from 1, uses seed + i - 1. Backend ``tc`` does not use it.
    backend, tc_mode
        What shapes the link; see `mmwemu.emulate.backend.open_testbed`.
    """

    repetitions: int = 1
    starts_at_s: tuple[float, ...] = (0.0,)
    congestion_control: str = "cubic"
    delay_s: float = 0.011
    queue_bytes: int = 1_500_000
    limit_s: float = 40.0
    seed: int = 1
    backend: Backend = "tun"
    tc_mode: TcMode = "tbf"

    def __post_init__(self) -> None:
        if self.repetitions < 1:
            raise InputError("repetitions", f"is {self.repetitions}; must be at least 1")
        if not math.isfinite(self.limit_s) or self.limit_s <= 0:
            raise InputError("limit", f"is {self.limit_s:g} s; must be above 0")
        if not self.starts_at_s:
            raise InputError("start-at", "has no value; at least one is needed")


@dataclass(frozen=True)
class Repetition(Generic[Case]):
    """One run to come: a case, such as a file size, under one pattern."""

    number: int
    repetition: int
    case: Case
    pattern_name: str
    pattern_sha256: str
    pattern: Pattern
    settings: LinkSettings


def repetitions(patterns: Sequence[str | Path], plan: ReplayPlan, cases: Sequence[Case]) -> list[Repetition[Case]]:
    """List the runs of a plan in order: by pattern (a file or the name of a shipped one), start, case.

    Raises
    ------
    InputError
        If a pattern cannot be used.
    """
    runs: list[Repetition[Case]] = []
    for name in patterns:
        file = library.find(str(name))
        pattern, digest = library.load(str(file)), sha256(file)
        for start_at_s in plan.starts_at_s:
            for case in cases:
                for i in range(1, plan.repetitions + 1):
                    settings = LinkSettings(
                        pattern,
                        delay_s=plan.delay_s,
                        queue_bytes=plan.queue_bytes,
                        start="first-packet",
                        start_at_s=start_at_s,
                        seed=plan.seed + i - 1,
                    )
                    runs.append(Repetition(len(runs) + 1, i, case, file.stem, digest, pattern, settings))
    return runs


def replay(
    testbed: Testbed, run: Repetition[Case], act: Callable[[], Outcome]
) -> tuple[Outcome, dict[str, object], pd.DataFrame]:
    """Start the pattern of a run, let ``act`` use the link, and see whether the link did what it should.

    Returns
    -------
    The outcome; the columns of `mmwemu.results.records.Run` that say what was asked and what the link did; the link's
    telemetry.
    """
    _drain(testbed, run.settings.delay_s)
    testbed.start(run.settings)
    outcome = act()
    telemetry = testbed.telemetry()
    link = check(telemetry, testbed.tolerance)
    columns: dict[str, object] = {
        "run": run.number,
        "pattern": run.pattern_name,
        "pattern_sha256": run.pattern_sha256,
        "rat": str(run.pattern.meta.get("rat", "")),
        "repetition": run.repetition,
        "start_at_s": run.settings.start_at_s,
        "delay_s": run.settings.delay_s,
        "queue_bytes": run.settings.queue_bytes,
        "seed": run.settings.seed,
        "valid": link.valid,
        "invalid_because": "; ".join(link.reasons),
        "delivered_ratio": None if math.isnan(link.delivered_ratio) else link.delivered_ratio,
        "lateness_p99_s": link.lateness_p99_s,
    }
    columns |= {f"dropped_{c}_bytes": _total(telemetry[f"dropped_{c}_bytes"]) for c in ("queue", "outage", "loss")}
    return outcome, columns, telemetry


def _total(values: pd.Series[float]) -> int | None:
    """Sum up; None if something is not known."""
    total = values.sum(skipna=False)
    return None if math.isnan(total) else int(total)


def _drain(testbed: Testbed, delay_s: float) -> None:
    """Let what the run before left behind (last segments, resets) pass an open link, so that it starts no pattern."""
    testbed.start(LinkSettings(constant(math.inf, 1.0), delay_s=delay_s, start="now"))
    time.sleep(max(_DRAIN_LEAST_S, _DRAIN_RTTS * 2 * delay_s))
