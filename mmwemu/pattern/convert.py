"""Conversion of a trace to a pattern: pure functions over arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.errors import InputError
from mmwemu.pattern.conversion import radio, registry, series
from mmwemu.pattern.conversion.method import Method, Steps
from mmwemu.pattern.conversion.series import Series, Source
from mmwemu.pattern.model import Direction, End, Floats, Outage, Pattern
from mmwemu.trace.model import Trace

_PROVENANCE = ("scenario", "scenario_hash", "rat", "engine", "ns3_version", "seed")


@dataclass(frozen=True)
class Conversion:
    """Options of the conversion of a trace to a pattern.

    Attributes
    ----------
    method
        How the trace is cut into steps: a method with its parameters, such as ``Window(0.1)``, or the name of one.
    source
        Column of the trace with the downlink's rate; None takes that of the method, else ``throughput_bps``.
    uplink
        ``same``: as the downlink, as in Hurtig 2019; ``trace``: what the MAC could have given, if the trace tells it.
    delay
        ``ran``: the RAN latency of the trace without its queueing, in both directions; ``none``: 0.
    loss
        ``rlc``: in the downlink, the share of packets that RLC lost; ``none``: 0.
    outage_below_bps
        A step below this rate becomes an outage, rate 0; None takes the value of the trace's scenario, else 0.
    outage
        As in `Pattern`; None takes the value of the trace's scenario, else ``hold``.
    end
        As in `Pattern`.
    """

    method: Method | str = "segments"
    source: Source | None = None
    uplink: Literal["same", "trace"] = "same"
    delay: Literal["none", "ran"] = "none"
    loss: Literal["none", "rlc"] = "none"
    outage_below_bps: float | None = None
    outage: Outage | None = None
    end: End = "loop"


def convert(trace: Trace, options: Conversion) -> Pattern:
    """Convert a trace to a pattern.

    Headers are added to transport throughput to get the rate of IP packets: rate * (payload_bytes + header_bytes) /
    payload_bytes. Where the uplink has steps of its own, the pattern has the edges of both.

    Raises
    ------
    InputError
        If the trace lacks values that the conversion needs, or the method does not take the source.
    """
    method = registry.named(options.method) if isinstance(options.method, str) else options.method
    source = _source(method, options.source)
    rule = trace.meta.get("outage", {})
    below_bps = rule.get("below_bps", 0.0) if options.outage_below_bps is None else options.outage_below_bps
    down = _rates(method, trace, series.downlink(trace, source), below_bps)
    up = _rates(method, trace, series.uplink(trace), below_bps) if options.uplink == "trace" else down
    starts = np.union1d(down.starts, up.starts)
    columns = [
        _held(starts, down),
        _held(starts, up),
        radio.delays_s(trace, starts) if options.delay == "ran" else np.zeros(len(starts)),
        radio.losses(trace, starts) if options.loss == "rlc" else np.zeros(len(starts)),
    ]
    if not method.keeps_equal:
        starts, columns = _merge_equal(starts, columns)
    down_bps, up_bps, delay_s, loss = columns
    meta = {key: trace.meta[key] for key in _PROVENANCE if key in trace.meta}
    meta["conversion"] = _described(trace, method, source, options) | (
        {"outage_below_bps": below_bps} if below_bps else {}
    )
    return Pattern(
        trace.time_s[starts].round(9),
        round(trace.duration_s, 9),
        Direction(down_bps, delay_s, loss),
        Direction(up_bps, delay_s, np.zeros(len(starts))),
        options.outage or rule.get("packets", "hold"),
        options.end,
        meta,
    )


def constant(rate_bps: float, duration_s: float, outage: Outage = "hold", end: End = "loop") -> Pattern:
    """Return a pattern of one step with the same rate in both directions."""
    one = Direction(np.array([float(rate_bps)]), np.zeros(1), np.zeros(1))
    meta = {"conversion": {"method": "constant"}}
    return Pattern(np.zeros(1), float(duration_s), one, one, outage, end, meta)


def _source(method: Method, asked: Source | None) -> Source:
    if method.source and asked and asked != method.source:
        raise InputError("source", f"is {asked}, but {method.name} takes {method.source} alone; choose another method")
    return asked or method.source or "throughput_bps"


def _rates(method: Method, trace: Trace, rate: Series, below_bps: float) -> Steps:
    """Return the steps of a direction, in whole bit/s of IP packets."""
    starts, rate_bps = method.steps(trace, rate)
    rate_bps = rate_bps * rate.factor
    rate_bps[rate_bps < below_bps] = 0.0
    return Steps(starts, rate_bps.round())


def _held(starts: NDArray[np.intp], steps: Steps) -> Floats:
    """Return the rate that holds from each of ``starts`` on."""
    rates: Floats = steps.rate_bps[np.searchsorted(steps.starts, starts, side="right") - 1]
    return rates


def _described(trace: Trace, method: Method, source: Source, options: Conversion) -> dict[str, object]:
    """Return the conversion's entry in the head of a pattern file."""
    text: dict[str, object] = {"method": method.name, "source": source, **method.values()}
    if source == "throughput_bps":
        header, payload = trace.meta["header_bytes"], trace.meta["payload_bytes"]
        text["headers"] = f"{header} bytes of IP and UDP added to each {payload} of payload"
    chosen = {"uplink": options.uplink, "delay": options.delay, "loss": options.loss}
    return text | {name: value for name, value in chosen.items() if value not in ("same", "none")}


def _merge_equal(starts: NDArray[np.intp], columns: list[Floats]) -> tuple[NDArray[np.intp], list[Floats]]:
    changes = np.any([np.diff(values) != 0 for values in columns], axis=0)
    keep = np.append(True, changes)
    return starts[keep], [values[keep] for values in columns]
