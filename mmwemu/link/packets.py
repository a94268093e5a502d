"""A record of each packet that met the link: what the engine writes, as columns and as files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.core.files import whole_file
from mmwemu.link import pcapng
from mmwemu.link.schedule import NS_PER_S
from mmwemu.link.telemetry import CAUSES
from mmwemu.pattern.model import Floats

if TYPE_CHECKING:
    import pyarrow as pa

    from mmwemu.testbed.sandbox import NamespaceTestbed

TUN_ONLY = "can be written down one by one with backend tun only"
SUFFIXES = (".parquet", ".pcapng")
DIRECTIONS = ("downlink", "uplink")
KINDS = ("packet", "copy", "damaged")
HEADER_BYTES = 80
_ROWS = 1 << 18  # turned at once
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
    """A file without a name that the engine writes a record of each packet to.

    Parameters
    ----------
    folder
        Where there is room for it: 48 bytes a packet, 128 with headers.
    headers
        Keep the start of each packet too; `write_pcapng` needs it.

    Attributes
    ----------
    fd
        Its descriptor, for the engine.
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
        """Give the records [n_packet] as they are in the file, in the order in which packets ended."""
        dtype = RECORD_WITH_HEADER if self.headers else RECORD
        self._file.seek(0, 2)
        n_packet = self._file.tell() // dtype.itemsize
        if n_packet == 0:
            return np.empty(0, dtype)
        return np.memmap(self._file, dtype, "r", shape=(n_packet,))

    def write(self, path: Path, core_delay_s: float) -> None:
        """Write a file of the form that its suffix tells, .parquet or .pcapng."""
        if path.suffix == ".pcapng":
            self.write_pcapng(path, core_delay_s)
        else:
            self.write_parquet(path, core_delay_s)

    def write_parquet(self, path: Path, core_delay_s: float) -> None:
        """Write a row for each packet, by arrival; see `to_table` for the columns."""
        tables = (to_table(part, core_delay_s) for part in self.by_arrival())
        write_tables(path, to_table(np.empty(0, RECORD), core_delay_s), tables)

    def write_pcapng(self, path: Path, core_delay_s: float) -> None:
        """Write the start of each packet, by arrival since the epoch, with what befell it as its comment."""
        write_pcapng(path, DIRECTIONS, captured(self.by_arrival(), core_delay_s))

    def by_arrival(self) -> Iterator[NDArray[Any]]:
        """Give the records in the order of arrival, some at a time."""
        records = self.records()
        order = np.argsort(records["arrival_ns"], kind="stable")
        for first in range(0, len(order), _ROWS):
            yield records[order[first : first + _ROWS]]


class Captured(NamedTuple):
    """The start of a packet, for pcapng; its interface is the place of its direction."""

    time_ns: int
    interface: int
    data: bytes
    size_bytes: int
    comment: str


def captured(parts: Iterable[NDArray[Any]], core_delay_s: float) -> Iterator[Captured]:
    """Give packets with what befell them, from records of dtype `RECORD_WITH_HEADER`."""
    for part in parts:
        times_s = _times_s(part, core_delay_s)
        columns = [times_s[name].tolist() for name in ("queueing_delay_s", "propagation_delay_s", "delivery_s")]
        comments = map(_comment, part["ending"].tolist(), part["marked"].tolist(), *columns)
        fields = [part[name].tolist() for name in ("arrival_ns", "direction", "size_bytes", "header_bytes")]
        headers = part["header"]
        for i, (comment, *values) in enumerate(zip(comments, *fields, strict=True)):
            arrival_ns, direction, size_bytes, header_bytes = values
            yield Captured(arrival_ns, direction, headers[i, :header_bytes].tobytes(), size_bytes, comment)


def write_tables(path: Path, empty: pa.Table, tables: Iterable[pa.Table]) -> None:
    """Write tables with the columns of ``empty`` to one Parquet file."""
    import pyarrow.parquet as pq

    schema = empty.schema.with_metadata({b"format": b"1"})
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for table in tables:
            writer.write_table(table.cast(schema))


def write_pcapng(path: Path, interfaces: Sequence[str], packets: Iterable[Captured]) -> None:
    """Write packets to a pcapng file."""
    with path.open("wb") as file:
        pcapng.write_head(file, interfaces, HEADER_BYTES)
        for packet in packets:
            pcapng.write_packet(file, packet.interface, packet.time_ns, packet.data, packet.size_bytes, packet.comment)


def _open_nameless(folder: Path) -> IO[bytes]:
    try:
        return tempfile.TemporaryFile(dir=folder)
    except OSError as error:
        raise InputError(str(folder), f"cannot be written: {error.strerror}") from None


def check_files(paths: Sequence[Path]) -> None:
    """Refuse files that packets cannot be written to.

    Raises
    ------
    InputError
        If one is neither Parquet nor pcapng by its suffix, or has no folder.
    """
    for path in paths:
        if path.suffix not in SUFFIXES:
            raise InputError(str(path), f"must end in {' or '.join(SUFFIXES)}")
        if not path.parent.is_dir():
            raise InputError(str(path), "cannot be written: its folder does not exist")


@contextmanager
def keeping_packets(testbed: NamespaceTestbed, files: Sequence[Path], core_delay_s: float) -> Iterator[None]:
    """Log the packets of the testbed's next start and write them to files, at least one; what there is if interrupted.

    Parameters
    ----------
    testbed
        Of backend tun.
    files
        Where to.
    core_delay_s
        Of the link, s.

    Raises
    ------
    InputError
        As `check_files`, or if the folder of the first cannot be written, or the backend cannot.
    MmwemuError
        If the disk has no room.
    """
    with open_log(files) as log:
        testbed.log_packets(log)

        def write() -> None:
            testbed.finish_packets()
            for path in files:
                with whole_file(path) as draft:
                    log.write(draft, core_delay_s)

        try:
            yield
        except BaseException:
            with suppress(MmwemuError):  # what ended the run says more
                write()
            raise
        write()


@contextmanager
def open_log(paths: Sequence[Path]) -> Iterator[PacketLog]:
    """Give a log for what is to be written to some files, at least one.

    Raises
    ------
    InputError
        As `check_files`, or if the folder of the first cannot be written.
    """
    check_files(paths)
    with PacketLog(paths[0].parent, headers=any(path.suffix == ".pcapng" for path in paths)) as log:
        yield log


def to_table(records: NDArray[Any], core_delay_s: float) -> pa.Table:
    """Turn records [n_packet] into a table with a row each.

    Columns: direction, number (in its direction, from 1, as they came to the bottleneck), kind (packet, copy, damaged),
    size_bytes; sent_s, arrival_s (at the bottleneck), departure_s (from it), delivery_s, all since the epoch;
    queueing_delay_s (from arrival to departure), propagation_delay_s, lateness_s; drop (queue, aqm, loss, outage,
    device); marked. Null is what did not come to be.

    Parameters
    ----------
    records
        Of dtype `RECORD` or `RECORD_WITH_HEADER`.
    core_delay_s
        Of the link, s.
    """
    import pyarrow as pa

    ending = records["ending"].astype(np.int8)
    cause = np.where(ending >= len(KINDS), ending - len(KINDS), -1)
    kind = np.where(ending < len(KINDS), ending, 0)
    number = records["number"].astype(np.int64)
    columns = {
        "direction": _words(DIRECTIONS, records["direction"]),
        "number": pa.array(number, mask=number == 0),
        "kind": _words(KINDS, kind),
        "size_bytes": pa.array(records["size_bytes"].astype(np.int32)),
        **{name: pa.array(times, mask=np.isnan(times)) for name, times in _times_s(records, core_delay_s).items()},
        "drop": _words(CAUSES, cause),
        "marked": pa.array(records["marked"] != 0),
    }
    return pa.table(columns)


def _words(words: tuple[str, ...], codes: NDArray[Any]) -> pa.DictionaryArray:
    """Give words by their places, null for those below 0."""
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int8), mask=codes < 0), list(words))


def _times_s(records: NDArray[Any], core_delay_s: float) -> dict[str, Floats]:
    """Give times and delays [n_packet], s; NaN for what did not come to be."""
    ns = {name: records[name].astype(np.int64) for name in _TIMES}

    def between(first: str, last: str) -> Floats:
        # Subtracted as whole numbers, so that a long run loses no digits.
        absent = (ns[first] == _NEVER) | (ns[last] == _NEVER)
        return np.where(absent, np.nan, (ns[last] - ns[first]) / NS_PER_S)

    def since_epoch(name: str) -> Floats:
        return np.where(ns[name] == _NEVER, np.nan, ns[name] / NS_PER_S)

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


def _comment(ending: int, marked: int, queueing_s: float, propagation_s: float, delivery_s: float) -> str:
    """Say what befell a packet."""
    words = []
    if ending >= len(KINDS):
        words.append(f"dropped: {CAUSES[ending - len(KINDS)]}")
    elif ending > 0:
        words.append(KINDS[ending])
    if marked:
        words.append("congestion experienced")
    if queueing_s == queueing_s:
        words.append(f"queueing {queueing_s * 1e3:.3f} ms")
    if propagation_s == propagation_s:
        words.append(f"propagation {propagation_s * 1e3:.3f} ms")
    if delivery_s == delivery_s:
        words.append(f"delivered at {delivery_s:.6f} s")
    return "; ".join(words)
