"""Quality measures of a playback: pure functions over its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from mmwemu.apps.stream.result import Play

if TYPE_CHECKING:
    import pandas as pd

Cause = Literal["network", "cpu"]
Floats = NDArray[np.float64]

# A film that advances by less than this share of the time stands still; shorter stalls than this are ignored.
_STANDING = 0.5
_STALL_LEAST_S = 0.2
# A stall with less than this buffered is caused by the network.
_BUFFERED_S = 0.5
# Greatest share of time behind, and most dropped frames per played second, of a machine that keeps up.
_CPU_BEHIND, _CPU_LATE = 0.02, 2.5
_RESUME_S = 1.0
# Weights of Yin et al. 2015, section 7.1: one second without picture costs as much as 3 Mbit/s gain.
_QOE_STALL_BPS = 3e6
_QOE_STARTUP_BPS = 3e6
_QOE_SWITCH = 1.0


@dataclass(frozen=True)
class Stall:
    """An interval after the start in which the film stood still.

    Attributes
    ----------
    start_s, duration_s
        Start since the player got the film, and length.
    position_s
        Position in the film.
    cause
        ``network``: the buffer was empty; ``cpu``: it was not, but the machine did not show the film.
    """

    start_s: float
    duration_s: float
    position_s: float
    cause: Cause


def find_stalls(play: Play) -> list[Stall]:
    """Return the stalls of a playback, from its samples each 100 ms."""
    if play.startup_s is None:
        return []
    samples = play.samples[play.samples["time_s"] >= play.startup_s]
    time_s, position_s = samples["time_s"].to_numpy(float), samples["position_s"].to_numpy(float)
    buffer_s = samples["buffer_s"].to_numpy(float)
    standing = np.diff(position_s) < _STANDING * np.diff(time_s)
    # A browser with sound left plays it for a while after the last picture.
    standing |= buffer_s[1:] <= 0
    edges = np.flatnonzero(np.diff(np.concatenate(([False], standing, [False])).astype(int)))
    empty = _empty_times(play)
    stalls = []
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        start_s, end_s = float(time_s[first]), float(time_s[last])
        if end_s - start_s < _STALL_LEAST_S:
            continue
        starved = buffer_s[first : first + 2].min() < _BUFFERED_S or any(a < end_s and start_s < b for a, b in empty)
        cause: Cause = "network" if starved else "cpu"
        stalls.append(Stall(start_s, end_s - start_s, float(position_s[first]), cause))
    return stalls


def _empty_times(play: Play) -> list[tuple[float, float]]:
    """Return the intervals in which the player reported an empty buffer of a track."""
    times = []
    begun: dict[str, float] = {}
    for time_s, event, track in play.events[["time_s", "event", "track"]].itertuples(index=False):
        if event == "buffer-empty":
            begun.setdefault(str(track), float(time_s))
        elif event == "buffer-loaded" and track in begun:
            times.append((begun.pop(str(track)), float(time_s)))
    return times + [(start_s, float("inf")) for start_s in begun.values()]


def shown_segments(play: Play, track: str = "video") -> pd.DataFrame:
    """Return the played segments of a track: of `Play.segments`, the last received one of each number.

    The column played_s is added, the length of the played part.
    """
    end_s = float(play.samples["position_s"].max()) if len(play.samples) else 0.0
    received = play.segments[(play.segments["track"] == track) & (play.segments["outcome"] == "ok")]
    received = received.drop_duplicates("number", keep="last").sort_values("number")
    played_s = (end_s - received["start_s"]).clip(0.0, received["duration_s"])
    return received.assign(played_s=played_s)[played_s > 0].reset_index(drop=True)


def timeline(play: Play) -> pd.DataFrame:
    """Return the samples with played_bytes (of segments up to the position) and rate_bps of the shown video."""
    position_s = play.samples["position_s"].to_numpy(float)
    played: Floats = np.zeros(len(position_s))
    for track in ("video", "audio"):
        shown = shown_segments(play, track)
        if len(shown):
            edges = np.append(shown["start_s"], shown["start_s"].iloc[-1] + shown["duration_s"].iloc[-1])
            played += np.interp(position_s, edges, np.append(0.0, np.cumsum(shown["bytes"])))
    shown = shown_segments(play)
    rate_bps = np.full(len(position_s), np.nan)
    if len(shown) and play.startup_s is not None:
        at = np.clip(np.searchsorted(shown["start_s"], position_s, side="right") - 1, 0, len(shown) - 1)
        begun = play.samples["time_s"].to_numpy(float) >= play.startup_s
        rate_bps[begun] = shown["rate_bps"].to_numpy(float)[at][begun]
    return play.samples.assign(played_bytes=played, rate_bps=rate_bps)


def summary(play: Play) -> dict[str, object]:
    """Return the values of a `mmwemu.apps.stream.record.StreamRun` that come from a playback; None if absent."""
    stalls = find_stalls(play)
    shown = shown_segments(play)
    samples = play.samples
    network = [stall.duration_s for stall in stalls if stall.cause == "network"]
    steps = np.diff(shown["quality"].to_numpy(int))
    played_s = float(shown["played_s"].sum())
    begun = samples[samples["time_s"] >= play.startup_s] if play.startup_s is not None else samples[:0]
    last = samples.iloc[-1] if len(samples) else None
    behind_s = _behind_s(play, sum(network))
    return {
        "startup_s": play.startup_s,
        "played_s": played_s,
        "stalls": len(network),
        "stall_s": sum(network),
        "cpu_stalls": len(stalls) - len(network),
        "cpu_stall_s": behind_s,
        "bitrate_mean_bps": float((shown["rate_bps"] * shown["played_s"]).sum() / played_s) if played_s else None,
        "switches_up": int((steps > 0).sum()),
        "switches_down": int((steps < 0).sum()),
        "buffer_mean_s": float(begun["buffer_s"].mean()) if len(begun) else None,
        "buffer_min_s": float(begun["buffer_s"].min()) if len(begun) else None,
        "received_bytes": int(last["received_bytes"]) if last is not None else None,
        "played_bytes": round(float(timeline(play)["played_bytes"].iloc[-1])) if last is not None else None,
        "abandoned_segments": int((play.segments["outcome"] == "abandoned").sum()),
        "failed_segments": int((play.segments["outcome"] == "failed").sum()),
        "frames": int(last["frames"]) if last is not None else None,
        "dropped_frames": int(last["dropped_frames"]) if last is not None else None,
        "qoe_bps": linear_qoe(shown["rate_bps"].to_numpy(float), sum(network) + behind_s, play.startup_s),
    }


def cpu_bound_because(play: Play) -> str:
    """Return why a playback is CPU-bound: it fell behind by 2 % of the time, or lost a tenth of its frames."""
    stalls = find_stalls(play)
    behind_s = _behind_s(play, sum(stall.duration_s for stall in stalls if stall.cause == "network"))
    if behind_s > _CPU_BEHIND * _watched_s(play):
        return f"the film fell {behind_s:.1f} s behind although it was loaded"
    late = _late_frames(play.samples, stalls)
    if late > _CPU_LATE * float(shown_segments(play)["played_s"].sum()):
        return f"{late:.0f} frames were dropped"
    return ""


def _watched_s(play: Play) -> float:
    """Return the time since the film began."""
    if play.startup_s is None or not len(play.samples):
        return 0.0
    return max(0.0, float(play.samples["time_s"].iloc[-1]) - play.startup_s)


def _behind_s(play: Play, network_s: float) -> float:
    """Return for how long the film fell behind with a filled buffer, in intervals too short for a stall as well."""
    watched_s = _watched_s(play)
    return max(0.0, watched_s - network_s - float(play.samples["position_s"].max())) if watched_s else 0.0


def _late_frames(samples: pd.DataFrame, stalls: Sequence[Stall]) -> float:
    """Return the number of dropped frames without those that a browser drops as it resumes after a stall."""
    time_s = samples["time_s"].to_numpy(float)
    dropped = np.diff(samples["dropped_frames"].to_numpy(float), prepend=0.0)
    for stall in stalls:
        dropped[(time_s >= stall.start_s) & (time_s <= stall.start_s + stall.duration_s + _RESUME_S)] = 0.0
    return float(dropped.sum())


def linear_qoe(rates_bps: Floats, stalled_s: float, startup_s: float | None) -> float | None:
    """Return the linear quality of experience of Yin et al. 2015, equation 5, over the number of segments.

    It is the sum of the rates, minus the sum of their changes, minus 3 Mbit/s for each second of stalls and start-up.

    Parameters
    ----------
    rates_bps
        Rates of the played segments [n], bit/s.
    stalled_s, startup_s
        Total length of stalls; start-up delay.

    Returns
    -------
    Bit/s per segment; None if nothing was played.
    """
    if startup_s is None or len(rates_bps) == 0:
        return None
    steps = _QOE_SWITCH * float(np.abs(np.diff(rates_bps)).sum())
    waits = _QOE_STALL_BPS * stalled_s + _QOE_STARTUP_BPS * startup_s
    return float((rates_bps.sum() - steps - waits) / len(rates_bps))
