"""What a check is asked, made ready: experiments with their repetitions, versions and baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from mmwemu.apps.command.application import Command
from mmwemu.check.thresholds import Threshold
from mmwemu.core import process
from mmwemu.core.errors import InputError
from mmwemu.study.planned import Part, PlannedExperiment
from mmwemu.study.studies import Study


@dataclass(frozen=True)
class Request:
    """What a check is asked.

    Attributes
    ----------
    study
        What is judged.
    thresholds
        What is expected of it.
    most
        The highest number of repetitions of each experiment; None: as many as the budget allows.
    budget_s
        Time for the check, s.
    base
        The study of the other version, with the same experiments in the same order; None without.
    baseline
        The file of a stored baseline; None without.
    update
        Measure, and write the baseline instead of a verdict.
    """

    study: Study
    thresholds: Sequence[Threshold]
    most: Sequence[int | None]
    budget_s: float
    base: Study | None = None
    baseline: Path | None = None
    update: bool = False

    def __post_init__(self) -> None:
        if self.update and self.baseline is None:
            raise InputError("update", "needs --baseline FILE, which it writes")
        if self.base is not None and self.baseline is not None:
            raise InputError("baseline", "cannot be used with a base that runs beside; leave one of them out")
        if not self.update and not self.thresholds:
            raise InputError("expect", "is missing; give a threshold, in the study file or by --expect")
        needy = [one for one in self.thresholds if one.relation]
        if needy and self.base is None and self.baseline is None:
            raise InputError(needy[0].text, "needs a baseline: --baseline FILE, or --base 'CMD', or --base-dir DIR")


def with_command(study: Study, command: str, where: str) -> Study:
    """Return a study whose command is replaced.

    Raises
    ------
    InputError
        If it has none, or several, or the text is no command.
    """
    argv = tuple(process.split(command, where))
    parts = [part.application for each in study.experiments for part in each.parts]
    there = {one.argv for one in parts if isinstance(one, Command)}
    if len(there) != 1:
        count = "several" if there else "none"
        raise InputError(where, f"replaces the command of runs, and study {study.name} has {count}; use --base-dir")
    return _changed(study, lambda one: replace(one, argv=argv) if isinstance(one, Command) else one)


def in_folder(study: Study, folder: Path, where: str) -> Study:
    """Return a study whose applications take relative paths in a folder, where its commands run.

    Patterns stay those of the study, so that all versions meet the same link.

    Raises
    ------
    InputError
        If that is no folder.
    """
    if not folder.is_dir():
        raise InputError(where, f"{folder} is not a folder")
    return _changed(study, lambda one: _rooted(one, folder.absolute()))


def with_repetitions(study: Study, most: Sequence[int]) -> Study:
    """Return a study with so many repetitions of each experiment."""
    return replace(study, experiments=tuple(
        replace(each, plan=replace(each.plan, repetitions=n)) for each, n in zip(study.experiments, most, strict=True)
    ))  # fmt: skip


def identity(study: Study) -> str:
    """Return a hash of all that determines a study's runs, whatever their number."""
    return with_repetitions(study, [1] * len(study.experiments)).sha256


def _changed(study: Study, change: Any) -> Study:
    experiments: list[PlannedExperiment] = []
    for each in study.experiments:
        parts = tuple(Part(change(part.application), part.offset_s) for part in each.parts)
        experiments.append(replace(each, parts=parts))
    return replace(study, experiments=tuple(experiments))


def _rooted(application: Any, folder: Path) -> Any:
    """Return an application whose options name what is in a folder by its whole path."""
    if isinstance(application, Command):
        return replace(application, folder=str(folder))
    if not is_dataclass(application):
        return application
    changes = {}
    for field in fields(application):
        value = getattr(application, field.name)
        if isinstance(value, tuple):
            changes[field.name] = tuple(_path(one, folder) for one in value)
        elif isinstance(value, (str, Path)):
            changes[field.name] = _path(value, folder)
    return replace(application, **changes)  # type: ignore[type-var]


def _path(value: Any, folder: Path) -> Any:
    """Return the whole path of what a text or path names in a folder; other values as they are."""
    if isinstance(value, (str, Path)) and str(value) and (folder / value).exists():
        return type(value)(folder / value) if isinstance(value, str) else folder / value
    return value
