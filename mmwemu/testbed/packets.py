"""The packets of all links of a cell, in one file."""

from __future__ import annotations

import heapq
import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.errors import MmwemuError
from mmwemu.core.files import whole_file
from mmwemu.link.packets import (
    DIRECTIONS,
    RECORD_WITH_HEADER,
    Captured,
    PacketLog,
    captured,
    check_files,
    to_table,
    write_pcapng,
    write_tables,
)
from mmwemu.testbed.topology import CellTestbed

if TYPE_CHECKING:
    import pyarrow as pa

# In an IPv4 packet; the client is the source in the uplink and the destination in the downlink.
_SOURCE, _DESTINATION, _END = 12, 16, 20


@contextmanager
def keeping_cell_packets(testbed: CellTestbed, files: Sequence[Path]) -> Iterator[None]:
    """Log the packets of all links' next start and write them to files, at least one; what there is if interrupted.

    Parquet has the columns of `mmwemu.link.packets.to_table` and ``link`` and ``client``, as in `to_cell_table`,
    link by link; pcapng has two interfaces for each link, and all times count from the start of the first link.

    Raises
    ------
    InputError
        As `mmwemu.link.packets.check_files`, or if the folder of the first cannot be written.
    MmwemuError
        If the disk has no room.
    """
    check_files(files)
    numbers = testbed.link_numbers
    with ExitStack() as stack:
        logs = {number: stack.enter_context(PacketLog(files[0].parent, headers=True)) for number in numbers}
        for number, log in logs.items():
            testbed.log_packets(log, number)

        def write() -> None:
            for number in numbers:
                testbed.finish_packets(number)
            for path in files:
                with whole_file(path) as draft:
                    (_write_pcapng if path.suffix == ".pcapng" else _write_parquet)(draft, testbed, logs)

        try:
            yield
        except BaseException:
            with suppress(MmwemuError):  # what ended the run says more
                write()
            raise
        write()


def to_cell_table(records: NDArray[Any], core_delay_s: float, link: int, clients: Sequence[str]) -> pa.Table:
    """Turn records [n_packet] of dtype `RECORD_WITH_HEADER` into a table that says whose packets they are.

    It has two columns more than that of `mmwemu.link.packets.to_table`: ``link`` (0: the core link) and ``client``,
    from 1 by address, null for a packet of none.
    """
    import pyarrow as pa

    uplink = (records["direction"] != 0)[:, np.newaxis]
    header = records["header"]
    addresses = np.where(uplink, header[:, _SOURCE:_DESTINATION], header[:, _DESTINATION:_END])
    keys = np.ascontiguousarray(addresses).view(">u4").ravel()
    client = np.zeros(len(records), np.int16)
    for i, address in enumerate(clients, 1):
        client[keys == int(ipaddress.IPv4Address(address))] = i
    table = to_table(records, core_delay_s)
    table = table.append_column("link", pa.array(np.full(len(records), link, np.int16)))
    return table.append_column("client", pa.array(client, mask=client == 0))


def _write_parquet(path: Path, testbed: CellTestbed, logs: Mapping[int, PacketLog]) -> None:
    clients = testbed.client_addresses
    tables = (
        to_cell_table(part, testbed.core_delay_s(link), link, clients)
        for link, log in logs.items()
        for part in log.by_arrival()
    )
    write_tables(path, to_cell_table(np.empty(0, RECORD_WITH_HEADER), 0.0, 0, clients), tables)


def _write_pcapng(path: Path, testbed: CellTestbed, logs: Mapping[int, PacketLog]) -> None:
    names = [f"{direction} {number or 'core'}" for number in logs for direction in DIRECTIONS]
    epochs_ns = {number: testbed.epoch_ns(number) for number in logs}
    first_ns = min((epoch_ns for epoch_ns in epochs_ns.values() if epoch_ns is not None), default=0)

    def moved(place: int, number: int, log: PacketLog) -> Iterator[Captured]:
        later_ns = (epochs_ns[number] or first_ns) - first_ns
        for packet in captured(log.by_arrival(), testbed.core_delay_s(number)):
            yield packet._replace(
                time_ns=packet.time_ns + later_ns, interface=len(DIRECTIONS) * place + packet.interface
            )

    streams = [moved(place, number, log) for place, (number, log) in enumerate(logs.items())]
    write_pcapng(path, names, heapq.merge(*streams, key=lambda packet: packet.time_ns))
