"""Results folders; docs/formats/results.md describes the format."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmwemu.core import interruption, provenance
from mmwemu.core.errors import InputError, InterruptedRunError, MmwemuError
from mmwemu.core.files import has_content, kept_folder
from mmwemu.core.temporary import IN_PROGRESS
from mmwemu.results import parts
from mmwemu.results.parts import Parts
from mmwemu.results.records import Run
from mmwemu.results.writer import COLUMNS, MANIFEST, Writer

if TYPE_CHECKING:
    import pandas as pd

FORMAT = 1
# Of numpy, for the columns that counting and averaging need.
_KINDS = {"int": "iu", "bool": "b", "float": "iuf"}


@dataclass(frozen=True)
class Experiment:
    """Description of an experiment: its name, the command as typed, its settings, and when it started."""

    name: str
    command: list[str]
    asked: Mapping[str, Any]
    started: datetime = field(default_factory=lambda: datetime.now(UTC))


@contextmanager
def create(experiment: Experiment, path: Path, *, again: bool = False) -> Iterator[Writer]:
    """Yield the writer of a results folder, which is renamed to ``path`` at the end of the experiment.

    Parameters
    ----------
    experiment
        For the manifest.
    path
        The folder to make.
    again
        Go on with the folder in progress, which has to be there; otherwise a new one is made.

    Raises
    ------
    InputError
        If ``path`` exists already or cannot be created.
    MmwemuError
        If the disk is full; added runs stay in the in-progress folder, which the message names.
    InterruptedRunError
        On Ctrl-C, SIGTERM or SIGHUP if there are results to keep; the message names the folder.
    """
    with kept_folder(path, again=again) as folder:
        writer = Writer(folder)
        try:
            yield writer
            manifest = {
                "format": FORMAT,
                "name": experiment.name,
                "command": experiment.command,
                "asked": dict(experiment.asked),
                "started": experiment.started.isoformat(timespec="seconds"),
                "ended": datetime.now(UTC).isoformat(timespec="seconds"),
                "system": provenance.system(),
                "runs": writer.count,
                "invalid_runs": writer.invalid,
                "rejected_runs": writer.rejected,
            }
            writer.finish(manifest)
        except KeyboardInterrupt as error:
            if not has_content(folder):
                raise
            complete = "1 complete run is" if writer.count == 1 else f"{writer.count} complete runs are"
            kept = complete if writer.count else "the output of the first run is"
            code = interruption.exit_code(error)
            raise InterruptedRunError(f"{interruption.word(error)}; {kept} kept in {folder}", code) from None
        except OSError as error:
            raise MmwemuError(f"{folder}: writing results failed: {error.strerror or error}") from None


def settle(path: Path) -> bool:
    """Rename a results folder to its name if a crash came after its tables and manifest were written.

    Returns
    -------
    Whether that was so; otherwise nothing is changed.

    Raises
    ------
    InputError
        If another process has the folder, or ``path`` exists.
    """
    draft = path.with_name(path.name + IN_PROGRESS)
    if not (draft / MANIFEST).is_file():
        return False
    with kept_folder(path, again=True):
        Parts(draft).remove()
    return True


def default_path(root: Path, name: str) -> Path:
    """Return the folder for an experiment that starts now, which does not exist: ``<UTC>-<name>`` in ``root``.

    Another one of that name in the same second is ``<UTC>-<name>-2``, and so on.
    """
    stem = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{name}"
    for name in itertools.chain([stem], (f"{stem}-{i}" for i in itertools.count(2))):
        if not any(os.path.lexists(root / each) for each in (name, name + IN_PROGRESS)):
            break
    return root / name


def load(folder: Path) -> pd.DataFrame:
    """Return the runs of a results folder, finished or interrupted.

    Raises
    ------
    InputError
        If it is not a results folder, or made by a newer mmwemu.
    """
    import pandas as pd

    try:
        if (folder / parts.FOLDER).is_dir():
            kept = parts.frame(list(Parts(folder).rows()), COLUMNS)
            if len(kept):
                _check(kept, folder / parts.FOLDER)
            return kept
        version = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["format"]
        if version > FORMAT:
            raise InputError(str(folder), f"has format {version}; this mmwemu reads up to {FORMAT}")
        runs = pd.read_parquet(folder / "runs.parquet")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(str(folder), f"is not a results folder ({error})") from None
    later = {one.name: one.default for one in fields(Run) if one.default is not MISSING and one.name not in runs}
    runs = runs.assign(**later)  # columns that an earlier mmwemu did not write
    _check(runs, folder / "runs.parquet")
    return runs


def _check(runs: pd.DataFrame, file: Path) -> None:
    """Refuse runs that lack a column of every run, or whose flags and numbers are none."""
    for one in fields(Run):
        if one.name == "link":  # unfolded
            continue
        if one.name not in runs:
            raise InputError(str(file), f"has no column {one.name}")
        kind, kinds = runs[one.name].dtype.kind, _KINDS.get(str(one.type), "")
        if kinds and kind not in kinds and len(runs):
            problem = f"is a column of {runs[one.name].dtype}; must be one of {one.type}"
            raise InputError(f"{file}: {one.name}", problem)


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
    return parts.frame([run.row() for run in runs], COLUMNS)


def unfinished(root: Path) -> list[Path]:
    """Return the results folders in ``root`` that a crash or an interruption left unfinished."""
    return sorted(path for path in root.glob(f"*{IN_PROGRESS}") if path.is_dir() and _has_results(path))


def _has_results(folder: Path) -> bool:
    """Return whether an in-progress folder has results, whole or in parts, or nothing yet."""
    names = {path.name for path in folder.iterdir()}
    return not folder.name.startswith(".") and (not names or bool(names & {parts.FOLDER, "runs.parquet"}))
