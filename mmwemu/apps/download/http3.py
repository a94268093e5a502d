"""A download over HTTP/3 by ngtcp2's client, timed from when it has its socket."""

from __future__ import annotations

import time

from mmwemu.apps.download.settings import Download, result_of
from mmwemu.apps.shared.quic.sockets import has_socket
from mmwemu.apps.shared.quic.transfers import Transfers

_LOOK_S = 0.0005
_PAUSE_S = 0.005
# Between states of the sender in table ``quic``.
_LOG_INTERVAL_S = 0.05


def receive(transfers: Transfers, size_bytes: int, limit_s: float) -> Download:
    """Wait for the only transfer to bring a file of ``size_bytes``, at most ``limit_s``, and read its log meanwhile.

    Raises
    ------
    MmwemuError
        If the log cannot be read.
    """
    (one,) = transfers.each
    while one.client.poll() is None and not has_socket(one.client.pid):
        time.sleep(_LOOK_S)
    begin_s = look_s = time.monotonic()
    ended_s: float | None = None
    while True:
        arrived = transfers.counter.arrived
        ttfb_s = None if arrived.first_s is None else arrived.first_s - begin_s
        if ttfb_s is not None and ttfb_s < 0:
            error = "data came before the beginning of the connection was seen: the machine was too busy"
            return result_of("failed", error, arrived.received_bytes, 0.0)
        if arrived.received_bytes >= size_bytes:
            return result_of("ok", "", arrived.received_bytes, arrived.latest_s - begin_s, ttfb_s=ttfb_s)
        now_s = time.monotonic()
        if now_s - begin_s >= limit_s:
            error = f"not complete within {limit_s:g} s"
            return result_of("timeout", error, arrived.received_bytes, limit_s, ttfb_s=ttfb_s)
        if ended_s is None and one.client.poll() is not None:
            ended_s = now_s
        if ended_s is not None and arrived.latest_s > ended_s:  # what it had written is counted
            return result_of("failed", one.why_ended(), arrived.received_bytes, ended_s - begin_s, ttfb_s=ttfb_s)
        if now_s >= look_s:
            look_s = max(look_s + _LOG_INTERVAL_S, now_s)
            one.read_log()
        time.sleep(_PAUSE_S)
