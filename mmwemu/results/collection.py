"""Finished results folders, with what their manifests say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mmwemu.core.errors import InputError
from mmwemu.core.tables import Table
from mmwemu.core.temporary import IN_PROGRESS
from mmwemu.core.text import parse_json, read_text, shown
from mmwemu.results.store import FORMAT


@dataclass(frozen=True)
class Finished:
    """A finished results folder.

    Attributes
    ----------
    path
        The folder.
    name
        Of the experiment.
    command
        The command line, as typed.
    started, ended
        Times in UTC.
    runs, invalid_runs, rejected_runs
        Number of runs, of those over an invalid link, and of attempts that do not count.
    asked, system
        The experiment's settings, and the machine's description.
    """

    path: Path
    name: str
    command: Sequence[str]
    started: datetime
    ended: datetime
    runs: int
    invalid_runs: int
    rejected_runs: int
    asked: Mapping[str, Any]
    system: Mapping[str, Any]

    @property
    def share(self) -> tuple[str, str]:
        """The hash of the whole plan and the share of it that ran; both are empty where no study was shared."""
        plan, share = (str(self.asked.get(name, "")) for name in ("plan_sha256", "share"))
        return (plan, share) if plan and share else ("", "")

    @property
    def tables(self) -> list[str]:
        """Names of the tables in the folder."""
        return sorted(path.stem for path in self.path.glob("*.parquet") if path.suffixes == [".parquet"])


def open_folder(path: Path) -> Finished:
    """Read the manifest of a results folder.

    Raises
    ------
    InputError
        If it is none, unfinished, edited into nonsense, or made by a newer mmwemu.
    """
    manifest = path / "manifest.json"
    if path.name.endswith(IN_PROGRESS):
        raise InputError(str(path), "is unfinished; its runs so far are in parts/")
    if not manifest.is_file() or not (path / "runs.parquet").is_file():
        raise InputError(str(path), "is not a results folder")
    where = str(manifest)
    values = parse_json(read_text(manifest), where)
    if not isinstance(values, dict):
        raise InputError(where, f"is {shown(values)}; must be a JSON object")
    table = Table(where, values)
    table.format(FORMAT)
    command = table.get("command")
    if not isinstance(command, list) or not all(isinstance(word, str) for word in command):
        raise table.refuse("command", f"is {shown(command)}; must be a list of words")
    return Finished(
        path=path,
        name=table.text("name"),
        command=command,
        started=_time(table, "started"),
        ended=_time(table, "ended"),
        runs=table.integer("runs", least=0),
        invalid_runs=table.integer("invalid_runs", least=0),
        rejected_runs=table.integer("rejected_runs", 0, least=0),
        asked=table.values("asked"),
        system=table.values("system"),
    )


def find(root: Path) -> tuple[list[Finished], list[InputError]]:
    """Return the finished folders in ``root``, the oldest first, and why others there cannot be read.

    Raises
    ------
    InputError
        If ``root`` is no folder.
    """
    if not root.is_dir():
        raise InputError(str(root), "is not a folder; results are in the folder results/ unless -o was given")
    found, refused = [], []
    for path in sorted(root.iterdir()):
        if path.is_dir() and not path.name.startswith("."):
            try:
                found.append(open_folder(path))
            except InputError as error:
                refused.append(error)
    return sorted(found, key=lambda each: each.started), refused


def _time(table: Table, key: str) -> datetime:
    text = table.text(key)
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise table.refuse(key, f"is {shown(text)}; must be a time such as 2026-01-31T12:00:00+00:00") from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
