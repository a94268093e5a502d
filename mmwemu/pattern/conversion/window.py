"""One step for each window of time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.bounds import LONGEST_S, SHORTEST_STEP_S
from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.pattern.conversion.method import Method, Steps, parameter
from mmwemu.pattern.conversion.series import Series
from mmwemu.trace.model import Trace


def window_parameter(default_s: float) -> Any:
    """Return the field of a window's length, for every method that has windows."""
    return parameter(default_s, "length of a window", "s", SHORTEST_STEP_S, LONGEST_S)


def window_starts(trace: Trace, window_s: float) -> NDArray[np.intp]:
    """Return the index of the first bin of each window [n_window]; the last window may be shorter.

    Raises
    ------
    InputError
        If a window is shorter than one bin.
    """
    if not math.isfinite(window_s) or window_s < trace.bin_s * 0.999:
        raise InputError(
            "window", f"is {digits(window_s)} s; must be at least one bin of the trace, {digits(trace.bin_s)} s"
        )
    edges = np.arange(0.0, trace.duration_s - trace.bin_s / 2, window_s)
    starts: NDArray[np.intp] = np.unique(np.searchsorted(trace.time_s, edges - trace.bin_s * 1e-3))
    return starts[starts < len(trace.time_s)]


@dataclass(frozen=True)
class Window(Method):
    """One step for each window, with its mean rate."""

    name: ClassVar[str] = "window"
    help: ClassVar[str] = "the mean of each window"

    window_s: float = window_parameter(0.010)

    def steps(self, trace: Trace, series: Series) -> Steps:
        """Return a step for each window."""
        starts = window_starts(trace, self.window_s)
        return Steps(starts, series.means(starts))
