"""Trace dataclass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.bounds import HIGHEST_RATE_BPS, LARGEST_BYTES, LONGEST_S, MOST_BINS, SHORTEST_STEP_S
from mmwemu.core.errors import InputError
from mmwemu.core.text import digits

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

# Lowest and highest value of each column; NaN is allowed too, since a conversion tells what it lacks.
_RANGES: Mapping[str, tuple[float, float]] = {
    "los": (0.0, 1.0),
    "sinr_db": (-1000.0, 1000.0),
    "mcs": (0.0, 1000.0),
    "phy_rate_bps": (0.0, HIGHEST_RATE_BPS),
    "throughput_bps": (0.0, HIGHEST_RATE_BPS),
    "rlc_queue_bytes": (0.0, float(LARGEST_BYTES)),
    "delay_s": (0.0, LONGEST_S),
    "drops": (0.0, float(LARGEST_BYTES)),
}

OPTIONAL: Mapping[str, tuple[float, float]] = {
    "ran_delay_s": (0.0, LONGEST_S),
    "rlc_losses": (0.0, float(LARGEST_BYTES)),
    "uplink_phy_rate_bps": (0.0, HIGHEST_RATE_BPS),
    "uplink_throughput_bps": (0.0, HIGHEST_RATE_BPS),
    "cwnd_bytes": (0.0, float(LARGEST_BYTES)),
    "ssthresh_bytes": (0.0, float(LARGEST_BYTES)),
    "rtt_s": (0.0, LONGEST_S),
    "retransmissions": (0.0, float(LARGEST_BYTES)),
}
"""Lowest and highest value of the columns that only some traces have; docs/formats/trace.md says what they mean."""


@dataclass(frozen=True)
class Trace:
    """State of a cell over time, one row per bin; row i covers [time_s[i], time_s[i] + bin_s).

    Attributes
    ----------
    time_s
        Start of each bin [n], s, evenly spaced from 0.
    los
        Whether the direct ray is free [n]: 1, 0, or NaN where unknown.
    sinr_db
        SINR of the downlink data channel [n], dB; NaN where there was none.
    mcs
        Modulation and coding scheme index [n]; NaN where nothing was sent.
    phy_rate_bps
        Rate that the MAC could have offered [n], bit/s, after HARQ losses.
    throughput_bps
        Transport payload delivered to the UE [n], bit/s.
    rlc_queue_bytes
        Bytes waiting in the RLC transmit buffer at the end of the bin [n].
    delay_s
        Mean one-way delay of the packets delivered in the bin [n], s; NaN if none was.
    drops
        Packets dropped in the bin [n].
    meta
        Provenance: scenario, scenario_hash, rat, engine, seed, payload_bytes, versions.
    optional
        Columns of `OPTIONAL` by name, each [n], that this trace has.
    """

    time_s: Floats
    los: Floats
    sinr_db: Floats
    mcs: Floats
    phy_rate_bps: Floats
    throughput_bps: Floats
    rlc_queue_bytes: Floats
    delay_s: Floats
    drops: Floats
    meta: Mapping[str, Any] = field(default_factory=dict)
    optional: Mapping[str, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = len(self.time_s)
        if n < 2:
            raise InputError("trace", f"has {n} rows; at least 2 are needed")
        if unknown := sorted(set(self.optional) - set(OPTIONAL)):
            raise InputError(f"trace: {unknown[0]}", "is no column of a trace")
        for name, values in self.columns().items():
            if values.shape != (n,):
                raise InputError(f"trace: {name}", f"has {values.size} values where time_s has {n}")
        if n > MOST_BINS:
            raise InputError("trace", f"has {n} rows; must have at most {MOST_BINS}")
        steps = np.diff(self.time_s)
        if not np.all(np.isfinite(self.time_s)) or self.time_s[0] != 0 or np.any(steps <= 0):
            raise InputError("trace: time_s", "must start at 0 and rise strictly")
        if np.any(np.abs(steps - steps[0]) > 1e-6 * steps[0] + 1e-9):
            raise InputError("trace: time_s", "must be evenly spaced")
        if steps[0] < SHORTEST_STEP_S or self.duration_s > LONGEST_S:
            rule = f"at least {digits(SHORTEST_STEP_S)} s and end by {digits(LONGEST_S)} s"
            raise InputError("trace: time_s", f"has bins of {digits(steps[0])} s; must have {rule}")
        for name, values in self.columns().items():
            if name == "time_s":
                continue
            least, most = _RANGES[name] if name in _RANGES else OPTIONAL[name]
            bad = np.flatnonzero((values < least) | (values > most))
            if bad.size:
                row = int(bad[0])
                problem = f"is {digits(values[row])} in row {row + 1}; must be from {digits(least)} to {digits(most)}"
                raise InputError(f"trace: {name}", problem, row)

    @property
    def bin_s(self) -> float:
        """Width of a bin, s."""
        return float(self.duration_s / len(self.time_s))

    @property
    def duration_s(self) -> float:
        """Time covered, s."""
        n = len(self.time_s)
        return float(self.time_s[-1] * n / (n - 1))

    def columns(self) -> dict[str, Floats]:
        """Return all columns by name, each [n], the optional ones last."""
        return {name: getattr(self, name) for name in COLUMNS} | {
            k: self.optional[k] for k in OPTIONAL if k in self.optional
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the columns as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.columns())


COLUMNS = tuple(f.name for f in fields(Trace) if f.name not in ("meta", "optional"))
"""Columns that each trace has."""
