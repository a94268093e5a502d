"""Results folders; docs/formats/results.md describes the format."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmwemu.core import interruption, provenance
from mmwemu.core.errors import InputError, InterruptedRunError, MmwemuError
from mmwemu.core.files import has_content, kept_folder, whole_file
from mmwemu.core.temporary import IN_PROGRESS
from mmwemu.results.records import Run

if TYPE_CHECKING:
    import pandas as pd

FORMAT = 1
_PARTS = "parts"
# Of numpy, for the columns that counting and averaging need.
_KINDS = {"int": "iu", "bool": "b", "float": "iuf"}


class Writer:
    """Writer of a results folder; each run is on disk as soon as it is added."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._parts = folder / _PARTS
        self._parts.mkdir()
        self._tables: list[str] = []
        self.runs: list[Run] = []

    def add(self, run: Run, telemetry: pd.DataFrame, tables: Mapping[str, pd.DataFrame] | None = None) -> None:
        """Write a run, the link's telemetry of it, and its other tables by name.

        Raises
        ------
        MmwemuError
            If the disk is full.
        """
        for name, table in {"link": telemetry, **(tables or {})}.items():
            with whole_file(self._part(name, run.run)) as draft:
                table.assign(run=run.run).to_parquet(draft, index=False)
            if name not in self._tables:
                self._tables.append(name)
        with whole_file(self._parts / f"run-{run.run:05}.json") as draft:
            draft.write_text(json.dumps(run.row()), encoding="utf-8")
        self.runs.append(run)

    def tables(self, run: int) -> dict[str, pd.DataFrame]:
        """Return the tables of a run that was added: ``link`` and its own."""
        import pandas as pd

        parts = {name: self._part(name, run) for name in self._tables}
        return {name: pd.read_parquet(part) for name, part in parts.items() if part.exists()}

    def finish(self) -> None:
        """Join the parts into runs.parquet, link.parquet and the other tables."""
        import pandas as pd

        to_frame(self.runs).to_parquet(self.folder / "runs.parquet", index=False)
        for name in self._tables:
            files = [self._part(name, run.run) for run in self.runs]
            parts = [pd.read_parquet(file) for file in files if file.exists()]
            pd.concat(parts, ignore_index=True).to_parquet(self.folder / f"{name}.parquet", index=False)
        shutil.rmtree(self._parts)

    def _part(self, name: str, run: int) -> Path:
        return self._parts / f"{name}-{run:05}.parquet"


@dataclass(frozen=True)
class Experiment:
    """Description of an experiment: its name, the command as typed and its settings."""

    name: str
    command: list[str]
    asked: Mapping[str, Any]


@contextmanager
def create(experiment: Experiment, path: Path) -> Iterator[Writer]:
    """Yield the writer of a new results folder, which is renamed to ``path`` at the end of the experiment.

    Raises
    ------
    InputError
        If ``path`` exists already or cannot be created.
    MmwemuError
        If the disk is full; added runs stay in the in-progress folder, which the message names.
    InterruptedRunError
        On Ctrl-C, SIGTERM or SIGHUP if there are results to keep; the message names the folder.
    """
    with kept_folder(path) as folder:
        writer = Writer(folder)
        started = datetime.now(UTC)
        try:
            yield writer
            writer.finish()
            manifest = {
                "format": FORMAT,
                "name": experiment.name,
                "command": experiment.command,
                "asked": dict(experiment.asked),
                "started": started.isoformat(timespec="seconds"),
                "ended": datetime.now(UTC).isoformat(timespec="seconds"),
                "system": provenance.system(),
                "runs": len(writer.runs),
                "invalid_runs": sum(not run.valid for run in writer.runs),
            }
            with whole_file(folder / "manifest.json") as draft:
                draft.write_text(
                    json.dumps(manifest, indent=2, sort_keys=True, allow_nan=False) + "\n", encoding="utf-8"
                )
        except KeyboardInterrupt as error:
            if not has_content(folder):
                raise
            count = len(writer.runs)
            complete = "1 complete run is" if count == 1 else f"{count} complete runs are"
            kept = complete if count else "the output of the first run is"
            code = interruption.exit_code(error)
            raise InterruptedRunError(f"{interruption.word(error)}; {kept} kept in {folder}", code) from None
        except OSError as error:
            raise MmwemuError(f"{folder}: writing results failed: {error.strerror or error}") from None


def default_path(root: Path, name: str) -> Path:
    """Return the folder for an experiment that starts now: ``<UTC>-<name>`` in ``root``."""
    return root / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{name}"


def load(folder: Path) -> pd.DataFrame:
    """Return the runs of a results folder, finished or interrupted.

    Raises
    ------
    InputError
        If it is not a results folder, or made by a newer mmwemu.
    """
    import pandas as pd

    try:
        if (folder / _PARTS).is_dir():
            kept = sorted((folder / _PARTS).glob("run-*.json"))
            return pd.DataFrame([json.loads(path.read_text(encoding="utf-8")) for path in kept])
        version = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["format"]
        if version > FORMAT:
            raise InputError(str(folder), f"has format {version}; this mmwemu reads up to {FORMAT}")
        runs = pd.read_parquet(folder / "runs.parquet")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(str(folder), f"is not a results folder ({error})") from None
    _check(runs, folder / "runs.parquet")
    return runs


def _check(runs: pd.DataFrame, file: Path) -> None:
    """Refuse runs that lack a column of every run, or whose flags and numbers are none."""
    for field in fields(Run):
        if field.name == "link":  # unfolded
            continue
        if field.name not in runs:
            raise InputError(str(file), f"has no column {field.name}")
        kind, kinds = runs[field.name].dtype.kind, _KINDS.get(str(field.type), "")
        if kinds and kind not in kinds and len(runs):
            problem = f"is a column of {runs[field.name].dtype}; must be one of {field.type}"
            raise InputError(f"{file}: {field.name}", problem)


def load_table(folder: Path, name: str, run: int | None = None) -> pd.DataFrame:
    """Read a table of a finished results folder, such as ``link``: the rows of one run, or of all.

    Raises
    ------
    InputError
        If there is no such table, or it cannot be read.
    """
    import pandas as pd

    file = folder / f"{name}.parquet"
    if not file.is_file():
        there = ", ".join(sorted(path.stem for path in folder.glob("*.parquet")))
        raise InputError(str(file), f"does not exist; tables here: {there or 'none'}")
    filters = None if run is None else [("run", "==", run)]
    try:
        return pd.read_parquet(file, filters=filters)
    except (OSError, ValueError, TypeError) as error:
        raise InputError(str(file), f"cannot be read: {error}") from None


def to_frame(runs: Sequence[Run]) -> pd.DataFrame:
    """Return runs as a table, one row per run; columns that an application lacks are missing in its rows."""
    import pandas as pd

    rows = [run.row() for run in runs]
    columns = dict.fromkeys(name for row in rows for name in row) or [field.name for field in fields(Run)]
    return pd.DataFrame(rows, columns=list(columns))


def unfinished(root: Path) -> list[Path]:
    """Return the results folders in ``root`` that a crash or an interruption left unfinished."""
    return sorted(path for path in root.glob(f"*{IN_PROGRESS}") if path.is_dir() and _has_results(path))


def _has_results(folder: Path) -> bool:
    """Return whether an in-progress folder has results, whole or in parts, or nothing yet."""
    names = {path.name for path in folder.iterdir()}
    return not folder.name.startswith(".") and (not names or bool(names & {_PARTS, "runs.parquet"}))
