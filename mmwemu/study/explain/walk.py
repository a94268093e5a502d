"""The time of a run on the clock of the downlink's bottleneck: what it sent, and what kept it from sending.

The waiting is followed back from packet to packet, as Barford and Crovella do (Critical path analysis of TCP
transactions, IEEE/ACM ToN 9(3), 2001). docs/explanation/explain.md has the rules.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.study.explain.causes import Cause, Interval
from mmwemu.study.explain.events import Connections, Deliveries, Departures, first_losses, first_payloads, sent_before
from mmwemu.study.explain.outages import Outages
from mmwemu.study.explain.segments import Segments
from mmwemu.study.explain.trail import Trail

_TIMER_LEAST_S = 0.005  # what is sent later than this after all that could have caused it was sent by a timer


@dataclass(frozen=True)
class Way:
    """One direction of the access link: its packets and its outages."""

    segments: Segments
    outages: Outages


class Walker:
    """Walk through a run, from its end to its beginning.

    Parameters
    ----------
    down, up
        Both directions.
    paced
        Whether the sender spaces packets by a timer.
    tls
        Whether connections begin with a handshake of TLS.
    """

    def __init__(self, down: Way, up: Way, *, paced: bool, tls: bool) -> None:
        self._down, self._up = down, up
        self._paced, self._tls = paced, tls
        sent, came = down.segments, up.segments
        self._usable = Deliveries(sent, sent.own & (sent.advances | sent.syn))
        self._received, self._arrived = Connections(sent, sent.own), Connections(came, came.own)
        self._asked, self._sent_before_s = Connections(came, came.payload), sent_before(sent)
        self._left, self._up_left = Departures(sent), Departures(came)
        self._hello, self._first_loss_s = first_payloads(came), first_losses(sent)

    def walk(self, last: int | None, end_s: float, *, begin_s: float, unfinished: bool = False) -> list[Interval]:
        """Return the intervals of a run, in order.

        Parameters
        ----------
        last
            The packet of the downlink with the last data that the run needed; None if nothing came.
        end_s, begin_s
            The run's end and beginning.
        unfinished
            Whether the limit ended the run.

        Raises
        ------
        InputError
            If the packets do not belong together.
        """
        one = self._down.segments
        trail = Trail(end_s, begin_s)
        ended: Cause = "unfinished" if unfinished else "computer"
        silent = self._down.outages if unfinished else None
        trail.back_to(begin_s if last is None else float(one.delivery_s[last]), ended, silent)
        if last is not None:
            trail.back_to(float(one.due_s[last]), "computer")
            trail.back_to(float(one.departure_s[last]), "request")
            self._sending(trail, last)
        return trail.backwards()[::-1]

    def _sending(self, trail: Trail, last: int) -> None:
        """Walk from the departure of the last packet to the beginning."""
        one, order = self._down.segments, self._left.order
        own, useless = one.own.tolist(), (one.useless & (one.payload | one.lost)).tolist()
        departure_s, arrival_s = one.departure_s.tolist(), one.arrival_s.tolist()
        place = self._left.place[last]
        while not trail.done:
            i = order[place]
            since_s = arrival_s[i]
            cause: Cause = "recovery" if useless[i] else "transfer"
            while True:  # through those of other clients that left meanwhile
                place -= 1
                free_s = departure_s[order[place]] if place >= 0 else -np.inf
                trail.back_to(max(free_s, since_s), cause, self._down.outages)
                if place < 0 or own[order[place]]:
                    break
                cause = "queue"
            if since_s > free_s:
                self._gap(trail, i, None if place < 0 else free_s)

    def _gap(self, trail: Trail, i: int, free_s: float | None) -> None:
        """Walk from the arrival of a packet to when the bottleneck had sent the one before; None if it is the first.

        The sender is looked at on its own clock, which is earlier by the packet's way to the bottleneck: what kept it
        from sending sooner is what the bottleneck lacked later.
        """
        one = self._down.segments
        sent_s, arrival_s = float(one.sent_s[i]), float(one.arrival_s[i])
        if free_s is None:
            rest = trail
            trail.back_to(sent_s, None)
            later_s = 0.0
        else:
            later_s = arrival_s - sent_s
            rest = Trail(sent_s, free_s - later_s)
        while not rest.done:
            before = self._round(rest, i)
            if before is None:
                break
            i = before
        if free_s is None:
            trail.back_to(-np.inf, "computer")
        else:
            rest.back_to(-np.inf, "computer")
            trail.extend(rest.backwards(), later_s, self._down.outages)

    def _round(self, trail: Trail, i: int) -> int | None:
        """Walk from the sending of a packet by the server to that of the packet that the client answered before.

        Returns
        -------
        That packet; None if the client began by itself.
        """
        up, cause = self._at_server(trail, i)
        first = self._uplink(trail, up)
        down = self._at_client(trail, first)
        if down is not None:
            one = self._down.segments
            trail.back_to(float(one.due_s[down]), "computer")
            trail.back_to(float(one.sent_s[down]), None)
        trail.name(cause)
        return down

    def _at_server(self, trail: Trail, i: int) -> tuple[int, Cause]:
        """Walk from the sending of a packet to the delivery that made the server send it; say what the trip was for."""
        sent, came = self._down.segments, self._up.segments
        sent_s = float(sent.sent_s[i])
        up = self._arrived.latest(int(sent.port[i]), sent_s)
        if up is None:
            raise InputError("packets", f"hold none that made the server send at {sent_s:.6f} s")
        # A request counts although an acknowledgement came between it and the answer.
        asked = self._asked.latest(int(sent.port[i]), sent_s)
        if asked is not None and not sent.again[i]:
            asked_s = float(came.delivery_s[asked])
            up = asked if asked_s > max(self._sent_before_s[i], sent_s - _TIMER_LEAST_S) else up
        waited_s = sent_s - float(came.delivery_s[up])
        if sent.again[i] and waited_s >= _TIMER_LEAST_S:
            waiting: Cause = "timeout"
        elif came.payload[up]:
            waiting = "server"
        else:
            waiting = "pacing" if self._paced and not sent.syn[i] else "computer"
        trail.back_to(float(came.delivery_s[up]), waiting)
        return up, self._trip(i, up)

    def _trip(self, down: int, up: int) -> Cause:
        """Return what a packet of the client and the server's answer were for."""
        sent, came = self._down.segments, self._up.segments
        if sent.syn[down] or came.syn[up]:
            return "setup"
        if sent.again[down]:
            return "recovery"
        if came.payload[up]:
            return "setup" if self._tls and up in self._hello else "request"
        lost_s = self._first_loss_s.get(int(sent.port[down]), np.inf)
        return "slow_start" if sent.sent_s[down] <= lost_s else "window"

    def _uplink(self, trail: Trail, i: int) -> int:
        """Walk from the delivery of a packet of the client to the sending of the one that it followed in the queue."""
        one, order = self._up.segments, self._up_left.order
        trail.back_to(float(one.due_s[i]), "computer")
        trail.back_to(float(one.departure_s[i]), None)
        place = self._up_left.place[i]
        while not trail.done:
            served, place = order[place], place - 1
            free_s = float(one.departure_s[order[place]]) if place >= 0 else -np.inf
            cause: Cause = "transfer" if one.own[served] else "queue"
            trail.back_to(max(free_s, float(one.arrival_s[i])), cause, self._up.outages)
            if free_s <= one.arrival_s[i]:
                break
            if one.own[order[place]]:
                i = order[place]
        trail.back_to(float(one.sent_s[i]), None)
        return i

    def _at_client(self, trail: Trail, i: int) -> int | None:
        """Walk from the sending of a packet to the delivery that made the client send it, None if none did."""
        sent, came = self._up.segments, self._down.segments
        while True:
            sent_s, port = float(sent.sent_s[i]), int(sent.port[i])
            if sent.again[i]:  # the timer ran from the first sending, or from what came since
                down = self._received.latest(port, sent_s)
                since_s = -np.inf if down is None else float(came.delivery_s[down])
                i = int(sent.first[i])
                trail.back_to(max(since_s, float(sent.sent_s[i])), "timeout")
                if since_s >= sent.sent_s[i]:
                    return down
                continue
            speaks = bool(sent.payload[i] or sent.syn[i])
            down = self._usable.latest(sent_s) if speaks else self._received.latest(port, sent_s)
            if down is not None:
                delivery_s = float(came.delivery_s[down])
                delayed = not speaks and sent_s - delivery_s >= _TIMER_LEAST_S  # an acknowledgement that waited
                trail.back_to(delivery_s, None if delayed else "computer")
            return down
