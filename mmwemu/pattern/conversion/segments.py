"""One step for each interval with or without line of sight."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.bounds import LONGEST_S
from mmwemu.core.errors import InputError
from mmwemu.pattern.conversion.method import Method, Steps, parameter
from mmwemu.pattern.conversion.series import Series
from mmwemu.trace.model import Trace


@dataclass(frozen=True)
class Segments(Method):
    """One step for each LOS or NLOS interval, with its mean rate (published conversion of Hurtig 2019)."""

    name: ClassVar[str] = "segments"
    help: ClassVar[str] = "the mean of each interval with or without line of sight, as in Hurtig 2019"
    keeps_equal: ClassVar[bool] = True

    threshold_db: float = parameter(20.0, "LOS from this SINR on", "dB", -1000, 1000)
    hold_off_s: float = parameter(0.001, "a change counts if the last is longer ago", "s", 0, LONGEST_S)

    def steps(self, trace: Trace, series: Series) -> Steps:
        """Return a step for each interval."""
        starts = self.starts(trace)
        return Steps(starts, series.means(starts))

    def starts(self, trace: Trace) -> NDArray[np.intp]:
        """Return the index of the first bin of each LOS or NLOS interval [n_step].

        A bin is LOS if its SINR is at least ``threshold_db``; a bin without SINR keeps the previous state. A change
        counts only if more than ``hold_off_s`` has passed since the previous one.
        """
        known = np.flatnonzero(~np.isnan(trace.sinr_db))
        if known.size == 0:
            raise InputError("trace: sinr_db", "has no values; use --method window")
        above = trace.sinr_db >= self.threshold_db
        current, changed_s = bool(above[known[0]]), -math.inf
        starts = [0]
        for i in known:
            if above[i] != current and trace.time_s[i] - changed_s > self.hold_off_s:
                starts.append(int(i))
                current, changed_s = bool(above[i]), trace.time_s[i]
        return np.array(starts, dtype=np.intp)
