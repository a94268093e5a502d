"""Films played over one or several patterns, repeated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmwemu.apps.server import serve
from mmwemu.apps.stream.film import Film, make_film
from mmwemu.apps.stream.ladder import LADDERS
from mmwemu.apps.stream.measures import find_stalls, summary, timeline
from mmwemu.apps.stream.play import Abr, Player, Showing, play
from mmwemu.apps.stream.result import Play
from mmwemu.apps.stream.source import find_source
from mmwemu.apps.web.modules import Tools, find_tools
from mmwemu.core.errors import InputError
from mmwemu.core.progress import OnProgress, Progress, ignore
from mmwemu.emulate.link import LinkSettings, Testbed
from mmwemu.emulate.tun import open_testbed
from mmwemu.pattern.convert import constant
from mmwemu.results.records import StreamRun
from mmwemu.results.store import Writer
from mmwemu.study.replay import ReplayPlan, repetitions, replay

if TYPE_CHECKING:
    import pandas as pd

_CONTROL_S = 10.0
_LONGEST_S = 600.0
_FOLDER = "film"
# What a computer that keeps up stays below.
_CPU_STALLED, _FRAMES_DROPPED = 0.02, 0.1


@dataclass(frozen=True)
class StreamPlan(ReplayPlan):
    """What to play.

    Attributes
    ----------
    ladder
        A name of `mmwemu.apps.stream.ladder.LADDERS`.
    film
        ``bunny``, ``synthetic``, a file, or None: the first that is there.
    player, abr
        As in `mmwemu.apps.stream.play.Showing`; how long it is played is ``limit_s``.
    keep
        Keep each player's own record, and the browser's last picture, in the results folder.
    """

    ladder: str = "1080p"
    film: str | None = None
    player: Player = "browser"
    abr: Abr = "dynamic"
    keep: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ladder not in LADDERS:
            raise InputError("ladder", f"is {self.ladder!r}; must be one of {', '.join(LADDERS)}")
        if self.limit_s > _LONGEST_S:
            raise InputError("duration", f"is {self.limit_s:g} s; must be at most {_LONGEST_S:g} s")
        if not LADDERS[self.ladder].encoded:
            if self.player == "browser":
                raise InputError("ladder", f"{self.ladder} has sizes and no pixels; it needs the headless player")
            if self.film is not None:
                raise InputError("film", f"cannot be had in the ladder {self.ladder}, which has sizes and no pixels")


def run_streams(
    patterns: Sequence[str | Path], plan: StreamPlan, writer: Writer, on_progress: OnProgress = ignore
) -> list[StreamRun]:
    """Run a plan over each pattern (a file or the name of a shipped one) and keep every run in ``writer``.

    Each run has the tables ``buffer`` (samples of the player), ``segments`` and ``stalls``.

    Raises
    ------
    InputError
        If a pattern or the film cannot be used.
    MissingError
        If the machine lacks what it takes.
    MmwemuError
        If encoding, server or disk fail; runs so far are kept. A player that breaks is a run that failed.
    """
    todo = repetitions(patterns, plan, [plan.ladder])
    tools = find_tools() if plan.player == "browser" else None
    film = _film(plan, on_progress)
    showing = Showing(plan.player, plan.abr, plan.limit_s)
    done: list[StreamRun] = []
    with open_testbed(todo[0].settings, writer.folder) as testbed, serve(testbed) as server:
        (server.content / _FOLDER).symlink_to(film.folder)
        testbed.set_congestion_control(plan.congestion_control)
        on_progress(Progress("stream", 0, len(todo)))
        control = play_control(testbed, tools, showing, plan.delay_s)
        for run in todo:
            kept = writer.folder / "streams" / f"{run.number:05}" if plan.keep else None
            outcome, columns, telemetry = replay(testbed, run, partial(play, testbed, tools, showing, _FOLDER, kept))
            done.append(_row(plan, film, outcome, control, columns))
            writer.add(done[-1], telemetry, _tables(outcome))
            on_progress(Progress("stream", run.number, len(todo)))
    return done


def play_control(testbed: Testbed, tools: Tools | None, showing: Showing, delay_s: float) -> Play:
    """Play the first seconds over a link with the same delay and no limit of its rate: what this computer can do."""
    testbed.start(LinkSettings(constant(math.inf, 1.0), delay_s=delay_s, start="now"))
    return play(testbed, tools, replace(showing, duration_s=min(_CONTROL_S, showing.duration_s)), _FOLDER)


def is_cpu_bound(run: dict[str, Any]) -> bool:
    """Say whether the computer did not keep up: it stalled for 2 % of the time, or dropped 10 % of the frames."""
    dropped = run["dropped_frames"] > _FRAMES_DROPPED * run["frames"] if run["frames"] else False
    return bool(dropped or run["cpu_stall_s"] > _CPU_STALLED * run["duration_s"])


def _film(plan: StreamPlan, on_progress: OnProgress) -> Film:
    ladder = LADDERS[plan.ladder]
    source = find_source(plan.film if ladder.encoded else "synthetic")
    return make_film(source, ladder, plan.limit_s, on_progress)


def _tables(outcome: Play) -> dict[str, pd.DataFrame]:
    import pandas as pd

    columns = {"start_s": float, "duration_s": float, "position_s": float, "cause": object}
    stalls = pd.DataFrame([asdict(stall) for stall in find_stalls(outcome)], columns=list(columns)).astype(columns)
    return {"buffer": timeline(outcome), "segments": outcome.segments, "stalls": stalls}


def _row(plan: StreamPlan, film: Film, outcome: Play, control: Play, columns: dict[str, object]) -> StreamRun:
    row: dict[str, Any] = {
        "application": "stream",
        "film": film.name,
        "ladder": plan.ladder,
        "player": plan.player,
        "abr": plan.abr,
        "software": outcome.player,
        "top_bps": float(film.ladder.video[-1].rate_bps),
        "congestion_control": plan.congestion_control,
        "limit_s": plan.limit_s,
        "status": outcome.status,
        "error": outcome.error,
        "duration_s": outcome.duration_s,
        "browser_cpu_s": outcome.browser_cpu_s,
        "machine_load": outcome.machine_load,
        "control_startup_s": control.startup_s,
        "control_cpu_stall_s": summary(control)["cpu_stall_s"],
        **columns,
        **summary(outcome),
    }
    return StreamRun(**row, cpu_bound=is_cpu_bound(row))
