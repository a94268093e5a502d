"""Delay and loss of a pattern, from what the trace tells about the radio network."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.pattern.model import Floats
from mmwemu.trace.model import Trace


def unqueued(trace: Trace) -> NDArray[np.bool_]:
    """Return whether the RAN latency of each bin is without queueing [n].

    It is where a packet was delivered and the RLC buffer, at the bin's begin and end, held no more than the MAC could
    have sent within the bin: whatever waited, waited for less than one bin.
    """
    room_bytes = trace.phy_rate_bps * trace.bin_s / 8
    fits = trace.rlc_queue_bytes <= room_bytes
    before = np.append(True, fits[:-1])
    result: NDArray[np.bool_] = fits & before & ~np.isnan(_column(trace, "ran_delay_s"))
    return result


def delays_s(trace: Trace, starts: NDArray[np.intp]) -> Floats:
    """Return the RAN latency without queueing in each step [n_step], s.

    The median of the step's bins where nothing queued. A step without such a bin keeps the delay of the step before
    it; those at the begin take that of the first step that has one.

    Raises
    ------
    InputError
        If the trace does not tell its RAN latency, or a queue stood in all its bins.
    """
    known = unqueued(trace)
    if not known.any():
        problem = "has no bin without a queue; simulate with a traffic rate below that of the cell"
        raise InputError("trace: ran_delay_s", problem)
    values = trace.optional["ran_delay_s"]
    pieces = np.split(np.where(known, values, np.nan), starts[1:])
    middle = np.array([np.median(one[~np.isnan(one)]) if not np.isnan(one).all() else np.nan for one in pieces])
    have = ~np.isnan(middle)
    last = np.maximum.accumulate(np.where(have, np.arange(len(middle)), -1))
    result: Floats = middle[np.where(last < 0, np.argmax(have), last)]
    return result.round(9)


def unqueued_share(trace: Trace) -> str:
    """Return a line on where the RAN latency is known without queueing."""
    share = float(unqueued(trace).mean())
    known = f"the RAN latency without a queue is known in {digits(round(share * 100, 1))} % of the bins"
    return f"{known}; a step without such a bin keeps that of the step before"


def losses(trace: Trace, starts: NDArray[np.intp]) -> Floats:
    """Return the share of packets that the radio lost in each step [n_step], 0 where none was sent.

    lost / (lost + delivered), with the packets delivered from throughput and payload.

    Raises
    ------
    InputError
        If the trace does not count losses, or does not say the size of its payload.
    """
    lost = np.nan_to_num(_column(trace, "rlc_losses"))
    if "payload_bytes" not in trace.meta:
        raise InputError("trace", "does not say its payload_bytes, of which losses are counted")
    delivered = np.nan_to_num(trace.throughput_bps) * trace.bin_s / 8 / trace.meta["payload_bytes"]
    lost_sums = np.add.reduceat(lost, starts)
    sums = lost_sums + np.add.reduceat(delivered, starts)
    share: Floats = np.divide(lost_sums, sums, out=np.zeros(len(starts)), where=sums > 0)
    return share.round(9)


def _column(trace: Trace, name: str) -> Floats:
    if name not in trace.optional:
        raise InputError(f"trace: {name}", "is no column of this trace; its simulation does not record it")
    return trace.optional[name]
