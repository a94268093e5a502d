"""The rate of one direction of a trace, bin by bin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.errors import InputError
from mmwemu.pattern.model import Floats
from mmwemu.trace.model import Trace

Source = Literal["throughput_bps", "phy_rate_bps"]


@dataclass(frozen=True)
class Series:
    """The rate of one direction.

    Attributes
    ----------
    rate_bps
        Rate of each bin [n], bit/s.
    counted
        1 for each bin that shows the rate of the cell, 0 before the traffic has started [n].
    factor
        Bits of IP packets for each bit of the rate.
    """

    rate_bps: Floats
    counted: Floats
    factor: float = 1.0

    def means(self, starts: NDArray[np.intp]) -> Floats:
        """Return the mean over each step [n_step], bit/s; a step without a counted bin takes the mean of the next."""
        sums = np.add.reduceat(self.rate_bps * self.counted, starts)
        counts = np.add.reduceat(self.counted, starts)
        means: Floats = np.divide(sums, counts, out=np.full(len(starts), np.nan), where=counts > 0)
        idle = int(np.argmax(counts > 0))
        means[:idle] = means[idle]
        return means


def downlink(trace: Trace, source: Source) -> Series:
    """Return the downlink's rate in a column of the trace.

    The bins before the traffic has started count in no mean of throughput. Headers make IP packets of transport
    payload: factor = (payload_bytes + header_bytes) / payload_bytes.

    Raises
    ------
    InputError
        If the column lacks a value, or the trace does not say the sizes of payload and headers.
    """
    values = _whole(source, getattr(trace, source), "use the other rate column")
    counted = np.ones(len(values))
    if source == "phy_rate_bps":
        return Series(values, counted)
    counted[: _lead_in(trace)] = 0
    try:
        payload_bytes = trace.meta["payload_bytes"]
        factor = float((payload_bytes + trace.meta["header_bytes"]) / payload_bytes)
    except KeyError as error:
        raise InputError("trace", f"does not say its {error.args[0]}; convert from phy_rate_bps") from None
    return Series(values, counted, factor)


def uplink(trace: Trace) -> Series:
    """Return the rate that the MAC could have given the uplink.

    Raises
    ------
    InputError
        If the trace has no uplink.
    """
    name = "uplink_phy_rate_bps"
    if name not in trace.optional:
        raise InputError(f"trace: {name}", "is no column of this trace; use the downlink's rate (--uplink same)")
    values = _whole(name, trace.optional[name], "use the downlink's rate (--uplink same)")
    return Series(values, np.ones(len(values)))


def _whole(name: str, values: Floats, advice: str) -> Floats:
    if np.isnan(values).any():
        row = int(np.flatnonzero(np.isnan(values))[0]) + 1
        raise InputError(f"trace: {name}", f"has no value in row {row}; {advice}")
    return values


def _lead_in(trace: Trace) -> int:
    """Return the number of bins up to and including the first busy one, or 0 if nothing is delivered after it."""
    busy = (trace.throughput_bps > 0) | (trace.rlc_queue_bytes > 0)
    first = int(np.argmax(busy))
    return first + 1 if busy.any() and trace.throughput_bps[first + 1 :].any() else 0
