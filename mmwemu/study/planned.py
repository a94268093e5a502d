"""Experiments to come, and their replays: in turns or in a drawn order, each with the numbers of its runs."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from mmwemu.apps.application import Application
from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern import cell, library
from mmwemu.pattern.model import Pattern
from mmwemu.study.plan import ReplayPlan
from mmwemu.testbed.tcp import TcpChoices


@dataclass(frozen=True)
class Part:
    """One of the applications that run at once; it starts ``offset_s`` after time 0 of the replay."""

    application: Application[Any]
    offset_s: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.offset_s < float("inf"):
            raise InputError("at", f"is {digits(self.offset_s)} s; must be finite and 0 or more")


def check_together(parts: Sequence[Part]) -> None:
    """Refuse applications that cannot run at once.

    Raises
    ------
    InputError
        If one has several cases, or none starts at 0.
    """
    for part in parts:
        if len(part.application.cases) != 1:
            raise InputError(part.application.name, "has several cases; what runs beside others can have one")
    if all(part.offset_s for part in parts):
        raise InputError("at", "is above 0 for every application; one has to start at 0")


@dataclass(frozen=True)
class PlannedExperiment:
    """Applications to run over patterns: what one ``mmwemu run`` does.

    Attributes
    ----------
    parts
        The applications. One runs each of its cases; several run at once, each with its only case.
    patterns
        Files or names of shipped patterns.
    plan
        How often and over which link.

    Raises
    ------
    InputError
        If there is no pattern, or applications cannot run at once.
    """

    parts: tuple[Part, ...]
    patterns: tuple[str | Path, ...]
    plan: ReplayPlan

    def __post_init__(self) -> None:
        if not self.patterns:
            raise InputError("pattern", "has no value; at least one is needed")
        if len(self.parts) > 1:
            check_together(self.parts)

    @property
    def title(self) -> str:
        """The names of the applications."""
        return " + ".join(part.application.name for part in self.parts)

    @cached_property
    def cases(self) -> list[tuple[Any, ...]]:
        """The cases to run over each pattern, with a case of each part."""
        if len(self.parts) == 1:
            return [(case,) for case in self.parts[0].application.cases]
        return [tuple(part.application.cases[0] for part in self.parts)]

    @property
    def runs_at_once(self) -> int:
        """Number of runs in each replay: all parts on all clients."""
        return len(self.parts) * self.plan.clients


@dataclass(frozen=True)
class NamedPattern:
    """A pattern with the name and the SHA-256 of its file; of a cell, that of the first client, and ``others``."""

    name: str
    sha256: str
    pattern: Pattern
    others: tuple[Pattern, ...] = ()


@dataclass(frozen=True)
class PlannedReplay:
    """One replay to come: a case, such as a file size, under one pattern and plan without variations.

    Attributes
    ----------
    number, first_run
        Number of the replay and of its first run, from 1.
    experiment, experiment_number
        What it belongs to, and the number of that, from 1.
    repetition, turn
        Number of the repetition, and place among the experiment's replays of it before the order is drawn, from 1.
    case
        A case of each part.
    pattern, settings
        What the link does.
    plan
        The experiment's plan with one value of what varies.
    tcp
        The sender's choices that the plan comes to over this pattern.
    """

    number: int
    first_run: int
    experiment: PlannedExperiment
    experiment_number: int
    repetition: int
    turn: int
    case: tuple[Any, ...]
    pattern: NamedPattern
    settings: LinkSettings
    plan: ReplayPlan
    tcp: TcpChoices = field(default_factory=TcpChoices)

    @property
    def runs(self) -> range:
        """The numbers of its runs."""
        return range(self.first_run, self.first_run + self.experiment.runs_at_once)


def planned_replays(experiments: Sequence[PlannedExperiment], order_seed: int | None = None) -> list[PlannedReplay]:
    """List the replays of experiments, all those of a repetition before the next.

    Parameters
    ----------
    experiments
        What to plan.
    order_seed
        Draw the order within each repetition from this seed. None: by experiment, pattern, start, variation and case,
        which take turns. In both, a change of the machine's load in the course of time affects all alike.

    Raises
    ------
    InputError
        If a pattern cannot be used, or the backend cannot do what is asked.
    """
    known: dict[str, NamedPattern] = {}
    every = [
        list(_replays_of(experiment, i, [_pattern(str(name), known) for name in experiment.patterns]))
        for i, experiment in enumerate(experiments, 1)
    ]
    rounds = max((experiment.plan.repetitions for experiment in experiments), default=0)
    by_repetition: list[list[PlannedReplay]] = [[] for _ in range(rounds)]
    for this in itertools.chain.from_iterable(every):
        by_repetition[this.repetition - 1].append(this)
    if order_seed is not None:
        for i, replays in enumerate(by_repetition, 1):
            random.Random(f"{order_seed} order {i}").shuffle(replays)
    done: list[PlannedReplay] = []
    run = 1
    for number, this in enumerate(itertools.chain.from_iterable(by_repetition), 1):
        done.append(replace(this, number=number, first_run=run))
        run += this.experiment.runs_at_once
    return done


def _replays_of(
    experiment: PlannedExperiment, number: int, patterns: Sequence[NamedPattern]
) -> Iterator[PlannedReplay]:
    plan, variations = experiment.plan, experiment.plan.variations
    for i in range(1, plan.repetitions + 1):
        turns = itertools.count(1)
        for named, start_at_s, one in itertools.product(patterns, plan.starts_of(i), variations):
            settings = LinkSettings(
                named.pattern,
                start_at_s=start_at_s,
                seed=plan.seed + i - 1,
                scheduler=plan.scheduler,
                others=named.others,
                client_shift_s=plan.client_shift_s,
                clients=plan.clients,
                **one.profile(),
            )
            tcp = one.tcp_choices(settings)
            if i == 1:
                plan.setup.refuse(settings)
                plan.setup.require_for(tcp)
                _require_senders(experiment, tcp, one.congestion_control)
                _require_edge(experiment)
            for case in experiment.cases:
                yield PlannedReplay(0, 0, experiment, number, i, next(turns), case, named, settings, one, tcp)


def _require_senders(experiment: PlannedExperiment, tcp: TcpChoices, congestion_control: str) -> None:
    """Refuse choices of TCP for an application that does not use it, and a congestion control that it does not have."""
    for part in experiment.parts:
        known = getattr(part.application, "congestion_controls", None)
        if known is not None and congestion_control not in known:
            problem = f"is not one that {part.application.name} has; it has {', '.join(known)}"
            raise InputError(f"congestion control {congestion_control}", problem)
        if tcp.any and not getattr(part.application, "uses_tcp", True):
            raise InputError(part.application.name, "does not use TCP, of which a window or pacing is asked")


def _require_edge(experiment: PlannedExperiment) -> None:
    """Refuse an application that cannot do without an edge where there is none."""
    for part in experiment.parts:
        if experiment.plan.setup.topology.core is None and getattr(part.application, "needs_edge", False):
            raise InputError(part.application.name, "needs an edge; add --edge")


def _pattern(name: str, known: dict[str, NamedPattern]) -> NamedPattern:
    """Return a pattern, which is read once however often it is named."""
    if name not in known:
        files = cell.files(name)
        first, *others = [library.load(name)] if len(files) == 1 else [library.load(str(file)) for file in files]
        known[name] = NamedPattern(cell.name_of(name), cell.digest(files), first, tuple(others))
    return known[name]
