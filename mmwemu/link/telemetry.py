"""The telemetry that the emulator writes, a record for each direction every 10 ms."""

from __future__ import annotations

import mmap
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.units import from_ns
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
    """

    def __init__(self) -> None:
        self.fd = os.memfd_create("mmwemu-telemetry", os.MFD_CLOEXEC)
        os.ftruncate(self.fd, _HEAD_BYTES + 2 * _KEPT_BINS * RECORD.itemsize)

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
            epoch_ns, settled_ns = np.frombuffer(memory, "<i8", 2).tolist()
            n_bin = min(_KEPT_BINS, -(-(settled_ns - epoch_ns) // _BIN_NS))
            first = min(n_bin, round(since_s / BIN_S))
            begin_bytes = _HEAD_BYTES + 2 * first * RECORD.itemsize
            records = np.frombuffer(memory, RECORD, 2 * (n_bin - first), begin_bytes).copy()
        # The last bin is not over, or some of its packets are still on their way.
        records["backlogged"][-2:] = 0
        return to_frame(records.reshape(-1, 2), replay, first)


def to_frame(records: NDArray[Any], replay: Replay, first: int = 0) -> pd.DataFrame:
    """Turn records [n_bin, 2] into a frame; ``first`` is the number of the first bin."""
    import pandas as pd

    begins_s: Floats = np.arange(first, first + len(records) + 1, dtype=np.float64) * BIN_S
    start_s, edges_s = begins_s[:-1], begins_s + replay.start_at_s
    pattern = replay.pattern
    frames = []
    for i, (name, direction) in enumerate((("downlink", pattern.downlink), ("uplink", pattern.uplink))):
        part = records[:, i]
        columns = {"time_s": start_s, "direction": np.full(len(part), name, dtype=object)}
        columns |= {
            key: part[key].astype(np.int64) for key in RECORD.names or () if "_bytes" in key or "_packets" in key
        }
        columns["capacity_bytes"] = capacity_bytes(pattern, direction, edges_s)
        columns["backlogged"] = part["backlogged"] != 0
        columns["lateness_s"] = from_ns(part["lateness_max_ns"].astype(np.float64))
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True).sort_values(["time_s", "direction"], ignore_index=True, kind="stable")
