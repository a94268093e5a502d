"""Recorded packets as a capture that Wireshark reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from mmwemu.link import pcapng
from mmwemu.link.packets import HEADER_BYTES, KINDS, times_s
from mmwemu.link.telemetry import CAUSES


class CapturedPacket(NamedTuple):
    """The start of a packet, for pcapng; ``interface`` counts directions, the downlink first."""

    time_ns: int
    interface: int
    data: bytes
    size_bytes: int
    comment: str


def captured(parts: Iterable[NDArray[Any]], core_delay_s: float) -> Iterator[CapturedPacket]:
    """Yield packets with their fate as a comment, from records of dtype `RECORD_WITH_HEADER`."""
    for part in parts:
        times = times_s(part, core_delay_s)
        columns = [times[name].tolist() for name in ("queueing_delay_s", "propagation_delay_s", "delivery_s")]
        comments = map(_comment, part["ending"].tolist(), part["marked"].tolist(), *columns)
        fields = [part[name].tolist() for name in ("arrival_ns", "direction", "size_bytes", "header_bytes")]
        headers = part["header"]
        for i, (comment, *values) in enumerate(zip(comments, *fields, strict=True)):
            arrival_ns, direction, size_bytes, header_bytes = values
            yield CapturedPacket(arrival_ns, direction, headers[i, :header_bytes].tobytes(), size_bytes, comment)


def write_pcapng(path: Path, interfaces: Sequence[str], packets: Iterable[CapturedPacket]) -> None:
    """Write packets to a pcapng file."""
    with path.open("wb") as file:
        pcapng.write_head(file, interfaces, HEADER_BYTES)
        for packet in packets:
            pcapng.write_packet(file, packet.interface, packet.time_ns, packet.data, packet.size_bytes, packet.comment)


def _comment(ending: int, marked: int, queueing_s: float, propagation_s: float, delivery_s: float) -> str:
    """Describe the fate of a packet."""
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
