"""Applications run over patterns, one at a time or several at once, each run kept as soon as it ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from mmwemu.apps.application import Application, Context, Go, Outcome
from mmwemu.core.progress import OnProgress, Progress, ignore
from mmwemu.probe.pacing import paced
from mmwemu.probe.tcp_used import TcpUsed, differences, watching_used
from mmwemu.results.records import Run
from mmwemu.results.writer import Writer
from mmwemu.study import together
from mmwemu.study.estimate import Forecast
from mmwemu.study.held_up import held_up, room_of
from mmwemu.study.plan import ReplayPlan
from mmwemu.study.planned import Part, PlannedExperiment, PlannedReplay, check_together, planned_replays
from mmwemu.study.replaying import Replayed, replay
from mmwemu.study.rooms import Room, open_rooms
from mmwemu.study.together import Played
from mmwemu.testbed.place import Place
from mmwemu.testbed.tcp import TcpChoices
from mmwemu.testbed.testbed import Testbed

if TYPE_CHECKING:
    import pandas as pd


class Steering(Protocol):
    """Decides, by the runs so far, which of the planned replays are run."""

    def wants(self, this: PlannedReplay) -> bool:
        """Return whether a replay, which is next, is to be run."""

    def note(self, this: PlannedReplay, runs: Sequence[Run]) -> None:
        """Take the runs of a replay into account, which are kept."""


def run_application(
    patterns: Sequence[str | Path],
    plan: ReplayPlan,
    application: Application[Any],
    writer: Writer,
    on_progress: OnProgress = ignore,
    retries: int = 0,
) -> list[Any]:
    """Run each case of an application over each pattern (a file or the name of a shipped one).

    ``retries`` is as for `run_replays`.

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
    return _run_one(PlannedExperiment((Part(application),), tuple(patterns), plan), writer, on_progress, retries)


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
    check_together(parts)
    return _run_one(PlannedExperiment(tuple(parts), tuple(patterns), plan), writer, on_progress)


def _run_one(experiment: PlannedExperiment, writer: Writer, on_progress: OnProgress, retries: int = 0) -> list[Run]:
    todo = planned_replays([experiment])
    return run_replays(todo, writer, step=experiment.title, retries=retries, on_progress=on_progress)


def run_replays(
    todo: Sequence[PlannedReplay],
    writer: Writer,
    *,
    step: str,
    retries: int = 0,
    steering: Steering | None = None,
    on_progress: OnProgress = ignore,
) -> list[Run]:
    """Run replays in their order.

    Parameters
    ----------
    todo
        Of one experiment or of several.
    writer
        Keeps each run as soon as it ends.
    step
        Name of this work in its progress.
    retries
        How often a replay whose link was not valid is repeated. The last time counts, valid or not; the others are kept
        as rejected.
    steering
        Decides before each replay whether it is run; None: all are.
    on_progress
        Called with the progress.

    Returns
    -------
    One record for each run.

    Raises
    ------
    As `run_application`.
    """
    forecast = Forecast(todo)
    rejected = writer.attempts()
    done: list[Run] = []
    with ExitStack() as stack:
        rooms = open_rooms(todo, stack, writer.folder, on_progress)
        for i, this in enumerate(todo):
            if steering is not None and not steering.wants(this):
                continue
            on_progress(Progress(step, i, len(todo), forecast.left_s))
            room = rooms[this.experiment_number]
            for attempt in range(1 + min(rejected.get(this.first_run, 0), retries), retries + 2):
                begin_s = time.monotonic()
                room.check_edge()
                found = _replay_once(this, room, writer.folder)
                if attempt > retries or all(run.valid for run, _, _ in found):
                    break
                for run, _, _ in found:
                    writer.reject(run, attempt)
            for run, replayed, outcome in found:
                done.append(run)
                writer.add(run, replayed.telemetry, {**outcome.tables, **_cell_table(replayed, run)})
            forecast.note(this, time.monotonic() - begin_s)
            if steering is not None:
                steering.note(this, [run for run, _, _ in found])
        on_progress(Progress(step, len(todo), len(todo), 0.0))
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


def _replay_once(this: PlannedReplay, room: Room, folder: Path) -> list[tuple[Any, Replayed[Any], Outcome]]:
    """Return the record of each run of a replay, with what came of the replay and of the run."""
    testbed = room.testbed
    testbed.set_congestion_control(this.plan.congestion_control)
    testbed.set_windows(this.tcp)
    contexts = [Context(testbed, client, this.plan, room.webserver, folder, this.tcp) for client in testbed.clients]
    for prepared, case in zip(room.ready, this.case, strict=True):
        prepared.before(contexts[0], case)
    acts = _acts(this, room, contexts)
    play = partial(together.play, [one.act for one in acts], [one.part.offset_s for one in acts])
    with paced(testbed.server, this.tcp.pacing_bps), watching_used(testbed, this.tcp) as watch:
        replayed = replay(testbed, this, play, _packet_files(this, folder))
        used = {one.client.number: watch.used_by(one.client) for one in acts}
        problem = testbed.proxy_problem()
    found = []
    for one, played in zip(acts, replayed.result, strict=True):
        row: Any = {**replayed.columns, **_columns(this), **one.columns(), **played.result.columns}
        row |= _tcp_columns(this.tcp, used[one.client.number], row)
        row |= _cpu_columns(testbed, replayed, one.client, played)
        row |= {"status": "failed", "error": problem} if problem else {}
        found.append((one.part.application.record(**row), replayed, played.result))
    return found


def _acts(this: PlannedReplay, room: Room, contexts: Sequence[Context]) -> list[_Act]:
    """List what runs at once in a replay: all parts on all clients."""
    acts: list[_Act] = []
    for context in contexts:
        for part, prepared, case in zip(this.experiment.parts, room.ready, this.case, strict=True):
            number = this.runs[len(acts)]
            acts.append(_Act(part, context.client, number, partial(prepared.run, context, case, number)))
    return acts


def _columns(this: PlannedReplay) -> dict[str, object]:
    """Return the columns of `Run` that are the same for the whole experiment."""
    plan = this.plan
    names = ("congestion_control", "backend", "tc_mode", "clients", "core_rate_bps", "core_loss", "access_delay_s")
    own: dict[str, object] = {"experiment": this.experiment_number, "edge": plan.setup.topology.core is not None}
    own |= {"edge_proxy": plan.edge_proxy or "", "edge_congestion_control": plan.edge_congestion_control or ""}
    return {name: getattr(plan, name) for name in names} | own


def _tcp_columns(choices: TcpChoices, used: TcpUsed, row: Mapping[str, Any]) -> dict[str, object]:
    """Return the columns of `Run` that tell the sender's choices, and whether the run is valid with what was used."""
    reasons = [reason for reason in (row["invalid_because"], *differences(choices, used)) if reason]
    valid = {"valid": not reasons, "invalid_because": "; ".join(reasons)}
    return {**vars(choices), **used.columns(), **valid}


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


def _cell_table(replayed: Replayed[Any], run: Run) -> dict[str, pd.DataFrame]:
    """Return what the cell gave to the client of a run; nothing without a cell."""
    if not len(replayed.cell):
        return {}
    return {"cell": replayed.cell[replayed.cell["client"] == run.client].drop(columns="client")}


def _packet_files(this: PlannedReplay, folder: Path) -> list[Path]:
    """Return the files in the results folder for the packets of a replay, none where nobody asked."""
    if this.plan.packets:
        (folder / "packets").mkdir(exist_ok=True)
    return [folder / "packets" / f"{this.number:05}.{form}" for form in dict.fromkeys(this.plan.packets)]
