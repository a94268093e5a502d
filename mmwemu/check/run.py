"""A check from its first replay to its report, whatever cuts it off in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from mmwemu.check import baseline as baselines
from mmwemu.check import machine
from mmwemu.check.baseline import Baseline
from mmwemu.check.judging import Line, candidates, overall
from mmwemu.check.report import Report
from mmwemu.check.request import Request, identity, with_repetitions
from mmwemu.check.samples import Group, Samples, groups_of
from mmwemu.check.steering import Steering
from mmwemu.check.turns import Turn, most_repetitions, turns
from mmwemu.core import interruption, provenance
from mmwemu.core.errors import InputError, InterruptedRunError, MmwemuError
from mmwemu.core.files import whole_file
from mmwemu.core.progress import OnProgress, Progress, ignore
from mmwemu.core.temporary import IN_PROGRESS
from mmwemu.report.sequential import LOOKS
from mmwemu.results import store
from mmwemu.study.estimate import OVERHEAD_S
from mmwemu.study.experiment import run_replays
from mmwemu.study.lock import study_lock

_OF_BASELINE = 20
"""Repetitions of a baseline where nobody says how many."""


def run_check(request: Request, folder: Path, command: Sequence[str] = (), on_progress: OnProgress = ignore) -> Report:
    """Run a check and return its report, also if a signal or an error ends it after its first run.

    Parameters
    ----------
    request
        What is asked.
    folder
        Results folder to make.
    command
        For the manifest: the command line.
    on_progress
        Called with the time taken, of the budget.

    Raises
    ------
    InputError
        If a pattern, a threshold, the baseline or what is asked of an application cannot be used.
    MissingError
        If the machine lacks what it takes.
    MmwemuError
        If another study runs here.
    """
    stored = None
    if request.baseline is not None and not request.update:
        stored = baselines.read(request.baseline)
        _check_same(stored, request)
    planned = _planned(request)
    first = [turn for turn in planned if turn.version == "head" and turn.replay.repetition == 1]
    groups = [group for turn in first for group in groups_of(turn)]
    pairs = [] if request.update else candidates(request.thresholds, groups)
    cpu_s = machine.processor_s() if request.baseline is not None else 0.0
    allowance = _allowance(stored, cpu_s) if stored is not None else lambda _: 0.0
    known = stored.of(groups) if stored is not None else None
    steering = Steering(planned, pairs, request.budget_s, known, allowance)
    ended = _run(request, steering, folder, command, on_progress)
    report = _report(request, steering, ended)
    if stored is not None:
        report = replace(report, notes=[*_notes(stored, steering.samples, cpu_s), *report.notes])
    if request.update and not ended.exit_code:
        report = _update(request, report, steering.samples, cpu_s)
    return report


@dataclass(frozen=True)
class _Ended:
    """How the runs ended: why they were cut off, with which exit code, and where they are kept."""

    reason: str = ""
    exit_code: int = 0
    folder: Path | None = None


def _planned(request: Request) -> list[Turn]:
    study, both = request.study, 1 if request.base is None else 2
    fit = most_repetitions(study.experiments, request.budget_s / both, OVERHEAD_S)
    if request.update:
        fit = min(fit, _OF_BASELINE)
    most = [min(n or fit, LOOKS[-1]) for n in request.most]
    base = with_repetitions(request.base, most).experiments if request.base is not None else ()
    needs_reference = request.update or (
        request.baseline is not None and any(one.relation for one in request.thresholds)
    )
    reference = machine.reference(study.experiments[0]) if needs_reference else None
    return turns(with_repetitions(study, most).experiments, base, reference, study.seed)


def _run(request: Request, steering: Steering, folder: Path, command: Sequence[str], on_progress: OnProgress) -> _Ended:
    """Run until all is decided; what a signal or an error cuts off is told, not raised, once there are runs."""
    study, name = request.study, f"check {request.study.name}"
    draft = folder.with_name(folder.name + IN_PROGRESS)

    def tell(event: Progress) -> None:
        if event.step == name:
            spent = min(steering.elapsed_s, request.budget_s)
            event = Progress(name, spent, request.budget_s, request.budget_s - spent)
        on_progress(event)

    asked = {**study.asked(), "expect": [one.text for one in request.thresholds], "budget_s": request.budget_s}
    try:
        with study_lock(folder), store.create(store.Experiment(study.name, list(command), asked), folder) as writer:
            replays = [turn.replay for turn in steering.turns]
            run_replays(replays, writer, step=name, retries=study.retries, steering=steering, on_progress=tell)
            if study.text:
                with whole_file(writer.folder / "study.toml") as file:
                    file.write_text(study.text, encoding="utf-8")
    except (MmwemuError, KeyboardInterrupt) as error:
        if isinstance(error, MmwemuError) and not isinstance(error, InterruptedRunError):
            if not steering.samples.counts["runs"]:
                raise
            kept = f"; the runs so far are kept in {draft}" if draft.is_dir() else ""
            return _Ended(f"{error}{kept}", error.exit_code, draft if kept else None)
        if isinstance(error, InterruptedRunError):
            return _Ended(str(error), error.exit_code, draft)
        assert isinstance(error, KeyboardInterrupt)
        return _Ended(f"{interruption.word(error)} before the first run had ended", interruption.exit_code(error))
    return _Ended(folder=folder)


def _report(request: Request, steering: Steering, ended: _Ended) -> Report:
    samples, lines = steering.samples, list[Line]()
    if samples.counts["runs"] and not request.update:
        try:
            lines = steering.lines()
        except InputError:  # it has ended the check, and is its reason
            if not ended.exit_code:
                raise
    verdict = overall(lines)
    if samples.failed and not ended.exit_code:
        verdict = "fail" if "head" in samples.failed else "inconclusive"
    if ended.exit_code and verdict == "pass":
        verdict = "inconclusive"
    counts = samples.counts
    reason = ended.reason or steering.ended or _exhausted(lines, request, steering)
    notes = [f"{counts[name]} of {counts['runs']} runs {what}" for name, what in _COUNTS if counts[name]]
    return Report(request.study.name, verdict, reason, lines, notes, **counts, elapsed_s=steering.elapsed_s,
                  budget_s=request.budget_s, folder=ended.folder, exit_code=ended.exit_code)  # fmt: skip


_COUNTS = (
    ("invalid", "had a link that was not valid, and do not count"),
    ("cpu_bound", "were CPU-bound: the computer, not the link, decided"),
)


def _exhausted(lines: Sequence[Line], request: Request, steering: Steering) -> str:
    """Return why the last repetition was the last."""
    if lines and all(line.verdict != "inconclusive" for line in lines):
        return "all is decided"
    if steering.is_spent:
        return f"the budget of {request.budget_s:g} s is spent"
    return "all repetitions are run"


def _check_same(stored: Baseline, request: Request) -> None:
    """Refuse a baseline of another study."""
    if stored.head.study_sha256 != identity(request.study):
        what = f"is of another plan ({stored.head.study}, mmwemu {stored.head.mmwemu})"
        problem = f"{what}: study file, patterns or mmwemu have changed; make it anew by mmwemu check --update"
        raise InputError(str(request.baseline), problem)


def _allowance(stored: Baseline, cpu_s: float) -> Callable[[Samples], float]:
    return lambda samples: _difference(stored, samples, cpu_s).allowance


def _difference(stored: Baseline, samples: Samples, cpu_s: float) -> machine.Difference:
    now = _reference(samples)
    both = sorted(now.keys() & stored.reference.keys())
    return machine.difference(
        [now[i] for i in both], [stored.reference[i] for i in both], cpu_s, stored.head.processor_s
    )


def _reference(samples: Samples) -> dict[int, float]:
    """Return what the reference downloads measured, by repetition."""
    found = samples.values["reference"].values()
    return {i: row[machine.METRIC] for values in found for i, row in values.items() if machine.METRIC in row}


def _notes(stored: Baseline, samples: Samples, cpu_s: float) -> list[str]:
    notes = [f"baseline of {stored.head.made}, {stored.repetitions} repetitions, mmwemu {stored.head.mmwemu}"]
    if stored.head.mmwemu != provenance.version():
        notes.append(f"this is mmwemu {provenance.version()}; what differs may be its doing")
    if stored.head.machine != (here := machine.description()):
        notes.append(f"the baseline is of another machine: {stored.head.machine}; this is {here}")
    if _reference(samples):
        notes.append(f"limits are widened on each side, since {_difference(stored, samples, cpu_s)}")
    return notes


def _update(request: Request, report: Report, samples: Samples, cpu_s: float) -> Report:
    """Write the baseline, if all of it could be measured."""
    assert request.baseline is not None
    counts = [len(values) for values in samples.values["head"].values()]
    if samples.failed:
        return replace(report, verdict="fail")
    if not counts or min(counts) < LOOKS[0] or len(_reference(samples)) < LOOKS[0]:
        reason = (
            f"{report.reason}; a baseline takes {LOOKS[0]} valid repetitions, and some have {min(counts, default=0)}"
        )
        return replace(report, verdict="inconclusive", reason=reason)
    head = baselines.Head(
        request.study.name, identity(request.study), provenance.version(), machine.description(),
        datetime.now(UTC).isoformat(timespec="seconds"), cpu_s,
    )  # fmt: skip
    values = {_name(group): found for group, found in samples.values["head"].items()}
    baselines.write(Baseline(head, values, _reference(samples)), request.baseline)
    return replace(report, verdict="pass", reason=f"{request.baseline} has {min(counts)} repetitions")


def _name(group: Group) -> tuple[str, int]:
    return group.label, group.part
