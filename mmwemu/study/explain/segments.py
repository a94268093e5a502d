"""The packets of a run in one direction, and what TCP makes of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mmwemu.pattern.model import Floats

if TYPE_CHECKING:
    import pandas as pd

SYN, FIN = 2, 1
COLUMNS = (
    "direction", "number", "kind", "sent_s", "arrival_s", "departure_s", "delivery_s", "lateness_s", "client", "link",
    "client_port", "payload_bytes", "tcp_flags", "tcp_seq",
)  # fmt: skip

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Segments:
    """Packets of one direction in the order in which they were sent; times are s since the start of the link.

    Attributes
    ----------
    sent_s, arrival_s, departure_s, delivery_s
        As in docs/formats/packets.md, NaN where it never happened [n].
    due_s
        Delivery without the lateness of the emulator [n].
    port
        The client's port, which tells connections apart; -1 for packets that are not TCP [n].
    own
        Of the client of this run; others share the link [n].
    syn
        It opens a connection [n].
    payload
        It carries data [n].
    again
        It was sent before: a retransmission [n].
    lost
        It did not arrive [n].
    useless
        Lost, or its data had arrived before [n].
    first
        The packet that carried the same data first [n].
    advances
        Its arrival gave the receiver data that it could use at once: nothing before it was missing [n].
    """

    sent_s: Floats
    arrival_s: Floats
    departure_s: Floats
    delivery_s: Floats
    due_s: Floats
    port: NDArray[np.int64]
    own: Flags
    syn: Flags
    payload: Flags
    again: Flags
    lost: Flags
    useless: Flags
    first: NDArray[np.intp]
    advances: Flags


def segments(packets: pd.DataFrame, direction: str, client: int) -> Segments:
    """Return the packets of a direction of the access link.

    Parameters
    ----------
    packets
        With `COLUMNS`, of one link.
    direction
        ``downlink`` or ``uplink``.
    client
        Number of the client whose packets are ``own``.
    """
    part = packets[(packets["direction"] == direction) & (packets["kind"] != "copy") & packets["arrival_s"].notna()]
    part = part.sort_values("number", ignore_index=True)  # those of a super-packet have one time
    times = {name: part[name].to_numpy(np.float64) for name in ("sent_s", "arrival_s", "departure_s", "delivery_s")}
    lost = np.isnan(times["delivery_s"]) | (part["kind"] == "damaged").to_numpy()
    delivery_s = np.where(lost, np.nan, times["delivery_s"])
    flags, port, payload_bytes, seq = (
        part[name].fillna(-1).to_numpy(np.int64) for name in ("tcp_flags", "client_port", "payload_bytes", "tcp_seq")
    )
    port = np.where(flags >= 0, port, -1)
    syn = (flags >= 0) & (flags & SYN > 0)
    payload = (flags >= 0) & (payload_bytes > 0)
    own = (part["client"] == client).fillna(False).to_numpy(bool)
    n = len(part)
    again, advances, useless = np.zeros(n, bool), np.zeros(n, bool), lost.copy()
    first = np.arange(n)
    carries = syn | payload
    for one in np.unique(port[own & carries]):
        rows = np.flatnonzero((port == one) & own & carries)
        begin = _unwrapped(seq[rows])
        end = begin + np.where(syn[rows], 1, payload_bytes[rows])
        again[rows], first[rows] = _repeats(rows, begin, end)
        useless[rows] |= _late_copies(begin, delivery_s[rows])
        advances[rows] = _in_order(begin, delivery_s[rows]) & ~useless[rows]
    due_s = delivery_s - np.nan_to_num(part["lateness_s"].to_numpy(np.float64))
    return Segments(
        times["sent_s"], times["arrival_s"], times["departure_s"], delivery_s,
        due_s, port, own, syn, payload, again, lost, useless, first, advances,
    )  # fmt: skip


def _unwrapped(seq: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return sequence numbers that go on where those of 32 bits begin again."""
    steps = np.diff(seq).astype(np.uint32).astype(np.int32).astype(np.int64)
    result: NDArray[np.int64] = np.concatenate(([seq[0]], seq[0] + np.cumsum(steps)))
    return result


def _repeats(rows: Any, begin: Any, end: Any) -> tuple[Flags, NDArray[np.intp]]:
    """Return which packets carry nothing new, and which packet carried the first byte of each first."""
    sent = np.maximum.accumulate(end)
    again = np.concatenate(([False], end[1:] <= sent[:-1]))
    earliest = np.searchsorted(sent, begin, side="right")  # the first packet that reaches beyond this byte
    return again, rows[np.where(again, earliest, np.arange(len(rows)))]


def _late_copies(begin: Any, delivery_s: Floats) -> Flags:
    """Return which packets came after another that begins with the same byte."""
    order = np.lexsort((delivery_s, begin))  # NaN, which never came, is last
    same = np.concatenate(([False], np.diff(begin[order]) == 0)) & ~np.isnan(delivery_s[order])
    late = np.zeros(len(begin), bool)
    late[order] = same
    return late


def _in_order(begin: Any, delivery_s: Floats) -> Flags:
    """Return which packets came when all before them had come."""
    came = np.flatnonzero(~np.isnan(delivery_s))
    order = came[np.lexsort((delivery_s[came], begin[came]))]
    fresh = order[np.concatenate(([True], np.diff(begin[order]) != 0))] if len(order) else order
    ready = np.maximum.accumulate(delivery_s[fresh])
    result = np.zeros(len(begin), bool)
    result[fresh] = delivery_s[fresh] >= ready
    return result
