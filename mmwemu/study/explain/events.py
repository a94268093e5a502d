"""Look-ups in the packets of one direction: what came last until a time, what left before what."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from mmwemu.study.explain.segments import Flags, Segments


class Deliveries:
    """Deliveries of some packets, by time."""

    def __init__(self, one: Segments, which: Flags) -> None:
        rows = np.flatnonzero(which & ~np.isnan(one.delivery_s))
        order = np.argsort(one.delivery_s[rows], kind="stable")
        self._rows, self._times_s = rows[order].tolist(), one.delivery_s[rows][order].tolist()

    def latest(self, time_s: float) -> int | None:
        """Return the packet that was delivered last until a time."""
        place = bisect_right(self._times_s, time_s) - 1
        return self._rows[place] if place >= 0 else None


class Connections:
    """Deliveries of some of the run's packets, connection by connection."""

    def __init__(self, one: Segments, which: Flags) -> None:
        ports = np.unique(one.port[one.own & (one.port >= 0)]).tolist()
        self._by_port = {port: Deliveries(one, which & one.own & (one.port == port)) for port in ports}

    def latest(self, port: int, time_s: float) -> int | None:
        """Return the packet of a connection that was delivered last until a time."""
        found = self._by_port.get(port)
        return None if found is None else found.latest(time_s)


class Departures:
    """The packets of a direction in the order in which they left the bottleneck.

    Attributes
    ----------
    order
        The packets, those of other clients too.
    place
        Where each packet is in ``order``.
    """

    def __init__(self, one: Segments) -> None:
        left = np.flatnonzero(~np.isnan(one.departure_s))
        self.order: list[int] = left[np.argsort(one.departure_s[left], kind="stable")].tolist()
        self.place = {i: place for place, i in enumerate(self.order)}


def sent_before(one: Segments) -> list[float]:
    """Return when the connection of each packet had sent data before, s; -inf before the first."""
    before_s = np.full(len(one.sent_s), -np.inf)
    for port in np.unique(one.port[one.own & one.payload]):
        rows = np.flatnonzero(one.own & one.payload & (one.port == port))
        before_s[rows[1:]] = one.sent_s[rows[:-1]]
    result: list[float] = before_s.tolist()
    return result


def first_payloads(one: Segments) -> set[int]:
    """Return the packet of each connection that carried its first data."""
    rows = np.flatnonzero(one.own & one.payload)
    return set(rows[np.unique(one.port[rows], return_index=True)[1]].tolist())


def first_losses(one: Segments) -> dict[int, float]:
    """Return when each connection sent the first packet that was lost, by the client's port, s."""
    rows = np.flatnonzero(one.own & one.lost & one.payload)
    ports, places = np.unique(one.port[rows], return_index=True)
    return dict(zip(ports.tolist(), one.sent_s[rows][places].tolist(), strict=True))
