"""Applications run over patterns, one at a time or several at once, each run kept as soon as it ends."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mmwemu.apps.application import Application, Context, Go, Outcome, Prepared
from mmwemu.apps.shared.webserver.server import serve
from mmwemu.core import process
from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.core.progress import OnProgress, Progress, ignore
from mmwemu.core.temporary import temporary_folder
from mmwemu.core.text import digits
from mmwemu.results.records import Run
from mmwemu.results.store import Writer
from mmwemu.study import together
from mmwemu.study.held_up import held_up, room_of
from mmwemu.study.plan import PlannedReplay, ReplayPlan, planned_replays
from mmwemu.study.replaying import Replayed, replay
from mmwemu.study.together import Played
from mmwemu.testbed.place import Place
from mmwemu.testbed.testbed import Testbed, open_testbed


@dataclass(frozen=True)
class Part:
    """One of the applications that run at once; it starts ``offset_s`` after time 0 of the replay."""

    application: Application[Any]
    offset_s: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.offset_s < float("inf"):
            raise InputError("at", f"is {digits(self.offset_s)} s; must be finite and 0 or more")


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
    todo = planned_replays(patterns, plan, cases)
    for planned in todo:
        plan.setup.refuse(planned.settings)
    step = " + ".join(part.application.name for part in parts)
    with ExitStack() as stack:
        ready: list[Prepared[Any]] = []
        for part in parts:
            folder = stack.enter_context(temporary_folder("content"))
            ready.append(part.application.prepare(folder, on_progress))
        testbed = stack.enter_context(open_testbed(plan.setup, writer.folder))
        testbed.start(todo[0].settings)  # a missing kernel feature ends the experiment before a server is started
        served = [prepared.hosts for prepared in ready if prepared.hosts is not None]
        hosts = [host for hosts in served for host in hosts]
        webserver = stack.enter_context(serve(testbed.server, hosts)) if served else None
        at_edge = _start_at_edge(testbed.edge, plan.serve_edge) if testbed.edge and plan.serve_edge else None
        for name in dict.fromkeys(planned.plan.congestion_control for planned in todo):
            testbed.set_congestion_control(name)  # one that is not there ends the experiment before its first run
        done: list[Run] = []
        for this in todo:
            testbed.set_congestion_control(this.plan.congestion_control)
            contexts = [Context(testbed, client, this.plan, webserver, writer.folder) for client in testbed.clients]
            on_progress(Progress(step, this.number - 1, len(todo)))
            if at_edge is not None and at_edge.poll() is not None:
                raise MmwemuError(f"{plan.serve_edge} ended at the edge, with exit code {at_edge.returncode}")
            for prepared, case in zip(ready, this.case, strict=True):
                prepared.before(contexts[0], case)
            runs = _runs_of(this, parts, ready, contexts, first=len(done) + 1)
            acts = [run.act for run in runs]
            play = partial(together.play, acts, [run.part.offset_s for run in runs])
            found = replay(testbed, this, play, _packet_files(plan, this, writer.folder))
            for run, played in zip(runs, found.result, strict=True):
                outcome = played.result
                row: Any = {**found.columns, **_columns(this.plan), **run.columns(), **outcome.columns}
                row |= _cpu_columns(testbed, found, run.client, played)
                done.append(run.part.application.record(**row))
                writer.add(done[-1], found.telemetry, outcome.tables)
        on_progress(Progress(step, len(todo), len(todo)))
    return done


@dataclass(frozen=True)
class _Act:
    """One application on one client in one replay."""

    part: Part
    client: Place
    number: int
    act: Callable[[Go], Outcome]

    def columns(self) -> dict[str, object]:
        """Return the columns of `Run` that only this run has."""
        own: dict[str, object] = {"run": self.number, "client": self.client.number}
        return own | {"application": self.part.application.name, "offset_s": self.part.offset_s}


def _runs_of(
    planned: PlannedReplay[Any],
    parts: Sequence[Part],
    ready: Sequence[Prepared[Any]],
    contexts: Sequence[Context],
    first: int,
) -> list[_Act]:
    """List what runs at once in a replay, numbered from ``first``: all parts on all clients."""
    acts: list[_Act] = []
    for context in contexts:
        for part, prepared, case in zip(parts, ready, planned.case, strict=True):
            number = first + len(acts)
            acts.append(_Act(part, context.client, number, partial(prepared.run, context, case, number)))
    return acts


def _columns(plan: ReplayPlan) -> dict[str, object]:
    """Return the columns of `Run` that are the same for the whole experiment."""
    names = ("congestion_control", "backend", "tc_mode", "clients", "core_rate_bps", "core_loss")
    return {name: getattr(plan, name) for name in names} | {"edge": plan.setup.topology.core is not None}


def _cpu_columns(
    testbed: Testbed, replayed: Replayed[Any], client: Place, played: Played[Outcome]
) -> dict[str, object]:
    """Return the columns of `Run` that tell how the computer held up a run."""
    duration_s = float(str(played.result.columns["duration_s"]))
    shares = room_of(testbed, client, replayed.telemetry, replayed.waits.edges_s)
    measured = held_up(replayed.waits, shares, played.begin_s, duration_s)
    reasons = [reason for reason in (measured.because, played.result.cpu_bound_because) if reason]
    return {
        "waited_s": measured.waited_s,
        "stopped_s": measured.stopped_s,
        "held_up_s": measured.held_up_s,
        "cpu_bound": bool(reasons),
        "cpu_bound_because": "; ".join(reasons),
    }


def _packet_files(plan: ReplayPlan, planned: PlannedReplay[Any], folder: Path) -> list[Path]:
    """Return the files in the results folder for the packets of a replay, none where nobody asked."""
    if plan.packets:
        (folder / "packets").mkdir(exist_ok=True)
    return [folder / "packets" / f"{planned.number:05}.{form}" for form in dict.fromkeys(plan.packets)]


def _start_at_edge(edge: Place, command: str) -> subprocess.Popen[bytes]:
    """Start a program that ends with the testbed."""
    return edge.popen(process.split(command, "serve-edge"), stdin=subprocess.DEVNULL)
