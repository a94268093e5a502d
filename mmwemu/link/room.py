"""The room that traffic left on a link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mmwemu.link.telemetry import BIN_S
from mmwemu.pattern.model import Floats

if TYPE_CHECKING:
    import pandas as pd


def room(telemetry: pd.DataFrame, edges_s: Floats) -> Floats:
    """Return the share of a link's capacity that was left between times.

    In each bin the direction counts that was used most. Where the rate is 0 there is no room; before the first bin and
    after the last, and where the rate has no limit, there is nothing but room.

    Parameters
    ----------
    telemetry
        Of one link, as from `mmwemu.testbed.link.Link.telemetry`.
    edges_s
        Times since the epoch of the link [n + 1], rising, s.

    Returns
    -------
    Mean of the share between each two times [n], 0 to 1.
    """
    capacity = telemetry["capacity_bytes"].to_numpy(np.float64)
    used = np.ones(len(capacity))
    np.divide(telemetry["delivered_bytes"].to_numpy(np.float64), capacity, out=used, where=capacity > 0)
    number = np.rint(telemetry["time_s"].to_numpy(np.float64) / BIN_S).astype(np.intp)
    most = np.zeros(int(number.max(initial=-1)) + 1)
    np.maximum.at(most, number, np.minimum(used, 1.0))
    used_s = np.concatenate(([0.0], np.cumsum(most) * BIN_S))
    lengths_s = np.diff(edges_s)
    between_s = np.diff(np.interp(edges_s, np.arange(len(used_s)) * BIN_S, used_s))
    return 1.0 - np.divide(between_s, lengths_s, out=np.zeros(len(lengths_s)), where=lengths_s > 0)
