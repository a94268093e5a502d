"""The packets of all links of a testbed, kept in files."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.core.files import whole_file
from mmwemu.link.packet_capture import CapturedPacket, captured, write_pcapng
from mmwemu.link.packet_table import to_table, write_parquet
from mmwemu.link.packets import DIRECTIONS, PacketLog
from mmwemu.testbed.testbed import Testbed

SUFFIXES = (".parquet", ".pcapng")


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
def keeping_packets(testbed: Testbed, files: Sequence[Path]) -> Iterator[Mapping[int, PacketLog]]:
    """Yield logs for `Testbed.start`, and write them to files on leaving; if interrupted, what there is.

    Parquet has the columns of `mmwemu.link.packet_table.to_table`, link by link. pcapng has two interfaces for each
    link, and all times count from the start of the first link.

    Parameters
    ----------
    testbed
        Whose packets are kept.
    files
        Where to, in the form that each suffix tells; none: nothing is kept.

    Raises
    ------
    InputError
        As `check_files`, or if the folder of the first cannot be written, or the testbed cannot record packets.
    MmwemuError
        If the disk has no room.
    """
    if not files:
        yield {}
        return
    testbed.setup.require("packets")
    check_files(files)
    with ExitStack() as stack:
        logs = {number: stack.enter_context(PacketLog(files[0].parent, headers=True)) for number in testbed.links}

        def write() -> None:
            for link in testbed.links.values():
                link.finish_packets()
            for path in files:
                with whole_file(path) as draft:
                    (_write_pcapng if path.suffix == ".pcapng" else _write_parquet)(draft, testbed, logs)

        try:
            yield logs
        except BaseException:
            with suppress(MmwemuError):  # the error that ended the run says more
                write()
            raise
        write()


def _write_parquet(path: Path, testbed: Testbed, logs: Mapping[int, PacketLog]) -> None:
    addresses = [client.address for client in testbed.clients]
    tables = (
        to_table(part, testbed.links[number].core_delay_s, number, addresses)
        for number, log in logs.items()
        for part in log.by_arrival()
    )
    write_parquet(path, tables)


def _write_pcapng(path: Path, testbed: Testbed, logs: Mapping[int, PacketLog]) -> None:
    if len(logs) == 1:
        names = list(DIRECTIONS)
    else:
        names = [f"{direction} {number or 'core'}" for number in logs for direction in DIRECTIONS]
    epochs_ns = {number: testbed.links[number].epoch_ns() for number in logs}
    first_ns = min((epoch_ns for epoch_ns in epochs_ns.values() if epoch_ns is not None), default=0)

    def moved(place: int, number: int, log: PacketLog) -> Iterator[CapturedPacket]:
        later_ns = (epochs_ns[number] or first_ns) - first_ns
        for packet in captured(log.by_arrival(), testbed.links[number].core_delay_s):
            yield packet._replace(
                time_ns=packet.time_ns + later_ns, interface=len(DIRECTIONS) * place + packet.interface
            )

    streams = [moved(place, number, log) for place, (number, log) in enumerate(logs.items())]
    write_pcapng(path, names, heapq.merge(*streams, key=lambda packet: packet.time_ns))
