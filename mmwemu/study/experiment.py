"""Applications run over patterns, one at a time or several at once, each run kept as soon as it ends."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mmwemu.apps.application import Application, Go, Outcome, Prepared, Stage
from mmwemu.apps.shared.webserver.server import serve
from mmwemu.core.errors import InputError
from mmwemu.core.progress import OnProgress, Progress, ignore
from mmwemu.link.packets import keeping_packets
from mmwemu.results.records import Run
from mmwemu.results.store import Writer
from mmwemu.study import together
from mmwemu.study.replay import Repetition, ReplayPlan, repetitions, replay
from mmwemu.testbed.opening import open_testbed
from mmwemu.testbed.sandbox import NamespaceTestbed


@dataclass(frozen=True)
class Part:
    """One of the applications that run at once; it starts ``offset_s`` after time 0 of the replay."""

    application: Application[Any]
    offset_s: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.offset_s < float("inf"):
            raise InputError("at", f"is {self.offset_s:g} s; must be finite and 0 or more")


def run_application(
    patterns: Sequence[str | Path],
    plan: ReplayPlan,
    application: Application[Any],
    writer: Writer,
    on_progress: OnProgress = ignore,
) -> list[Any]:
    """Run each case of an application over each pattern (a file or the name of a shipped one).

    Returns
    -------
    One record of the application's kind for each run; all are kept in ``writer``.

    Raises
    ------
    InputError
        If a pattern or what is asked of the application cannot be used.
    MissingError
        If the machine lacks what it takes.
    MmwemuError
        If server, link or disk fail; runs so far are kept. An application that breaks is a run that failed.
    """
    cases = [(case,) for case in application.cases]
    return _run(patterns, plan, [Part(application)], cases, writer, on_progress)


def run_together(
    patterns: Sequence[str | Path],
    plan: ReplayPlan,
    parts: Sequence[Part],
    writer: Writer,
    on_progress: OnProgress = ignore,
) -> list[Run]:
    """Run several applications at once over each pattern, the first case of each.

    Returns
    -------
    One record for each application and replay, of its own kind; those with the same ``replay`` shared the link.

    Raises
    ------
    As `run_application`.
    """
    for part in parts:
        if len(part.application.cases) != 1:
            raise InputError(part.application.name, "has several cases; what runs beside others can have one")
    if all(part.offset_s for part in parts):
        raise InputError("at", "is above 0 for every application; one has to start at 0")
    return _run(patterns, plan, parts, [tuple(part.application.cases[0] for part in parts)], writer, on_progress)


def _run(
    patterns: Sequence[str | Path],
    plan: ReplayPlan,
    parts: Sequence[Part],
    cases: Sequence[tuple[Any, ...]],
    writer: Writer,
    on_progress: OnProgress,
) -> list[Any]:
    todo = repetitions(patterns, plan, cases)
    step = " + ".join(part.application.name for part in parts)
    with ExitStack() as stack:
        ready: list[Prepared[Any]] = []
        for part in parts:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mmwemu-content-"))
            ready.append(part.application.prepare(Path(folder)))
        testbed = stack.enter_context(open_testbed(todo[0].settings, writer.folder, plan.backend, plan.tc_mode))
        served = [prepared.hosts for prepared in ready if prepared.hosts is not None]
        hosts = [host for hosts in served for host in hosts]
        server = stack.enter_context(serve(testbed, hosts)) if served else None
        testbed.set_congestion_control(plan.congestion_control)
        stage = Stage(testbed, plan, server, writer.folder)
        done: list[Run] = []
        for this in todo:
            on_progress(Progress(step, this.number - 1, len(todo)))
            for prepared, case in zip(ready, this.case, strict=True):
                prepared.before(stage, case)
            first = len(done) + 1
            acts = [
                partial(_act, prepared, stage, case, first + i)
                for i, (prepared, case) in enumerate(zip(ready, this.case, strict=True))
            ]
            play = partial(together.play, acts, [part.offset_s for part in parts])
            outcomes, columns, telemetry = replay(testbed, this, play, _recording(testbed, plan, this, writer.folder))
            for name in ("congestion_control", "backend", "tc_mode"):
                columns[name] = getattr(plan, name)
            for i, (part, outcome) in enumerate(zip(parts, outcomes, strict=True)):
                own = {"run": first + i, "application": part.application.name, "offset_s": part.offset_s}
                row: Any = {**columns, **own, **outcome.columns}
                done.append(part.application.record(**row))
                writer.add(done[-1], telemetry, outcome.tables)
        on_progress(Progress(step, len(todo), len(todo)))
    return done


def _recording(
    testbed: NamespaceTestbed, plan: ReplayPlan, run: Repetition[Any], folder: Path
) -> AbstractContextManager[None] | None:
    """Give what keeps the packets of a replay in the results folder, None where nobody asked."""
    if not plan.packets:
        return None
    (folder / "packets").mkdir(exist_ok=True)
    files = [folder / "packets" / f"{run.number:05}.{form}" for form in dict.fromkeys(plan.packets)]
    return keeping_packets(testbed, files, run.settings.delay_s)


def _act(prepared: Prepared[Any], stage: Stage, case: Any, number: int, go: Go) -> Outcome:
    return prepared.run(stage, case, number, go)
