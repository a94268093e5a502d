"""The times at which a link had no rate."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mmwemu.link.telemetry import BIN_S

if TYPE_CHECKING:
    import pandas as pd

_LEAST_BYTES = 1.0  # the edge of a bin may be beyond that of a step by the last digit of a number


@dataclass(frozen=True)
class Outages:
    """Stretches without rate: the n begin and end at these times, rising, s."""

    begins_s: list[float]
    ends_s: list[float]

    def split(self, begin_s: float, end_s: float) -> Iterator[tuple[float, float, bool]]:
        """Yield the parts of a stretch of time, the last one first, and whether each is an outage."""
        i = bisect_right(self.begins_s, end_s) - 1
        at_s = end_s
        while at_s > begin_s:
            inside = i >= 0 and self.ends_s[i] > begin_s and self.begins_s[i] < at_s
            if not inside:
                yield begin_s, at_s, False
                return
            if self.ends_s[i] < at_s:
                yield self.ends_s[i], at_s, False
                at_s = self.ends_s[i]
            yield max(begin_s, self.begins_s[i]), at_s, True
            at_s = max(begin_s, self.begins_s[i])
            i -= 1


def outages(telemetry: pd.DataFrame) -> Outages:
    """Return the outages of one direction of a link, from bins of 10 ms in which the pattern had no rate at all."""
    part = telemetry.sort_values("time_s")
    number = np.rint(part["time_s"].to_numpy(np.float64) / BIN_S).astype(np.int64)
    silent = number[part["capacity_bytes"].to_numpy(np.float64) < _LEAST_BYTES]
    if not len(silent):
        return Outages([], [])
    breaks = np.flatnonzero(np.diff(silent) > 1)
    begins = silent[np.concatenate(([0], breaks + 1))]
    ends = silent[np.concatenate((breaks, [len(silent) - 1]))] + 1
    return Outages((begins * BIN_S).tolist(), (ends * BIN_S).tolist())
