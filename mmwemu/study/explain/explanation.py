"""The explanation of a run: the time from its beginning to its end, divided among causes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mmwemu.apps import registry
from mmwemu.apps.explained import Explained
from mmwemu.core.errors import InputError
from mmwemu.results.collection import Finished
from mmwemu.study.explain import recording
from mmwemu.study.explain.causes import CAUSES, Cause, Interval
from mmwemu.study.explain.outages import outages
from mmwemu.study.explain.recording import Recording
from mmwemu.study.explain.segments import Segments, segments
from mmwemu.study.explain.walk import Walker, Way

if TYPE_CHECKING:
    import pandas as pd

_OFF_MOST_S = 0.002  # clocks of the application and of the link agree within this
_TLS_PORT = 443


@dataclass(frozen=True)
class Explanation:
    """Where the time of a run went.

    Attributes
    ----------
    run
        Its row of runs.parquet.
    intervals
        The run from its beginning to its end, s since the start of the link, without gaps.
    queueing_s
        Time that the run's packets spent in the downlink's queue, the median and the 99 % quantile, s; NaN of none.
    lost_packets, repeated_packets
        Packets of the run that did not arrive, and that were sent again, in both directions.
    telemetry
        Of the access link.
    """

    run: Mapping[str, Any]
    intervals: Sequence[Interval]
    queueing_s: tuple[float, float]
    lost_packets: int
    repeated_packets: int
    telemetry: pd.DataFrame

    @property
    def length_s(self) -> float:
        """Time from the beginning of the run to its end, s."""
        return self.intervals[-1].end_s - self.intervals[0].begin_s

    @property
    def parts_s(self) -> dict[Cause, float]:
        """The time of each cause, s; their sum is `length_s`."""
        return {cause: float(sum(each.length_s for each in self.intervals if each.cause == cause)) for cause in CAUSES}

    def to_json(self) -> dict[str, Any]:
        """Return all of it but the telemetry as plain values."""
        shown = ("run", "application", "pattern", "start_at_s", "congestion_control", "status", "valid", "cpu_bound")
        return {
            **{name: self.run[name] for name in shown},
            "length_s": self.length_s,
            "parts_s": self.parts_s,
            "queueing_median_s": self.queueing_s[0],
            "queueing_p99_s": self.queueing_s[1],
            "lost_packets": self.lost_packets,
            "repeated_packets": self.repeated_packets,
            "time_line": [
                {"begin_s": each.begin_s, "end_s": each.end_s, "cause": each.cause} for each in self.intervals
            ],
        }


def explained_of(run: Mapping[str, Any]) -> Explained:
    """Return how runs of an application are explained.

    Raises
    ------
    InputError
        If its application does not say.
    """
    name = str(run["application"])
    found = registry.load(name).explained if name in registry.names() else None
    if found is None:
        able = ", ".join(each for each in registry.names() if _can(each))
        raise InputError(f"run {run['run']}: application {name}", f"cannot be explained; these can: {able}")
    return found()


def _can(name: str) -> bool:
    try:
        return registry.load(name).explained is not None
    except InputError:
        return False


def explain(folder: Finished, number: int) -> Explanation:
    """Explain a run of a results folder.

    Raises
    ------
    InputError
        If there is no such run, or the folder lacks what explains it; the message says which option records it.
    """
    run = recording.run_of(folder, number)
    application = explained_of(run)
    recorded = recording.read(folder, number)
    try:
        return of(recorded, application)
    except (KeyError, TypeError, ValueError) as error:
        problem = f"has no run {number} that can be read ({type(error).__name__}: {error}); was it edited?"
        raise InputError(str(folder.path), problem) from None


def of(recorded: Recording, application: Explained) -> Explanation:
    """Explain what was recorded of a run.

    Raises
    ------
    InputError
        If its packets are not those of the run.
    """
    run, client = recorded.run, int(recorded.run["client"])
    ways = {
        name: Way(
            segments(recorded.packets, name, client),
            outages(recorded.telemetry[recorded.telemetry["direction"] == name]),
        )
        for name in ("downlink", "uplink")
    }
    down, up = ways["downlink"].segments, ways["uplink"].segments
    first_s, handshake_s = _opening(down, up)
    extent = application.extent(run, handshake_s)
    begin_s = first_s - extent.lead_s
    end_s = begin_s + extent.length_s
    unfinished = run["status"] != "ok"
    came = np.flatnonzero(down.own & down.payload & ~down.useless & (down.delivery_s <= end_s + _OFF_MOST_S))
    ports = recorded.packets["server_port"].dropna()
    limit = run["pacing_bps"]
    paced = str(run["congestion_control"]).startswith("bbr") or (limit is not None and limit == limit)
    walker = Walker(
        ways["downlink"], ways["uplink"], paced=paced, tls=bool((ports == _TLS_PORT).any()),
    )  # fmt: skip
    last = int(came[np.argmax(down.delivery_s[came])]) if len(came) else None
    if last is not None:  # the clock of the application may be a little ahead
        off_s = max(0.0, float(down.delivery_s[last]) - end_s)
        begin_s, end_s = begin_s + min(off_s, first_s - begin_s), end_s + off_s
    if end_s <= first_s or (last is None and not unfinished):
        raise InputError("packets", f"do not belong to the run: it ended {end_s:.3f} s after the link's start")
    walked = walker.walk(last, end_s, unfinished=unfinished, begin_s=begin_s)
    delays = recorded.packets.loc[
        (recorded.packets["direction"] == "downlink") & (recorded.packets["client"] == client), "queueing_delay_s"
    ].dropna()
    median_s, p99_s = np.quantile(delays, [0.5, 0.99]) if len(delays) else (np.nan, np.nan)
    return Explanation(
        run, walked, (float(median_s), float(p99_s)),
        lost_packets=int(sum((one.own & one.lost).sum() for one in (down, up))),
        repeated_packets=int(sum((one.own & one.again).sum() for one in (down, up))),
        telemetry=recorded.telemetry,
    )  # fmt: skip


def _opening(down: Segments, up: Segments) -> tuple[float, float]:
    """Return when the first connection was asked for, and the time until the answer, s."""
    asked = np.flatnonzero(up.own & up.syn)
    if not len(asked):
        raise InputError("packets", "hold no opening of a connection by the client; the recording is not of this run")
    first = int(asked[0])
    answers = np.flatnonzero(down.own & down.syn & (down.port == up.port[first]) & ~down.lost)
    first_s = float(up.sent_s[first])
    return first_s, float(down.delivery_s[answers[0]]) - first_s if len(answers) else 0.0
