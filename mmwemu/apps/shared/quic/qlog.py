"""The state of a sender of QUIC, read from its log while it is written.

The log is that of ngtcp2 (draft-ietf-quic-qlog-main-schema, JSON-SEQ): an event a line, times in whole milliseconds
since the connection began. It takes a third of the bytes sent, so what was read is given back to the file system.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmwemu.core.errors import MmwemuError

_METRICS, _LOST = b'"recovery:metrics_updated"', b'"recovery:packet_lost"'
_PIECE_BYTES = 2**20
_KEEP_SIZE_AND_PUNCH = 1 | 2
_MS_PER_S = 1e3


@dataclass(frozen=True)
class SenderState:
    """What a sender knew at a time.

    Attributes
    ----------
    time_ns
        CLOCK_MONOTONIC.
    cwnd_bytes, ssthresh_bytes, in_flight_bytes
        Congestion window, slow-start threshold (NaN before it is set), bytes sent and not yet acknowledged.
    rtt_s, rttvar_s, rtt_min_s
        Smoothed round trip, its variation, and the least; NaN before the first.
    lost_packets
        Packets taken for lost so far.
    probe_timeouts
        Probe timeouts since the last acknowledgement (RFC 9002, 6.2).
    """

    time_ns: int
    cwnd_bytes: float
    ssthresh_bytes: float
    in_flight_bytes: float
    rtt_s: float
    rttvar_s: float
    rtt_min_s: float
    lost_packets: int
    probe_timeouts: int


class Qlog:
    """The log of the only connection of a server, in a folder that nothing else is written to.

    Attributes
    ----------
    lost_packets
        Packets taken for lost so far.
    """

    def __init__(self, folder: Path) -> None:
        self.lost_packets = 0
        self._folder = folder
        self._fd: int | None = None
        self._begin_ns = 0
        self._rest = b""
        self._offset = 0
        self._latest_ms = -math.inf

    def read(self) -> SenderState | None:
        """Read on and return the latest state, None if it is no later than the one before.

        Raises
        ------
        MmwemuError
            If the log is none.
        """
        if self._fd is None and not self._open():
            return None
        newest = b""
        while piece := os.read(self._fd or 0, _PIECE_BYTES):
            lines, end, self._rest = (self._rest + piece).rpartition(b"\n")
            self.lost_packets += lines.count(_LOST)
            if (at := lines.rfind(_METRICS)) >= 0:
                newest = (lines + end)[lines.rfind(b"\n", 0, at) + 1 :].partition(b"\n")[0]
            self._give_back(len(piece))
        return self._state(newest) if newest else None

    def close(self) -> None:
        """Close the file."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _open(self) -> bool:
        """Open the file; the connection began when it was made, which is when its folder changed."""
        found = next(iter(self._folder.glob("*qlog")), None)
        if found is None:
            return False
        ahead_ns = time.time_ns() - time.monotonic_ns()
        self._begin_ns = self._folder.stat().st_mtime_ns - ahead_ns
        self._fd = os.open(found, os.O_RDWR | os.O_CLOEXEC)
        return True

    def _give_back(self, length: int) -> None:
        """Punch a hole where the file was read; file systems that cannot keep it whole."""
        with suppress(AttributeError):
            ctypes.CDLL(None).fallocate(
                self._fd, _KEEP_SIZE_AND_PUNCH, ctypes.c_int64(self._offset), ctypes.c_int64(length)
            )
        self._offset += length

    def _state(self, line: bytes) -> SenderState | None:
        try:
            event = json.loads(line.lstrip(b"\x1e"))
            time_ms, data = float(event["time"]), event["data"]
            if time_ms <= self._latest_ms:
                return None
            measured = 1.0 if "min_rtt" in data else math.nan  # until then the round trip is a guess
            state = SenderState(
                time_ns=self._begin_ns + round(time_ms * 1e6),
                cwnd_bytes=float(data["congestion_window"]),
                ssthresh_bytes=_number(data, "ssthresh"),
                in_flight_bytes=float(data["bytes_in_flight"]),
                rtt_s=measured * _number(data, "smoothed_rtt") / _MS_PER_S,
                rttvar_s=measured * _number(data, "rtt_variance") / _MS_PER_S,
                rtt_min_s=_number(data, "min_rtt") / _MS_PER_S,
                lost_packets=self.lost_packets,
                probe_timeouts=int(data.get("pto_count", 0)),
            )
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise MmwemuError(f"the log of the QUIC server cannot be read: {error!r}") from None
        self._latest_ms = time_ms
        return state


def _number(data: dict[str, Any], name: str) -> float:
    return float(data.get(name, math.nan))
