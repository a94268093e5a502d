"""Sampler of the TCP connections of a namespace: ``python -m mmwemu.probe.tcp_sampler INTERVAL_S``.

It runs inside a testbed and prints ``ready``, then a line of JSON for each sample: the time of CLOCK_MONOTONIC [ns] and
a list of connections with the fields of `FIELDS` as in the kernel (inet_diag).
"""

from __future__ import annotations

import json
import socket
import sys
import time
from typing import Any

# Fields of struct tcp_info, linux/tcp.h.
FIELDS = (
    "tcpi_ca_state", "tcpi_snd_mss", "tcpi_snd_cwnd", "tcpi_snd_ssthresh", "tcpi_rtt", "tcpi_rttvar", "tcpi_min_rtt",
    "tcpi_unacked", "tcpi_lost", "tcpi_total_retrans", "tcpi_bytes_acked", "tcpi_bytes_received",
    "tcpi_notsent_bytes", "tcpi_snd_wnd", "tcpi_delivery_rate", "tcpi_pacing_rate",
)  # fmt: skip
_MAPPED = "::ffff:"
_INFO, _CONGESTION = 1 << (2 - 1), 1 << (4 - 1)  # INET_DIAG_INFO, INET_DIAG_CONG as extensions


def main(interval_s: float) -> None:
    """Sample forever, at times that do not drift."""
    from pyroute2 import DiagSocket
    from pyroute2.netlink.diag import SS_CONN

    with DiagSocket() as kernel:
        kernel.bind()
        print("ready", flush=True)
        due_s = time.monotonic()
        while True:
            # A server that listens for both IPv4 and IPv6 has its IPv4 connections among those of IPv6.
            found = [
                message
                for family in (socket.AF_INET, socket.AF_INET6)
                for message in kernel.get_sock_stats(family, SS_CONN, extensions=_INFO | _CONGESTION)
            ]
            # A connection in TIME-WAIT has no state.
            rows = [_connection(message) for message in found if message.get_attr("INET_DIAG_INFO")]
            print(json.dumps([time.monotonic_ns(), rows]), flush=True)
            now_s = time.monotonic()
            due_s = max(due_s + interval_s, now_s)  # missed samples are skipped
            time.sleep(due_s - now_s)


def _connection(message: Any) -> list[Any]:
    info = message.get_attr("INET_DIAG_INFO")
    ends = [
        f"{message[f'idiag_{host}'].removeprefix(_MAPPED)}:{message[f'idiag_{port}']}"
        for host, port in (("src", "sport"), ("dst", "dport"))
    ]
    return [*ends, message.get_attr("INET_DIAG_CONG"), *(info.get(field) for field in FIELDS)]


if __name__ == "__main__":
    main(float(sys.argv[1]))
