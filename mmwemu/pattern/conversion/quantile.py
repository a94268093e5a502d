"""A quantile of the rate in each window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mmwemu.pattern.conversion.method import Method, Steps, parameter
from mmwemu.pattern.conversion.series import Series
from mmwemu.pattern.conversion.window import window_parameter, window_starts
from mmwemu.trace.model import Trace


@dataclass(frozen=True)
class Quantile(Method):
    """One step for each window, with a quantile of the rates of its bins."""

    name: ClassVar[str] = "quantile"
    help: ClassVar[str] = "a quantile of the bins of each window"

    quantile: float = parameter(0.5, "share of the bins that have at most this rate", "", 0.0, 1.0)
    window_s: float = window_parameter(0.100)

    def steps(self, trace: Trace, series: Series) -> Steps:
        """Return a step for each window; between two bins the quantile is interpolated linearly (Hyndman, Fan: 7)."""
        starts = window_starts(trace, self.window_s)
        windows = np.arange(len(starts))
        counted = series.counted > 0
        owner = np.repeat(windows, np.diff(starts, append=len(counted)))[counted]
        rates = series.rate_bps[counted]
        order = np.lexsort((rates, owner))
        rates, owner = rates[order], owner[order]
        first = np.searchsorted(owner, windows)
        last = np.searchsorted(owner, windows, side="right") - 1
        # Windows before the traffic has started are empty and take the value of the next.
        last = np.maximum(last, last[np.argmax(last >= first)])
        place = first + self.quantile * (last - first)
        low = place.astype(np.intp)
        above = rates[np.minimum(low + 1, last)]
        return Steps(starts, rates[low] + (place - low) * (above - rates[low]))
