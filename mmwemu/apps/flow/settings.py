"""A flow as it is asked for, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mmwemu.apps.flow.subpath import Subpath
from mmwemu.core.bounds import HIGHEST_RATE_BPS
from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.pattern.model import DirectionName

Protocol = Literal["tcp", "udp", "quic"]

MOST_STREAMS = 128
LONGEST_S = 86_400
LONGEST_WARM_UP_S = 600
"""The most that iperf3 takes of each."""

GRACE_S = 10.0
"""Extra time for connection set-up, exchange of results and an outage, s."""


@dataclass(frozen=True)
class FlowSettings:
    """Settings of a flow.

    Attributes
    ----------
    protocol
        ``tcp``, ``udp`` or ``quic``.
    direction
        ``downlink`` to the client, ``uplink`` to the server.
    duration_s
        Length of the flow, whole seconds.
    streams
        Number of parallel streams: connections of their own with TCP and QUIC.
    rate_bps
        Payload rate offered by each stream, bit/s; None for unlimited (TCP and QUIC; QUIC only that).
    warm_up_s
        Time before ``duration_s`` that does not count, whole seconds: slow start and what it leaves behind.
    subpath
        The part of the way that the flow takes.
    """

    protocol: Protocol = "tcp"
    direction: DirectionName = "downlink"
    duration_s: float = 10.0
    streams: int = 1
    rate_bps: float | None = None
    warm_up_s: float = 0.0
    subpath: Subpath = "whole"

    def __post_init__(self) -> None:
        if self.protocol == "udp" and self.rate_bps is None:
            raise InputError("rate", "is missing; a UDP flow needs one")
        if self.protocol == "quic" and self.rate_bps is not None:
            raise InputError("rate", "is given; a QUIC flow sends as fast as its congestion control allows")
        if not 1 <= self.streams <= MOST_STREAMS:
            raise InputError("streams", f"is {self.streams}; must be from 1 to {MOST_STREAMS}")
        if not 1 <= self.duration_s <= LONGEST_S or self.duration_s != int(self.duration_s):
            problem = f"is {digits(self.duration_s)} s; iperf3 takes whole seconds from 1 to {LONGEST_S}"
            raise InputError("duration", problem)
        if not 0 <= self.warm_up_s <= LONGEST_WARM_UP_S or self.warm_up_s != int(self.warm_up_s):
            problem = f"is {digits(self.warm_up_s)} s; iperf3 takes whole seconds from 0 to {LONGEST_WARM_UP_S}"
            raise InputError("warm-up", problem)
        if self.rate_bps is not None and not 0 < self.rate_bps <= HIGHEST_RATE_BPS:
            raise InputError(
                "rate", f"is {digits(self.rate_bps)} bit/s; must be above 0 and at most {digits(HIGHEST_RATE_BPS)}"
            )

    def __str__(self) -> str:
        """Return protocol, direction and subpath in words."""
        return ", ".join([self.protocol, self.direction, *([] if self.subpath == "whole" else [self.subpath])])


@dataclass(frozen=True)
class Flow:
    """Result of a flow; None if the protocol lacks the value or the flow ended too early.

    Attributes
    ----------
    status, error
        ``ok``; ``timeout``: no result within the time limit, as in a long outage; ``failed``.
    duration_s
        Time in which the receiver received, without the warm-up; so are the following.
    received_bytes, goodput_bps
        Received payload, and its rate.
    retransmissions, tcp_rtt_mean_s
        TCP only, at the sender; retransmissions of all streams, the round trip of the largest stream.
    cwnd_max_bytes
        TCP and QUIC: of the stream that sent most, at the sender.
    lost_packets
        UDP: datagrams that did not come; QUIC: packets of all streams that the senders took for lost.
    jitter_s
        UDP only, as in RFC 3550, section 6.4.1.
    """

    status: str
    error: str
    duration_s: float
    received_bytes: int | None = None
    goodput_bps: float | None = None
    retransmissions: int | None = None
    cwnd_max_bytes: int | None = None
    tcp_rtt_mean_s: float | None = None
    lost_packets: int | None = None
    jitter_s: float | None = None
