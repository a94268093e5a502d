"""A study from its first replay to its results folder, whatever cuts it off in between."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from mmwemu.core import leftovers
from mmwemu.core.errors import InputError, InterruptedRunError, MmwemuError
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.core.temporary import IN_PROGRESS
from mmwemu.results import parts, store
from mmwemu.results.store import Writer
from mmwemu.study import record as records
from mmwemu.study.experiment import run_replays
from mmwemu.study.lock import study_lock
from mmwemu.study.planned import PlannedReplay
from mmwemu.study.record import StudyRecord
from mmwemu.study.studies import Share, Study


class StudyError(MmwemuError):
    """A study did not come to its end; the message says why, and how to go on."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def run_study(
    study: Study,
    folder: Path | None = None,
    command: Sequence[str] = (),
    *,
    share: Share | None = None,
    base: Path | None = None,
    on_progress: OnProgress = ignore,
) -> Path:
    """Run a study, or a share of it, and return its results folder.

    Parameters
    ----------
    study
        What to run.
    folder
        Results folder to make; None for ``results/<UTC>-<name>``.
    command
        For the manifest: the command line.
    share
        The part to run here; None for all.
    base
        The folder to which paths in the study are relative; None for the current one.
    on_progress
        Called with the progress, which has the remaining time.

    Raises
    ------
    InputError
        If a pattern or what is asked of an application cannot be used, or the folder exists.
    MissingError
        If the machine lacks what it takes.
    MmwemuError
        If another study runs here, or server, link or disk fail; the runs so far are kept.
    InterruptedRunError
        After a signal; the runs so far are kept.
    """
    path = folder or store.default_path(Path("results"), study.name)
    begun = records.record_of(study, share or Share(), command, datetime.now(UTC), base or Path())
    return _run(study, begun, path, False, on_progress)


def resume_study(study: Study, folder: Path, on_progress: OnProgress = ignore) -> Path:
    """Go on with a study that was cut off; replays whose runs are all kept are not repeated, others are, as a whole.

    Parameters
    ----------
    study
        The study that began.
    folder
        Its results folder, in progress.
    on_progress
        Called with the progress.

    Raises
    ------
    InputError
        If the folder is none to go on with, or study or patterns have changed since.
    As `run_study`.
    """
    begun = records.read(folder)
    records.check_same(begun, study, folder)
    return _run(study, begun, finished_name(folder), True, on_progress)


def finished_name(folder: Path) -> Path:
    """Return the name that a results folder in progress gets in the end.

    Raises
    ------
    InputError
        If it is not in progress.
    """
    if not folder.is_dir():
        raise InputError(str(folder), "is not a folder")
    if not folder.name.endswith(IN_PROGRESS):
        raise InputError(str(folder), "is not in progress; there is nothing to go on with")
    return folder.with_name(folder.name.removesuffix(IN_PROGRESS))


def _run(study: Study, begun: StudyRecord, path: Path, again: bool, on_progress: OnProgress) -> Path:
    replays = study.replays_of(begun.share)
    draft = path.with_name(path.name + IN_PROGRESS)
    experiment = store.Experiment(
        study.name, list(begun.command), {**study.asked(), "share": str(begun.share)}, begun.started
    )
    with study_lock(path):
        if again and store.settle(path):
            return path
        try:
            with store.create(experiment, path, again=again) as writer:
                try:
                    if not again:
                        records.write(begun, study.text, writer.folder)
                    todo = _left(replays, writer)
                    run_replays(todo, writer, step=study.name, retries=study.retries, on_progress=on_progress)
                except BaseException:
                    if not again and not writer.count and not writer.rejected:
                        for name in (records.NAME, records.TEXT):  # a study that could not begin leaves nothing
                            with suppress(OSError):
                                (writer.folder / name).unlink()
                    raise
        except InterruptedRunError as error:
            raise InterruptedRunError(f"{error}{_hint(draft)}", error.exit_code) from None
        except MmwemuError as error:
            if not draft.is_dir():
                raise
            raise StudyError(f"{error}{_hint(draft)}", error.exit_code) from None
    return path


def _left(replays: Sequence[PlannedReplay], writer: Writer) -> list[PlannedReplay]:
    """Return the replays that are not done, and remove what those that were cut off have left."""
    list(leftovers.remove(leftovers.find([writer.folder, writer.folder / parts.FOLDER])))
    kept = set(writer.kept())
    done = {this.number for this in replays if kept.issuperset(this.runs)}
    writer.keep_only({run for this in replays if this.number in done for run in this.runs})
    return [this for this in replays if this.number not in done]


def _hint(draft: Path) -> str:
    return f"; mmwemu study resume {draft} goes on" if (draft / records.NAME).is_file() else ""
