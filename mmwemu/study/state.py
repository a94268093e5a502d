"""How far a study has come."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mmwemu.core import leftovers
from mmwemu.core.errors import InputError
from mmwemu.core.temporary import IN_PROGRESS
from mmwemu.results import parts, store
from mmwemu.results.parts import Parts
from mmwemu.study import record as records
from mmwemu.study.estimate import OVERHEAD_S
from mmwemu.study.record import ExperimentRecord
from mmwemu.study.studies import Share, Study

if TYPE_CHECKING:
    import pandas as pd

Status = Literal["planned", "running", "interrupted", "finished"]


@dataclass(frozen=True)
class ExperimentState:
    """How far an experiment has come.

    Attributes
    ----------
    planned
        What was planned of it.
    done, invalid, failed, cpu_bound, rejected
        Number of runs that are kept, and of these those whose link was not valid, that failed, or that the computer
        held up; number of attempts that did not count.
    left_s
        The remaining time: estimated, and corrected by what is done, s.
    """

    planned: ExperimentRecord
    done: int = 0
    invalid: int = 0
    failed: int = 0
    cpu_bound: int = 0
    rejected: int = 0
    left_s: float = 0.0

    @property
    def left(self) -> int:
        """Number of runs that are still to come."""
        return self.planned.runs - self.done


@dataclass(frozen=True)
class StudyState:
    """How far a study has come; ``folder`` is None before it starts."""

    name: str
    status: Status
    share: Share
    folder: Path | None
    experiments: list[ExperimentState]


def planned(study: Study, share: Share | None = None) -> StudyState:
    """Return the state of a study that has not started."""
    share = share or Share()
    found = records.experiment_records(study, study.replays_of(share))
    return StudyState(
        study.name, "planned", share, None, [ExperimentState(one, left_s=one.expected_s) for one in found]
    )


def state_of(folder: Path) -> StudyState:
    """Return the state of a study from its results folder, finished or in progress.

    Raises
    ------
    InputError
        If it is no results folder of a study, or was edited into nonsense.
    """
    record = records.read(folder)
    status: Status = "finished"
    if folder.name.endswith(IN_PROGRESS):
        status = "interrupted" if leftovers.is_unused(folder) else "running"
    runs = store.load(folder)
    if len(runs) and runs["experiment"].max() > len(record.experiments):
        raise InputError(str(folder), "has runs of more experiments than its study; was it edited?")
    rejected = _rejected(folder)
    states = []
    for number, one in enumerate(record.experiments, 1):
        mine = runs[runs["experiment"] == number] if len(runs) else runs
        states.append(_state(one, mine, rejected.get(number, 0)))
    return StudyState(record.name, status, record.share, folder, states)


def _state(planned: ExperimentRecord, runs: pd.DataFrame, rejected: int) -> ExperimentState:
    if not len(runs):
        return ExperimentState(planned, rejected=rejected, left_s=planned.expected_s)
    per_replay = runs.groupby("replay")["duration_s"].max() + OVERHEAD_S
    return ExperimentState(
        planned,
        done=len(runs),
        invalid=int((~runs["valid"].astype(bool)).sum()),
        failed=int((runs["status"] == "failed").sum()),
        cpu_bound=int(runs["cpu_bound"].astype(bool).sum()),
        rejected=rejected,
        left_s=max(0, planned.replays - len(per_replay)) * float(per_replay.mean()),
    )


def _rejected(folder: Path) -> dict[int, int]:
    """Return the number of rejected attempts by experiment."""
    if (folder / parts.FOLDER).is_dir():
        return Counter(int(row.get("experiment", 1)) for row in Parts(folder).rejected_rows())
    if not (folder / f"{parts.REJECTED}.parquet").is_file():
        return {}
    table = store.load_table(folder, parts.REJECTED)
    if "experiment" not in table:
        raise InputError(str(folder / f"{parts.REJECTED}.parquet"), "has no column experiment")
    return Counter(table["experiment"].tolist())
