"""What is kept of a study in its results folder, so that it can be resumed, shown and told from others."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.tables import Table
from mmwemu.core.text import parse_json, read_text, shown
from mmwemu.study.estimate import expected_s
from mmwemu.study.planned import PlannedReplay
from mmwemu.study.studies import Share, Study, counted

FORMAT = 1
NAME, TEXT = "study.json", "study.toml"


@dataclass(frozen=True)
class ExperimentRecord:
    """What was planned of an experiment in a share: its replays and runs, and the estimate of their time."""

    application: str
    cases: int
    patterns: int
    repetitions: int
    replays: int
    runs: int
    expected_s: float


@dataclass(frozen=True)
class StudyRecord:
    """What was planned.

    Attributes
    ----------
    name, retries, share
        Of the study.
    sha256, text_sha256, patterns
        Hashes of the whole plan, of the study file (empty without one), and of each pattern by its name.
    command, started
        The command line as typed, and when it came.
    base
        The folder to which paths in the study are relative.
    experiments
        Their replays in this share.
    """

    name: str
    retries: int
    share: Share
    sha256: str
    text_sha256: str
    patterns: Mapping[str, str]
    command: Sequence[str]
    started: datetime
    base: str
    experiments: Sequence[ExperimentRecord]


def record_of(study: Study, share: Share, command: Sequence[str], started: datetime, base: Path) -> StudyRecord:
    """Return the record of a study that is about to start."""
    return StudyRecord(
        study.name, study.retries, share, study.sha256, _sha256(study.text), study.patterns, list(command), started,
        str(base.absolute()), experiment_records(study, study.replays_of(share)),
    )  # fmt: skip


def experiment_records(study: Study, replays: Sequence[PlannedReplay]) -> list[ExperimentRecord]:
    """Return what is planned of each experiment, as far as it is among these replays."""
    by_experiment: list[list[PlannedReplay]] = [[] for _ in study.experiments]
    for this in replays:
        by_experiment[this.experiment_number - 1].append(this)
    return [
        ExperimentRecord(
            experiment.title,
            len(experiment.cases),
            len(experiment.patterns),
            experiment.plan.repetitions,
            len(mine),
            counted(mine),
            sum(expected_s(this) for this in mine),
        )
        for experiment, mine in zip(study.experiments, by_experiment, strict=True)
    ]


def write(record: StudyRecord, text: str, folder: Path) -> None:
    """Keep a record, and the study file, in a results folder."""
    if text:
        with whole_file(folder / TEXT) as draft:
            draft.write_text(text, encoding="utf-8")
    values = {"format": FORMAT, **asdict(record)}
    values |= {"share": str(record.share), "started": record.started.isoformat(timespec="seconds")}
    with whole_file(folder / NAME) as draft:
        draft.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


def read(folder: Path) -> StudyRecord:
    """Read the record in a results folder.

    Raises
    ------
    InputError
        If there is none, it was edited into nonsense, or a newer mmwemu made it.
    """
    path = folder / NAME
    if not path.is_file():
        raise InputError(str(folder), f"is not the results folder of a study: it has no {NAME}")
    values = parse_json(read_text(path), str(path))
    if not isinstance(values, dict):
        raise InputError(str(path), f"is {shown(values)}; must be a JSON object")
    table = Table(str(path), values)
    table.format(FORMAT)
    share, started = table.text("share"), table.text("started")
    command, patterns = table.get("command"), table.values("patterns")
    if not isinstance(command, list) or not all(isinstance(word, str) for word in command):
        raise table.refuse("command", "must be a list of words")
    if not all(isinstance(digest, str) for digest in patterns.values()):
        raise table.refuse("patterns", "must be hashes of patterns")
    try:
        number, _, of = share.partition("/")
        found_share, time = Share(int(number), int(of)), datetime.fromisoformat(started)
    except (ValueError, InputError):
        raise table.refuse("share", f"{shown(share)}, or started, {shown(started)}, was edited") from None
    return StudyRecord(
        name=table.name("name"),
        retries=table.integer("retries", least=0),
        share=found_share,
        sha256=table.text("sha256"),
        text_sha256=table.text("text_sha256"),
        patterns=patterns,
        command=command,
        started=time,
        base=table.text("base"),
        experiments=[_experiment(each) for each in table.tables("experiments")],
    )


def read_text_of(folder: Path, record: StudyRecord) -> str:
    """Return the study file that is kept in a results folder.

    Raises
    ------
    InputError
        If there is none, or it was edited.
    """
    path = folder / TEXT
    if not record.text_sha256:
        raise InputError(str(folder), "was made without a study file; continue it from where it was started")
    text = read_text(path)
    if _sha256(text) != record.text_sha256:
        problem = "was changed since the study began; runs of two studies do not belong in one folder"
        raise InputError(str(path), problem)
    return text


def check_same(record: StudyRecord, study: Study, folder: Path) -> None:
    """Refuse to go on with another study than that which began.

    Raises
    ------
    InputError
        If patterns or anything else differ.
    """
    if study.sha256 == record.sha256:
        return
    now = study.patterns
    changed = [name for name, digest in record.patterns.items() if now.get(name) != digest]
    if changed:
        problem = f"was changed since the study in {folder} began; runs over two patterns do not belong together"
        raise InputError(f"pattern {changed[0]}", problem)
    raise InputError(str(folder), "was begun with another plan: study file, mmwemu or an application has changed")


def _experiment(table: Table) -> ExperimentRecord:
    counts = {name: table.integer(name, least=0) for name in ("cases", "patterns", "repetitions", "replays", "runs")}
    return ExperimentRecord(application=table.text("application"), expected_s=table.number("expected_s"), **counts)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest() if text else ""
