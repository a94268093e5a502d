"""The telemetry of the clients of a cell, a record for each client and direction every 10 ms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.units import from_ns
from mmwemu.pattern.capacity import capacity_bytes
from mmwemu.pattern.model import DirectionName, Floats

if TYPE_CHECKING:
    import pandas as pd

    from mmwemu.link.replay import Replay

RECORD = np.dtype(
    [(name, "<u4") for name in ("offered_bytes", "delivered_bytes", "queue_bytes", "granted_bytes", "airtime_ns")]
)
DIRECTIONS: tuple[DirectionName, ...] = ("downlink", "uplink")
_UNLIMITED = 2**32 - 1


def granted_bytes(records: NDArray[Any]) -> Floats:
    """Return the integral of the rates over the airtime, bytes; inf where a rate was unlimited."""
    granted: Floats = records["granted_bytes"].astype(np.float64)
    granted[records["granted_bytes"] == _UNLIMITED] = np.inf
    return granted


def cell_capacity_bytes(records: NDArray[Any], backlogged: NDArray[Any], replay: Replay, edges_s: Floats) -> Floats:
    """Return what the cell could carry in each bin.

    That is what its clients could send in the airtime that they had. Where the cell was idle at times, these count at
    the mean of its clients' rates.

    Parameters
    ----------
    records
        Of all clients [n_bin, 2, n_client].
    backlogged
        Whether some client always waited [n_bin, 2].
    replay
        The replay.
    edges_s
        The edges of the bins in the pattern's time [n_bin + 1], s.

    Returns
    -------
    By bin and direction [n_bin, 2], bytes; inf where a rate is unlimited.
    """
    granted = granted_bytes(records).sum(axis=2)
    left = 1.0 - records["airtime_ns"].sum(axis=2) / 1e9 / np.diff(edges_s)[:, None]
    alone = np.zeros((len(records), 2))
    for number, shift_s in replay.clients:
        pattern = replay.patterns[number]
        for i, direction in enumerate((pattern.downlink, pattern.uplink)):
            alone[:, i] += capacity_bytes(pattern, direction, edges_s + shift_s) / len(replay.clients)
    with np.errstate(invalid="ignore"):
        rest = np.where(backlogged | (left <= 0), 0.0, left * alone)
    return np.asarray(granted + rest)


def to_frame(records: NDArray[Any], first: int, bin_s: float) -> pd.DataFrame:
    """Turn records [n_bin, 2, n_client] into a frame; ``first`` is the number of the first bin.

    Columns: time_s (start of the bin since the epoch), direction, client (from 1), offered_bytes, delivered_bytes,
    queue_bytes (at the end of the bin), airtime_s (how long the client had the cell), granted_bytes (what it could send
    in that time; inf without limit).
    """
    import pandas as pd

    n_bin, _, n_client = records.shape
    flat = records.reshape(-1)
    columns: dict[str, Any] = {
        "time_s": np.repeat(np.arange(first, first + n_bin) * bin_s, 2 * n_client),
        "direction": np.tile(np.repeat(np.array(DIRECTIONS, dtype=object), n_client), n_bin),
        "client": np.tile(np.arange(1, n_client + 1), 2 * n_bin),
    }
    columns |= {name: flat[name].astype(np.int64) for name in ("offered_bytes", "delivered_bytes", "queue_bytes")}
    columns["airtime_s"] = from_ns(flat["airtime_ns"].astype(np.float64))
    columns["granted_bytes"] = granted_bytes(flat)
    return pd.DataFrame(columns)
