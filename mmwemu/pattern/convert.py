"""Conversion of a trace to a pattern: pure functions over arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.pattern.model import Direction, End, Floats, Outage, Pattern
from mmwemu.trace.model import Trace

Method = Literal["segments", "window"]
Source = Literal["throughput_bps", "phy_rate_bps"]

_PROVENANCE = ("scenario", "scenario_hash", "rat", "engine", "ns3_version", "seed")


@dataclass(frozen=True)
class Conversion:
    """Options of the conversion of a trace to a pattern.

    Attributes
    ----------
    method
        ``segments``: one step per LOS or NLOS interval, as in Hurtig 2019; ``window``: one step per ``window_s``.
    source
        Column of the trace with the rate.
    threshold_db
        ``segments``: least SINR of line of sight.
    hold_off_s
        ``segments``: a change counts only if the previous one is longer ago than this.
    window_s
        ``window``: length of a step.
    outage_below_bps
        A step below this rate becomes an outage, rate 0; None takes the value of the trace's scenario, else 0.
    outage
        As in `Pattern`; None takes the value of the trace's scenario, else ``hold``.
    end
        As in `Pattern`.
    """

    method: Method = "segments"
    source: Source = "throughput_bps"
    threshold_db: float = 20.0
    hold_off_s: float = 0.001
    window_s: float = 0.010
    outage_below_bps: float | None = None
    outage: Outage | None = None
    end: End = "loop"


def convert(trace: Trace, options: Conversion) -> Pattern:
    """Convert a trace to a pattern with the same rate in both directions, as in Hurtig 2019.

    The rate of a step is the mean over its bins. Headers are added to transport throughput to get the rate of IP
    packets: rate * (payload_bytes + header_bytes) / payload_bytes.

    Raises
    ------
    InputError
        If the trace lacks values that the conversion needs.
    """
    rule = trace.meta.get("outage", {})
    below_bps = rule.get("below_bps", 0.0) if options.outage_below_bps is None else options.outage_below_bps
    segments = options.method == "segments"
    starts = segment_starts(trace, options) if segments else window_starts(trace, options.window_s)
    rate_bps = step_means(trace, starts, options.source) * header_factor(trace, options.source)
    rate_bps[rate_bps < below_bps] = 0.0
    rate_bps = rate_bps.round()
    if not segments:
        starts, rate_bps = _merge_equal(starts, rate_bps)
    time_s = trace.time_s[starts].round(9)
    meta = {key: trace.meta[key] for key in _PROVENANCE if key in trace.meta}
    meta["conversion"] = describe(trace, options) | ({"outage_below_bps": below_bps} if below_bps else {})
    direction = Direction(rate_bps, np.zeros(len(time_s)), np.zeros(len(time_s)))
    outage = options.outage or rule.get("packets", "hold")
    return Pattern(time_s, round(trace.duration_s, 9), direction, direction, outage, options.end, meta)


def describe(trace: Trace, options: Conversion) -> dict[str, object]:
    """Return the conversion's entry in the head of a pattern file."""
    text: dict[str, object] = {"method": options.method, "source": options.source}
    if options.method == "segments":
        text |= {"threshold_db": options.threshold_db, "hold_off_s": options.hold_off_s}
    else:
        text |= {"window_s": options.window_s}
    if options.source == "throughput_bps":
        header, payload = trace.meta["header_bytes"], trace.meta["payload_bytes"]
        text["headers"] = f"{header} bytes of IP and UDP added to each {payload} of payload"
    return text


def header_factor(trace: Trace, source: Source) -> float:
    """Return the ratio of IP packet to payload size if ``source`` counts payload, else 1."""
    if source == "phy_rate_bps":
        return 1.0
    try:
        return float((trace.meta["payload_bytes"] + trace.meta["header_bytes"]) / trace.meta["payload_bytes"])
    except KeyError as error:
        raise InputError("trace", f"does not say its {error.args[0]}; convert from phy_rate_bps") from None


def segment_starts(trace: Trace, options: Conversion) -> NDArray[np.intp]:
    """Return the index of the first bin of each LOS or NLOS interval [n_step].

    A bin is LOS if its SINR is at least ``threshold_db``; a bin without SINR keeps the previous state. A change counts
    only if more than ``hold_off_s`` has passed since the previous one (published conversion of Hurtig 2019).
    """
    known = np.flatnonzero(~np.isnan(trace.sinr_db))
    if known.size == 0:
        raise InputError("trace: sinr_db", "has no values; use --method window")
    above = trace.sinr_db >= options.threshold_db
    current, changed_s = bool(above[known[0]]), -math.inf
    starts = [0]
    for i in known:
        if above[i] != current and trace.time_s[i] - changed_s > options.hold_off_s:
            starts.append(int(i))
            current, changed_s = bool(above[i]), trace.time_s[i]
    return np.array(starts, dtype=np.intp)


def window_starts(trace: Trace, window_s: float) -> NDArray[np.intp]:
    """Return the index of the first bin of each window [n_step]; a window is at least one bin."""
    if not math.isfinite(window_s) or window_s < trace.bin_s * 0.999:
        raise InputError(
            "window", f"is {digits(window_s)} s; must be at least one bin of the trace, {digits(trace.bin_s)} s"
        )
    edges = np.arange(0.0, trace.duration_s - trace.bin_s / 2, window_s)
    starts: NDArray[np.intp] = np.unique(np.searchsorted(trace.time_s, edges - trace.bin_s * 1e-3))
    return starts[starts < len(trace.time_s)]


def step_means(trace: Trace, starts: NDArray[np.intp], source: Source) -> Floats:
    """Return the mean of a column over each step [n_step], bit/s.

    The means of throughput exclude the bins before the traffic has started, which do not show the rate of the cell. A
    step of only such bins takes the mean of the next one.
    """
    values: Floats = getattr(trace, source)
    if np.isnan(values).any():
        row = int(np.flatnonzero(np.isnan(values))[0]) + 1
        raise InputError(f"trace: {source}", f"has no value in row {row}; use the other rate column")
    counted = np.ones(len(values))
    if source == "throughput_bps":
        counted[: _lead_in(trace)] = 0
    sums = np.add.reduceat(values * counted, starts)
    counts = np.add.reduceat(counted, starts)
    means: Floats = np.divide(sums, counts, out=np.full(len(starts), np.nan), where=counts > 0)
    idle = int(np.argmax(counts > 0))
    means[:idle] = means[idle]
    return means


def _lead_in(trace: Trace) -> int:
    """Return the number of bins up to and including the first busy one, or 0 if nothing is delivered after it."""
    busy = (trace.throughput_bps > 0) | (trace.rlc_queue_bytes > 0)
    first = int(np.argmax(busy))
    return first + 1 if busy.any() and trace.throughput_bps[first + 1 :].any() else 0


def constant(rate_bps: float, duration_s: float, outage: Outage = "hold", end: End = "loop") -> Pattern:
    """Return a pattern of one step with the same rate in both directions."""
    one = Direction(np.array([float(rate_bps)]), np.zeros(1), np.zeros(1))
    meta = {"conversion": {"method": "constant"}}
    return Pattern(np.zeros(1), float(duration_s), one, one, outage, end, meta)


def _merge_equal(starts: NDArray[np.intp], rate_bps: Floats) -> tuple[NDArray[np.intp], Floats]:
    keep = np.append(True, np.diff(rate_bps) != 0)
    return starts[keep], rate_bps[keep]
