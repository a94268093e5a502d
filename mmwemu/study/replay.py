"""Repetitions under patterns: which there are, and how one goes."""

from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Literal, TypeVar, get_args

from mmwemu.core.errors import InputError
from mmwemu.core.files import sha256
from mmwemu.link.check import check
from mmwemu.link.packets import TUN_ONLY
from mmwemu.link.settings import Backend, LinkKind, LinkSettings, TcMode, Testbed
from mmwemu.pattern import library
from mmwemu.pattern.convert import constant
from mmwemu.pattern.model import Pattern

if TYPE_CHECKING:
    import pandas as pd

# Long enough for the last segments and resets of one run to leave before the next.
_DRAIN_RTTS = 4
_DRAIN_LEAST_S = 0.1

PacketForm = Literal["parquet", "pcapng"]
Case = TypeVar("Case")
Outcome = TypeVar("Outcome")


@dataclass(frozen=True, kw_only=True)
class ReplayPlan(LinkKind):
    """How often and over which link applications are run.

    Attributes
    ----------
    repetitions
        How often each case is run over each pattern.
    starts_at_s
        Times in the pattern at which a run starts.
    start_between_s
        Draw the start of each repetition uniformly from here to there, the same for every case and pattern, instead.
    congestion_control
        TCP congestion control of both ends.
    seed
        Seed of random starts and of all that is random on the link; repetition i, counted from 1, uses seed + i - 1.
        Backend ``tc`` draws without it.
    backend, tc_mode
        What shapes the link; see `mmwemu.testbed.opening.open_testbed`.
    packets
        Forms in which each packet of each replay is written down: ``parquet``, ``pcapng``.
    """

    repetitions: int = 1
    starts_at_s: tuple[float, ...] = (0.0,)
    start_between_s: tuple[float, float] | None = None
    congestion_control: str = "cubic"
    seed: int = 1
    backend: Backend = "tun"
    tc_mode: TcMode = "tbf"
    packets: tuple[PacketForm, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.repetitions < 1:
            raise InputError("repetitions", f"is {self.repetitions}; must be at least 1")
        if not self.starts_at_s:
            raise InputError("start-at", "has no value; at least one is needed")
        if self.start_between_s is not None:
            low, high = self.start_between_s
            if not 0 <= low <= high < math.inf:
                raise InputError("start-random", f"is {low:g}-{high:g} s; must rise from 0 or more")
        for form in self.packets:
            if form not in get_args(PacketForm):
                raise InputError("packets", f"is {form!r}; must be one of {', '.join(get_args(PacketForm))}")
        if self.packets and self.backend != "tun":
            raise InputError("packets", TUN_ONLY)

    def starts_of(self, repetition: int) -> tuple[float, ...]:
        """Give the times in the pattern at which the runs of a repetition, counted from 1, start."""
        if self.start_between_s is None:
            return self.starts_at_s
        return (round(random.Random(f"{self.seed} {repetition}").uniform(*self.start_between_s), 3),)


@dataclass(frozen=True)
class Repetition(Generic[Case]):
    """One replay to come: a case, such as a file size, under one pattern."""

    number: int
    repetition: int
    case: Case
    pattern_name: str
    pattern_sha256: str
    pattern: Pattern
    settings: LinkSettings


def repetitions(patterns: Sequence[str | Path], plan: ReplayPlan, cases: Sequence[Case]) -> list[Repetition[Case]]:
    """List the replays of a plan in order: by repetition, pattern (a file or the name of a shipped one), start, case.

    Patterns and cases take turns, so that what changes on the computer meanwhile befalls all alike.

    Raises
    ------
    InputError
        If a pattern cannot be used.
    """
    files = [library.find(str(name)) for name in patterns]
    found = [(file.stem, sha256(file), library.load(str(file))) for file in files]
    todo: list[Repetition[Case]] = []
    for i in range(1, plan.repetitions + 1):
        for (name, digest, pattern), start_at_s, case in itertools.product(found, plan.starts_of(i), cases):
            settings = LinkSettings(pattern, start_at_s=start_at_s, seed=plan.seed + i - 1, **plan.kind())
            todo.append(Repetition(len(todo) + 1, i, case, name, digest, pattern, settings))
    return todo


def replay(
    testbed: Testbed,
    run: Repetition[Case],
    act: Callable[[], Outcome],
    recording: AbstractContextManager[None] | None = None,
) -> tuple[Outcome, dict[str, object], pd.DataFrame]:
    """Start the pattern of a run, let ``act`` use the link, and see whether the link did what it should.

    ``recording`` is entered right before the start and left when the link's telemetry is read.

    Returns
    -------
    The outcome; the columns of `mmwemu.results.records.Run` that say what was asked of the link and what it did; the
    link's telemetry.
    """
    _drain(testbed, run.settings.delay_s)
    with recording or nullcontext():
        testbed.start(run.settings)
        outcome = act()
        telemetry = testbed.telemetry()
    link = check(telemetry, testbed.tolerance)
    columns: dict[str, object] = {
        "replay": run.number,
        "pattern": run.pattern_name,
        "pattern_sha256": run.pattern_sha256,
        "rat": str(run.pattern.meta.get("rat", "")),
        "repetition": run.repetition,
        "start_at_s": run.settings.start_at_s,
        "seed": run.settings.seed,
        **run.settings.kind(),
        "valid": link.valid,
        "invalid_because": "; ".join(link.reasons),
        "delivered_ratio": None if math.isnan(link.delivered_ratio) else link.delivered_ratio,
        "lateness_p99_s": link.lateness_p99_s,
    }
    causes = ("queue", "aqm", "outage", "loss")
    columns |= {f"dropped_{cause}_bytes": _total(telemetry[f"dropped_{cause}_bytes"]) for cause in causes}
    return outcome, columns, telemetry


def _total(values: pd.Series[float]) -> int | None:
    """Sum up; None if something is not known."""
    total = values.sum(skipna=False)
    return None if math.isnan(total) else int(total)


def _drain(testbed: Testbed, delay_s: float) -> None:
    """Let what the run before left behind (last segments, resets) pass an open link, so that it starts no pattern."""
    testbed.start(LinkSettings(constant(math.inf, 1.0), delay_s=delay_s, start="now"))
    time.sleep(max(_DRAIN_LEAST_S, _DRAIN_RTTS * 2 * delay_s))
