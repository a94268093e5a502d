"""Studies: several experiments planned together, run in a drawn order, kept in one results folder."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, is_dataclass
from functools import cached_property
from typing import Any

from mmwemu.core.bounds import MOST_REPETITIONS
from mmwemu.core.errors import InputError
from mmwemu.core.names import check_name
from mmwemu.study.planned import PlannedExperiment, PlannedReplay, planned_replays

MOST_RETRIES = 100
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


@dataclass(frozen=True)
class Share:
    """The part of a study that one computer runs: every ``of``-th repetition of an experiment, from ``number`` on."""

    number: int = 1
    of: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of <= MOST_REPETITIONS:
            raise InputError("share", f"is {self.number}/{self.of}; must be such as 1/3, 2/3 or 3/3")

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


@dataclass(frozen=True)
class Study:
    """Experiments to run together.

    Attributes
    ----------
    name
        Of the study; part of the results folder's name.
    experiments
        What to run.
    seed
        The order of the replays within each repetition is drawn from it.
    retries
        How often a replay whose link was not valid is repeated.
    text
        The study file, which is kept with the results; empty without one.
    """

    name: str
    experiments: tuple[PlannedExperiment, ...]
    seed: int = 1
    retries: int = 0
    text: str = ""

    def __post_init__(self) -> None:
        check_name(self.name, "name")
        if not self.experiments:
            raise InputError("run", "is missing; a study has at least one experiment")
        if not 0 <= self.retries <= MOST_RETRIES:
            raise InputError("retries", f"is {self.retries}; must be from 0 to {MOST_RETRIES}")

    @cached_property
    def replays(self) -> list[PlannedReplay]:
        """All replays, in their order.

        Raises
        ------
        InputError
            As `mmwemu.study.planned.planned_replays`.
        """
        return planned_replays(self.experiments, self.seed)

    def replays_of(self, share: Share) -> list[PlannedReplay]:
        """Return the replays of a share.

        A repetition of an experiment is never divided, so that what is compared ran on the same computer.
        """
        blocks: dict[tuple[int, int], int] = {}
        for this in self.replays:
            blocks.setdefault((this.repetition, this.experiment_number), len(blocks))
        mine = {block for block, i in blocks.items() if i % share.of == share.number - 1}
        return [this for this in self.replays if (this.repetition, this.experiment_number) in mine]

    @property
    def patterns(self) -> dict[str, str]:
        """The SHA-256 of each pattern's file, by the pattern's name."""
        return {this.pattern.name: this.pattern.sha256 for this in self.replays}

    @cached_property
    def sha256(self) -> str:
        """A hash of all that determines the runs and their numbers: equal for the same study alone."""
        found = hashlib.sha256(_plain([_asked(experiment) for experiment in self.experiments]).encode())
        for this in self.replays:
            words = (this.number, this.first_run, this.experiment_number, this.repetition, this.pattern.sha256,
                     this.settings.start_at_s, this.settings.seed, this.plan.congestion_control)  # fmt: skip
            found.update(f"{words} {_plain(this.case)}\n".encode())
        return found.hexdigest()

    def asked(self) -> dict[str, Any]:
        """Return the settings, for the manifest."""
        return {
            "study": self.name,
            "seed": self.seed,
            "retries": self.retries,
            "experiments": [_asked(experiment) for experiment in self.experiments],
        }


def _asked(experiment: PlannedExperiment) -> dict[str, Any]:
    parts = []
    for part in experiment.parts:
        application: Any = part.application
        own = asdict(application) if is_dataclass(type(application)) else {}
        parts.append({"name": application.name, "offset_s": part.offset_s, **own})
    patterns = [str(pattern) for pattern in experiment.patterns]
    return {"applications": parts, "patterns": patterns, **asdict(experiment.plan)}


def _plain(value: object) -> str:
    """Return the text of a value, which is the same in each process."""
    return _ADDRESS.sub("", repr(value))


def counted(replays: Sequence[PlannedReplay]) -> int:
    """Return the number of runs in replays."""
    return sum(len(this.runs) for this in replays)
