"""Record of a flow."""

from __future__ import annotations

from dataclasses import dataclass

from mmwemu.core.units import mbps
from mmwemu.results.records import Run


@dataclass(frozen=True, kw_only=True)
class FlowRun(Run):
    """A bulk flow with concurrent ping.

    Attributes
    ----------
    protocol, direction, streams, offered_bps, subpath, warm_up_s
        Settings, as in `mmwemu.apps.flow.settings.FlowSettings`.
    received_bytes and following
        As in `mmwemu.apps.flow.settings.Flow`.
    pings, pings_lost, rtt_min_s, rtt_median_s, rtt_p95_s, rtt_max_s
        Round trips between the ends of the subpath, from the client's side; None if no reply came.
    """

    protocol: str
    direction: str
    streams: int
    offered_bps: float | None
    subpath: str
    warm_up_s: float
    received_bytes: int | None
    goodput_bps: float | None
    retransmissions: int | None
    cwnd_max_bytes: int | None
    tcp_rtt_mean_s: float | None
    lost_packets: int | None
    jitter_s: float | None
    pings: int
    pings_lost: int
    rtt_min_s: float | None
    rtt_median_s: float | None
    rtt_p95_s: float | None
    rtt_max_s: float | None

    @property
    def headline(self) -> str:
        """The goodput."""
        return "" if self.goodput_bps is None else f"{mbps(self.goodput_bps):.1f} Mbit/s"
