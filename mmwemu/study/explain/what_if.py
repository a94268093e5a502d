"""A run replayed as it was and with one cause removed, in turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mmwemu.core.errors import InputError
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.pattern.algebra.rates import without_outages
from mmwemu.pattern.formats import native
from mmwemu.report.statistics import Estimate, students_mean
from mmwemu.report.summary import Summary
from mmwemu.results.collection import Finished
from mmwemu.study.conduct import conduct
from mmwemu.study.explain.again import again_of
from mmwemu.study.explain.changes import Change
from mmwemu.study.explain.explanation import explained_of


@dataclass(frozen=True)
class WhatIf:
    """What the removal of a cause changed.

    Attributes
    ----------
    name
        The change, as asked for.
    base_s, new_s
        Lengths of the runs as it was and with the change, s; run i of both is a pair.
    difference_s
        Mean of the second minus the first with Student's interval, s.
    left_out
        Why pairs are not among them.
    folder
        The results folder of the replays.
    """

    name: str
    base_s: list[float]
    new_s: list[float]
    difference_s: Estimate
    left_out: list[str]
    folder: Path

    @property
    def verdict(self) -> str:
        """What the interval says."""
        if not self.difference_s.has_interval:
            return "too few pairs to judge"
        if self.difference_s.low > 0:
            return f"longer with {self.name}"
        return f"shorter with {self.name}" if self.difference_s.high < 0 else "no difference is shown"

    def to_json(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        return asdict(self) | {"verdict": self.verdict, "folder": str(self.folder)}


def replay(
    folder: Finished,
    run: Mapping[str, Any],
    change: Change,
    repetitions: int,
    output: Path | None,
    command: Sequence[str],
    on_progress: OnProgress = ignore,
) -> WhatIf:
    """Replay a run as it was and with a change, in turns, with the same seed and phase.

    Parameters
    ----------
    folder, run
        Where it was kept, and its row of runs.parquet.
    change
        What is different.
    repetitions
        How often each is replayed.
    output, command, on_progress
        As for `mmwemu.study.conduct.conduct`.

    Raises
    ------
    InputError
        If the run cannot be repeated: its pattern is gone or has changed, or other clients shared its link.
    """
    explained = explained_of(run)
    again = again_of(folder, run, explained)
    application, file, pattern, plan = again.application, again.file, again.pattern, again.plan
    names: list[str | Path] = [file]
    if change.kind == "cc":
        _refuse_same(change, plan.congestion_control)
        plan = plan.override(vary={"congestion_control": (plan.congestion_control, str(change.value))})
    elif change.kind == "queue":
        if plan.queue_packets is not None:
            raise InputError("--what-if queue", "is in bytes, and the run's queue was in packets")
        _refuse_same(change, plan.queue_bytes)
        plan = plan.override(vary={"queue_bytes": (plan.queue_bytes, int(change.value))})
    elif change.kind == "initcwnd":
        _refuse_same(change, plan.initial_window or 0)
        plan = plan.override(vary={"initial_window": (plan.initial_window, int(change.value))})
    else:
        open_pattern = without_outages(pattern)

    def patterns(results: Path) -> list[str | Path]:
        if change.kind == "no-outage":
            names.append(results / f"{file.stem}.no-outage.csv")
            native.save(open_pattern, Path(names[1]))
        return names * repetitions

    found = conduct(
        application, patterns, plan, output, command, summarize=lambda _, __: Summary(), on_progress=on_progress
    )
    return _compare(change, found.runs, _arms(change, found.runs), explained.length, found.folder)


def _refuse_same(change: Change, value: int | str) -> None:
    if change.value == value:
        raise InputError(f"--what-if {change.kind}", f"is {value}, which the run had")


def _arms(change: Change, runs: Sequence[Any]) -> list[bool]:
    """Return which runs had the change."""
    if change.kind == "cc":
        return [run.congestion_control == change.value for run in runs]
    if change.kind == "queue":
        return [run.link["queue_bytes"] == change.value for run in runs]
    if change.kind == "no-outage":
        return [run.pattern.endswith(".no-outage") for run in runs]
    return [run.initial_window == change.value for run in runs]


def _compare(change: Change, runs: Sequence[Any], changed: Sequence[bool], length: str, folder: Path) -> WhatIf:
    base = [run for run, other in zip(runs, changed, strict=True) if not other]
    new = [run for run, other in zip(runs, changed, strict=True) if other]
    pairs, left_out = [], []
    for pair in zip(base, new, strict=True):
        reasons = [reason for run in pair if (reason := _against(run, length))]
        if reasons:
            left_out.append(reasons[0])
        else:
            pairs.append([float(getattr(run, length)) for run in pair])
    difference = students_mean([after - before for before, after in pairs])
    return WhatIf(change.name, [each[0] for each in pairs], [each[1] for each in pairs], difference, left_out, folder)


def _against(run: Any, length: str) -> str:
    """Return what speaks against a run in the comparison, empty if nothing does."""
    if run.status == "failed":
        return f"run {run.run} failed: {run.error}"
    if not run.valid:
        return f"the link was not valid in run {run.run}: {run.invalid_because}"
    if run.status == "timeout" or getattr(run, length) is None:
        return f"run {run.run} met its limit"
    return ""
