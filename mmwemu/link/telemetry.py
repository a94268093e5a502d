"""The telemetry that the emulator writes, a record for each direction every 10 ms."""

from __future__ import annotations

import mmap
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.units import from_ns
from mmwemu.link import client_telemetry
from mmwemu.link.replay import Replay
from mmwemu.pattern.capacity import capacity_bytes
from mmwemu.pattern.model import Floats

if TYPE_CHECKING:
    import pandas as pd

BIN_S = 0.010
_BIN_NS = 10_000_000
CAUSES = ("queue", "aqm", "loss", "outage", "device")
NOTES = ("duplicated", "damaged", "reordered", "marked")
_HEAD_BYTES = 4096
_KEPT_BINS = 4 * 3600 * 100  # 4 hours; later ones are not kept
RECORD = np.dtype(
    [("offered_bytes", "<u8"), ("offered_packets", "<u8"), ("delivered_bytes", "<u8"), ("delivered_packets", "<u8")]
    + [(f"dropped_{cause}_{unit}", "<u8") for cause in CAUSES for unit in ("bytes", "packets")]
    + [(f"{note}_{unit}", "<u8") for note in NOTES for unit in ("bytes", "packets")]
    + [("queue_bytes", "<u8"), ("queue_max_bytes", "<u8"), ("lateness_max_ns", "<i8"), ("backlogged", "<u8")]
)


class TelemetryFile:
    """A file in memory that the emulator fills; it takes only as much memory as was written.

    Attributes
    ----------
    fd
        Its descriptor, for the emulator.

    Parameters
    ----------
    clients
        Number of the clients of a cell; 0 without one.
    """

    def __init__(self, clients: int = 0) -> None:
        self._clients = clients
        self.fd = os.memfd_create("mmwemu-telemetry", os.MFD_CLOEXEC)
        bin_bytes = 2 * (RECORD.itemsize + clients * client_telemetry.RECORD.itemsize)
        os.ftruncate(self.fd, _HEAD_BYTES + _KEPT_BINS * bin_bytes)

    def close(self) -> None:
        """Free the memory."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def epoch_ns(self) -> int | None:
        """Return the time of CLOCK_MONOTONIC at which the pattern started, None before it [ns]."""
        return int(np.frombuffer(os.pread(self.fd, 8, 0), "<i8")[0]) or None

    def read(self, replay: Replay, since_s: float = 0.0) -> pd.DataFrame:
        """Return the records of both directions from a time on; see `mmwemu.testbed.link.Link.telemetry`."""
        with mmap.mmap(self.fd, 0, prot=mmap.PROT_READ) as memory:
            first, n_bin = self._bins(memory, since_s)
            begin_bytes = _HEAD_BYTES + 2 * first * RECORD.itemsize
            records = np.frombuffer(memory, RECORD, 2 * (n_bin - first), begin_bytes).copy()
            of_clients = self._of_clients(memory, first, n_bin)
        # The last bin is not over, or some of its packets are still on their way.
        records["backlogged"][-2:] = 0
        return to_frame(records.reshape(-1, 2), replay, first, of_clients)

    def read_clients(self, since_s: float = 0.0) -> pd.DataFrame:
        """Return the records of the clients of a cell; see `mmwemu.testbed.link.Link.client_telemetry`."""
        with mmap.mmap(self.fd, 0, prot=mmap.PROT_READ) as memory:
            first, n_bin = self._bins(memory, since_s)
            records = self._of_clients(memory, first, n_bin)
        return client_telemetry.to_frame(records, first, BIN_S)

    @staticmethod
    def _bins(memory: mmap.mmap, since_s: float) -> tuple[int, int]:
        """Return the first bin since a time, and the number of bins up to now."""
        epoch_ns, settled_ns = np.frombuffer(memory, "<i8", 2).tolist()
        n_bin = min(_KEPT_BINS, -(-(settled_ns - epoch_ns) // _BIN_NS))
        return min(n_bin, round(since_s / BIN_S)), n_bin

    def _of_clients(self, memory: mmap.mmap, first: int, end: int) -> NDArray[Any]:
        """Return the records of clients [n_bin, 2, n_client]."""
        width = 2 * self._clients
        begin_bytes = _HEAD_BYTES + 2 * _KEPT_BINS * RECORD.itemsize
        begin_bytes += first * width * client_telemetry.RECORD.itemsize
        records = np.frombuffer(memory, client_telemetry.RECORD, (end - first) * width, begin_bytes if width else 0)
        return records.copy().reshape(end - first, 2, self._clients)


def to_frame(
    records: NDArray[Any], replay: Replay, first: int = 0, of_clients: NDArray[Any] | None = None
) -> pd.DataFrame:
    """Turn records [n_bin, 2], and of a cell those of clients, into a frame; ``first`` is the first bin's number."""
    import pandas as pd

    begins_s: Floats = np.arange(first, first + len(records) + 1, dtype=np.float64) * BIN_S
    start_s, edges_s = begins_s[:-1], begins_s + replay.start_at_s
    pattern = replay.pattern
    capacity = np.zeros((0, 2))
    if replay.clients and of_clients is not None:
        capacity = client_telemetry.cell_capacity_bytes(of_clients, records["backlogged"] != 0, replay, edges_s)
    frames = []
    for i, (name, direction) in enumerate((("downlink", pattern.downlink), ("uplink", pattern.uplink))):
        part = records[:, i]
        columns = {"time_s": start_s, "direction": np.full(len(part), name, dtype=object)}
        columns |= {
            key: part[key].astype(np.int64) for key in RECORD.names or () if "_bytes" in key or "_packets" in key
        }
        columns["capacity_bytes"] = capacity[:, i] if len(capacity) else capacity_bytes(pattern, direction, edges_s)
        columns["backlogged"] = part["backlogged"] != 0
        columns["lateness_s"] = from_ns(part["lateness_max_ns"].astype(np.float64))
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True).sort_values(["time_s", "direction"], ignore_index=True, kind="stable")
