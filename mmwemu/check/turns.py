"""Replays of a check: base and head of the same place take turns, in a drawn order, repetition by repetition."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from mmwemu.core.text import cut, digits, printable
from mmwemu.report.sequential import LOOKS
from mmwemu.study.planned import PlannedExperiment, PlannedReplay, planned_replays

Version = Literal["head", "base", "reference"]


@dataclass(frozen=True)
class Place:
    """What each repetition holds once for each version.

    Attributes
    ----------
    experiment
        Number within the study, from 1.
    pattern
        Its name.
    case, variation
        Index of the experiment's case and of the plan's variation.
    start_at_s
        Start in the pattern; None if it is drawn.
    label
        All of it for people.
    """

    experiment: int
    pattern: str
    case: int
    variation: int
    start_at_s: float | None
    label: str


@dataclass(frozen=True)
class Turn:
    """A replay of a version at a place."""

    replay: PlannedReplay
    version: Version
    place: Place


def turns(
    head: Sequence[PlannedExperiment],
    base: Sequence[PlannedExperiment] = (),
    reference: PlannedExperiment | None = None,
    seed: int = 1,
) -> list[Turn]:
    """List the replays of a check, numbered in their order.

    Parameters
    ----------
    head
        The experiments of what is judged.
    base
        Those of what it is compared with, one for each of head; empty without.
    reference
        An experiment that is the same everywhere.
    seed
        The order is drawn from it.

    Raises
    ------
    InputError
        As `mmwemu.study.planned.planned_replays`.
    """
    everything = [*head, *base, *([reference] if reference is not None else [])]
    found = [_turn(this, head, len(base)) for this in planned_replays(everything)]
    by_repetition: dict[int, dict[tuple[bool, Place], list[Turn]]] = {}
    for turn in found:
        places = by_repetition.setdefault(turn.replay.repetition, {})
        places.setdefault((turn.version == "reference", turn.place), []).append(turn)
    done: list[Turn] = []
    run = 1
    for repetition, places in sorted(by_repetition.items()):
        draw = random.Random(f"{seed} check {repetition}")
        pairs = list(places.values())
        draw.shuffle(pairs)
        for pair in pairs:
            draw.shuffle(pair)
            for turn in pair:
                number = len(done) + 1
                done.append(replace(turn, replay=replace(turn.replay, number=number, first_run=run)))
                run += turn.replay.experiment.runs_at_once
    return done


def most_repetitions(experiments: Sequence[PlannedExperiment], budget_s: float, shortest_s: float) -> int:
    """Return how many repetitions can fit into a budget at most, if no replay is shorter than ``shortest_s``."""
    replays = sum(
        len(one.patterns) * len(one.plan.variations) * len(one.plan.starts_of(1)) * len(one.cases)
        for one in experiments
    )
    fit = budget_s / shortest_s / max(1, replays)
    return max(LOOKS[0], int(min(fit, LOOKS[-1])))


def _turn(this: PlannedReplay, head: Sequence[PlannedExperiment], bases: int) -> Turn:
    number, count = this.experiment_number, len(head)
    version: Version = "head" if number <= count else "base" if number <= count + bases else "reference"
    index = (number - 1) % count if version != "reference" else number - 1
    like = head[index] if version != "reference" else this.experiment
    case, variation = this.experiment.cases.index(this.case), this.experiment.plan.variations.index(this.plan)
    start = None if like.plan.start_between_s is not None else this.settings.start_at_s
    label = "reference" if version == "reference" else _label(like, this, case, variation, index, count)
    return Turn(this, version, Place(index + 1, this.pattern.name, case, variation, start, label))


def _label(
    like: PlannedExperiment, this: PlannedReplay, case: int, variation: int, index: int, experiments: int
) -> str:
    words = [f"run {index + 1}"] if experiments > 1 else []
    words += [like.title, this.pattern.name]
    if len(like.cases) > 1:
        words.append(" + ".join(cut(printable(str(one))) for one in like.cases[case]))
    if len(like.plan.starts_at_s) > 1 and like.plan.start_between_s is None:
        words.append(f"from {digits(this.settings.start_at_s)} s")
    plan = like.plan.variations[variation]
    words += [f"{name} {getattr(plan, name)}" for name in like.plan.vary]
    return ", ".join(words)
