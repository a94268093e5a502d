"""The record that the emulator writes of each packet."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.errors import InputError
from mmwemu.core.units import from_ns
from mmwemu.pattern.model import Floats

DIRECTIONS = ("downlink", "uplink")
KINDS = ("packet", "copy", "damaged")
HEADER_BYTES = 80
_ROWS = 1 << 18  # converted at once
_NEVER = np.iinfo(np.int64).max
_TIMES = ("arrival_ns", "departure_ns", "due_ns", "delivered_ns")
_FIELDS: list[tuple[str, Any]] = [
    ("number", "<u8"),
    *((name, "<i8") for name in _TIMES),
    ("size_bytes", "<u4"),
    ("direction", "u1"),
    ("ending", "u1"),
    ("marked", "u1"),
    ("header_bytes", "u1"),
]
RECORD = np.dtype(_FIELDS)
RECORD_WITH_HEADER = np.dtype([*_FIELDS, ("header", "u1", (HEADER_BYTES,))])


class PacketLog:
    """A nameless file to which the emulator writes a record of each packet.

    Parameters
    ----------
    folder
        A folder with room for 48 bytes a packet, 128 with headers.
    headers
        Keep the start of each packet too, which a capture needs.

    Attributes
    ----------
    fd
        Its descriptor, for the emulator.
    """

    def __init__(self, folder: Path, *, headers: bool) -> None:
        self._file = _open_nameless(folder)
        self.fd = self._file.fileno()
        self.headers = headers

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._file.close()

    def records(self) -> NDArray[Any]:
        """Return the records [n_packet] as they are in the file, in the order in which the packets left the link."""
        dtype = RECORD_WITH_HEADER if self.headers else RECORD
        self._file.seek(0, 2)
        n_packet = self._file.tell() // dtype.itemsize
        if n_packet == 0:
            return np.empty(0, dtype)
        return np.memmap(self._file, dtype, "r", shape=(n_packet,))

    def by_arrival(self) -> Iterator[NDArray[Any]]:
        """Yield the records in the order of arrival, some at a time."""
        records = self.records()
        order = np.argsort(records["arrival_ns"], kind="stable")
        for first in range(0, len(order), _ROWS):
            yield records[order[first : first + _ROWS]]


def _open_nameless(folder: Path) -> IO[bytes]:
    try:
        return tempfile.TemporaryFile(dir=folder)
    except OSError as error:
        raise InputError(str(folder), f"cannot be written: {error.strerror}") from None


def times_s(records: NDArray[Any], core_delay_s: float) -> dict[str, Floats]:
    """Return the times and delays of packets [n_packet], s; NaN where the event never happened.

    See `mmwemu.link.packet_table.to_table` for their names.
    """
    ns = {name: records[name].astype(np.int64) for name in _TIMES}

    def between(first: str, last: str) -> Floats:
        # Subtracted as whole numbers, so that a long run loses no digits.
        absent = (ns[first] == _NEVER) | (ns[last] == _NEVER)
        return np.where(absent, np.nan, from_ns((ns[last] - ns[first]).astype(np.float64)))

    def since_epoch(name: str) -> Floats:
        return np.where(ns[name] == _NEVER, np.nan, from_ns(ns[name].astype(np.float64)))

    # The core link is before the bottleneck in the downlink, and what has no number never reached it.
    before_s = np.where((records["direction"] == 0) & (records["number"] > 0), core_delay_s, 0.0)
    return {
        "sent_s": since_epoch("arrival_ns") - before_s,
        "arrival_s": np.where(records["number"] > 0, since_epoch("arrival_ns"), np.nan),
        "departure_s": since_epoch("departure_ns"),
        "delivery_s": since_epoch("delivered_ns"),
        "queueing_delay_s": between("arrival_ns", "departure_ns"),
        "propagation_delay_s": before_s + between("departure_ns", "due_ns"),
        "lateness_s": np.maximum(between("due_ns", "delivered_ns"), 0.0),
    }
