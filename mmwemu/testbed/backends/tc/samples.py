"""Samples that the router takes each 10 ms, and the telemetry made from them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from mmwemu.core.units import to_ns
from mmwemu.link import client_telemetry
from mmwemu.link.replay import Replay
from mmwemu.link.telemetry import BIN_S, CAUSES, NOTES
from mmwemu.pattern.capacity import capacity_bytes
from mmwemu.pattern.model import Direction, Floats

if TYPE_CHECKING:
    import pandas as pd

DIRECTIONS = ("downlink", "uplink")
# Totals since the start; the queue is as it is now.
COUNTED = ("delivered_bytes", "delivered_packets", "queue_drops", "outage_drops", "loss_drops")
FIELDS = (*COUNTED, "queue_bytes", "queue_packets")
# First time since the epoch and worst lateness since the last row, s; in place of it the first row has the epoch.
ROW = 2 + len(DIRECTIONS) * len(FIELDS)


class SampleFile:
    """A file in memory to which the router appends rows.

    Parameters
    ----------
    sees_queue
        The qdiscs count waiting packets apart from those being delayed.

    Attributes
    ----------
    fd
        Its descriptor, for the router.
    """

    def __init__(self, *, sees_queue: bool = True) -> None:
        self.fd = os.memfd_create("mmwemu-samples", os.MFD_CLOEXEC)
        self._sees_queue = sees_queue

    def close(self) -> None:
        """Free the memory."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def epoch_ns(self) -> int | None:
        """Return the time of CLOCK_MONOTONIC at which the pattern started, None before it [ns]."""
        rows = self.rows()
        return to_ns(rows[0, 1]) if len(rows) else None

    def read(self, replay: Replay, since_s: float = 0.0) -> pd.DataFrame:
        """Return the telemetry from a time on; see `to_frame`."""
        frame = to_frame(self.rows(), replay, sees_queue=self._sees_queue)
        return frame[frame["time_s"] > since_s - BIN_S / 2].reset_index(drop=True)

    def read_clients(self, since_s: float = 0.0) -> pd.DataFrame:
        """Return no rows: tc has no cells."""
        return client_telemetry.to_frame(np.zeros((0, 2, 0), client_telemetry.RECORD), 0, BIN_S)

    def rows(self) -> Floats:
        """Return the rows so far [n, ROW]."""
        size_bytes = os.fstat(self.fd).st_size
        values = np.frombuffer(os.pread(self.fd, size_bytes, 0), np.float64)
        return values[: len(values) // ROW * ROW].reshape(-1, ROW)


def to_frame(rows: Floats, replay: Replay, *, sees_queue: bool = True) -> pd.DataFrame:
    """Turn rows into the columns of `Testbed.telemetry`.

    The kernel counts dropped packets, not their bytes: those are NaN where there were any, and so is what was offered.
    It does not count what a device drops for being late: that is NaN. The worst queue is the worst of the samples.

    Parameters
    ----------
    rows
        As in the file [n, ROW], the first at the epoch.
    replay
        What was replayed.
    sees_queue
        Waiting packets are counted apart from those being delayed.
    """
    import pandas as pd

    times_s = rows[:, 0] if len(rows) else np.zeros(1)
    n_bin = int(np.floor(times_s[-1] / BIN_S + 1e-6))
    edges_s: Floats = np.arange(n_bin + 1, dtype=np.float64) * BIN_S
    pattern = replay.pattern
    late_s = _worst(times_s[1:], rows[1:, 1], n_bin)
    frames = []
    for i, (name, direction) in enumerate(zip(DIRECTIONS, (pattern.downlink, pattern.uplink), strict=True)):
        part = rows[:, 2 + i * len(FIELDS) :] if len(rows) else np.zeros((1, len(FIELDS)))
        counted = [np.diff(np.interp(edges_s, times_s, part[:, k])) for k in range(len(COUNTED))]
        at_edges = [np.interp(edges_s, times_s, part[:, len(COUNTED) + k]) for k in range(2)]
        columns: dict[str, object] = {"time_s": edges_s[:-1], "direction": np.full(n_bin, name, dtype=object)}
        packets = dict(zip(("queue", "outage", "loss"), counted[2:], strict=True))
        never, unknown = np.zeros(n_bin), np.full(n_bin, np.nan)
        drops = {"aqm": never, "device": unknown, **packets}
        drop_bytes = {cause: np.where(count > 0, np.nan, count) for cause, count in drops.items()}
        dropped = [sum(values[c] for c in packets) for values in (drop_bytes, drops)]
        columns["offered_bytes"] = counted[0] + np.diff(at_edges[0]) + dropped[0]
        columns["offered_packets"] = counted[1] + np.diff(at_edges[1]) + dropped[1]
        columns["delivered_bytes"], columns["delivered_packets"] = counted[0], counted[1]
        for cause in CAUSES:
            columns[f"dropped_{cause}_bytes"] = drop_bytes[cause]
            columns[f"dropped_{cause}_packets"] = drops[cause]
        for note, is_asked in _notes(direction).items():
            for unit in ("bytes", "packets"):
                columns[f"{note}_{unit}"] = unknown if is_asked else never
        columns["queue_bytes"] = at_edges[0][1:]
        columns["queue_max_bytes"] = np.maximum(
            np.maximum(at_edges[0][1:], at_edges[0][:-1]), _worst(times_s[1:], part[1:, len(COUNTED)], n_bin)
        )
        columns["capacity_bytes"] = capacity_bytes(pattern, direction, edges_s + replay.start_at_s)
        columns["backlogged"] = _busy(times_s, part, n_bin) if sees_queue else np.zeros(n_bin, dtype=bool)
        columns["lateness_s"] = late_s
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True).sort_values(["time_s", "direction"], ignore_index=True, kind="stable")


def _notes(direction: Direction) -> dict[str, bool]:
    """Return whether a direction asks for copies, damage and reordering, which the kernel does not count."""
    asked = {"duplicated": direction.duplication, "damaged": direction.bit_error, "reordered": direction.reordering}
    return {note: bool(note in asked and (asked[note] > 0).any()) for note in NOTES}


def _bins(times_s: Floats, n_bin: int) -> tuple[Floats, Floats]:
    """Return the bins in which the stretch before each sample begins and ends."""
    ends = np.clip(np.ceil(times_s / BIN_S - 1e-6) - 1, 0, n_bin)
    begins = np.clip(np.floor(np.concatenate(([0.0], times_s))[:-1] / BIN_S + 1e-6), 0, n_bin)
    return begins, ends


def _worst(times_s: Floats, values: Floats, n_bin: int) -> Floats:
    worst = np.zeros(n_bin + 1)
    np.maximum.at(worst, _bins(times_s, n_bin)[1].astype(np.intp), values)
    return worst[:n_bin]


def _busy(times_s: Floats, part: Floats, n_bin: int) -> Floats:
    """Return in which bins the queue was certainly never empty: in every stretch it held more than was sent."""
    queue_bytes, sent_bytes = part[:, len(COUNTED)], np.diff(part[:, 0])
    idle = (queue_bytes[:-1] <= sent_bytes) | (queue_bytes[1:] <= 0)
    busy = np.ones(n_bin + 1, dtype=bool)
    for first, last, empty in zip(*_bins(times_s[1:], n_bin), idle, strict=True):
        if empty:
            busy[int(first) : int(last) + 1] = False
    return busy[:n_bin]
