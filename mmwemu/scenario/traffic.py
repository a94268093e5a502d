"""Reader of a scenario's traffic."""

from __future__ import annotations

from typing import cast, get_args

from mmwemu.core.bounds import LONGEST_SCENARIO_S, LONGEST_TIMER_S
from mmwemu.core.tables import Table
from mmwemu.scenario.model import CongestionControl, Proxy, ProxyKind, Tcp, Traffic, Transport

FASTEST_TRAFFIC_BPS = 1e11
LARGEST_UDP_PAYLOAD_BYTES = 1472
LARGEST_SEGMENT_BYTES = 65_000
LEAST_SOCKET_BUFFER_BYTES, LARGEST_SOCKET_BUFFER_BYTES = 2_000, 10**9
LARGEST_WINDOW = 1_000_000
LEAST_MIN_RTO_S, LARGEST_MIN_RTO_S = 0.001, 60.0
LARGEST_FILE_BYTES = 10**12
LARGEST_PROXY_BUFFER_BYTES = 10**10


def read_traffic(table: Table) -> Traffic:
    """Return the traffic that a scenario's table describes.

    Raises
    ------
    InputError
        With file, key and rule, if the table breaks one.
    """
    d = Traffic()
    traffic = Traffic(
        rate_bps=table.number("rate_bps", d.rate_bps, least=1, most=FASTEST_TRAFFIC_BPS),
        uplink_rate_bps=table.number("uplink_rate_bps", d.uplink_rate_bps, least=0, most=FASTEST_TRAFFIC_BPS),
        payload_bytes=table.integer("payload_bytes", d.payload_bytes, least=8),
        start_s=table.number("start_s", d.start_s, least=0, most=LONGEST_SCENARIO_S),
        transport=cast(Transport, table.text("transport", d.transport, choices=get_args(Transport))),
        tcp=_tcp(table.table("tcp")),
    )
    if traffic.transport == "tcp" and traffic.uplink_rate_bps > 0:
        raise table.refuse("uplink_rate_bps", "is above 0; transport tcp sends to the UE only")
    if traffic.transport == "tcp":
        if traffic.payload_bytes > LARGEST_SEGMENT_BYTES:
            rule = f"at most {LARGEST_SEGMENT_BYTES} fit a packet of IP"
            raise table.refuse("payload_bytes", f"is {traffic.payload_bytes}; {rule}")
    elif traffic.payload_bytes > LARGEST_UDP_PAYLOAD_BYTES:
        rule = f"at most {LARGEST_UDP_PAYLOAD_BYTES} fit a 1500-byte packet"
        raise table.refuse("payload_bytes", f"is {traffic.payload_bytes}; {rule}")
    table.finish()
    return traffic


def _tcp(table: Table) -> Tcp:
    d = Tcp()
    tcp = Tcp(
        congestion_control=cast(
            CongestionControl,
            table.text("congestion_control", d.congestion_control, choices=get_args(CongestionControl)),
        ),
        send_buffer_bytes=_buffer(table, "send_buffer_bytes", d.send_buffer_bytes),
        receive_buffer_bytes=_buffer(table, "receive_buffer_bytes", d.receive_buffer_bytes),
        initial_window=table.integer("initial_window", d.initial_window, most=LARGEST_WINDOW),
        delayed_ack=table.integer("delayed_ack", d.delayed_ack, most=100),
        pacing=table.flag("pacing", d.pacing),
        sack=table.flag("sack", d.sack),
        min_rto_s=table.number("min_rto_s", d.min_rto_s, least=LEAST_MIN_RTO_S, most=LARGEST_MIN_RTO_S),
        file_bytes=table.integer("file_bytes", d.file_bytes, least=0, most=LARGEST_FILE_BYTES),
        proxy=_proxy(table.table("proxy")),
    )
    table.finish()
    return tcp


def _proxy(table: Table) -> Proxy:
    d = Proxy()
    proxy = Proxy(
        kind=cast(ProxyKind, table.text("kind", d.kind, choices=get_args(ProxyKind))),
        buffer_bytes=table.integer("buffer_bytes", d.buffer_bytes, least=0, most=LARGEST_PROXY_BUFFER_BYTES),
        backlog_limit_bytes=table.integer(
            "backlog_limit_bytes", d.backlog_limit_bytes, least=0, most=LARGEST_PROXY_BUFFER_BYTES
        ),
        information_interval_s=table.number(
            "information_interval_s", d.information_interval_s, least=0, most=LONGEST_TIMER_S
        ),
        information_delay_s=table.number("information_delay_s", d.information_delay_s, least=0, most=LONGEST_TIMER_S),
    )
    table.finish()
    return proxy


def _buffer(table: Table, key: str, default: int) -> int:
    return table.integer(key, default, least=LEAST_SOCKET_BUFFER_BYTES, most=LARGEST_SOCKET_BUFFER_BYTES)
