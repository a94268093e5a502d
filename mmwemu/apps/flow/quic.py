"""A flow of QUIC: the receiver asks for more than can come, and the flow ends after its time."""

from __future__ import annotations

import time

from mmwemu.apps.flow.settings import GRACE_S, Flow, FlowSettings
from mmwemu.apps.shared.quic.transfers import Asked, Transfers

_LOOK_S = 0.005
_MORE_THAN_CAN_COME_BYTES = 10**15


def asked_of(settings: FlowSettings, congestion_control: str) -> Asked:
    """Return the transfers that a flow consists of."""
    idle_s = settings.duration_s + GRACE_S
    return Asked(settings.streams, _MORE_THAN_CAN_COME_BYTES, congestion_control, idle_s)


def receive(transfers: Transfers, duration_s: float, interval_s: float) -> Flow:
    """Wait for the time of a flow, from the first byte on, and read the senders' logs meanwhile.

    Parameters
    ----------
    duration_s
        Length of the flow.
    interval_s
        Between states of the senders.

    Raises
    ------
    MmwemuError
        If a log cannot be read.
    """
    begin_s = look_s = time.monotonic()
    while True:
        time.sleep(_LOOK_S)
        now_s, arrived = time.monotonic(), transfers.counter.arrived
        passed_s = 0.0 if arrived.first_s is None else arrived.latest_s - arrived.first_s
        if passed_s >= duration_s:
            return _flow(transfers, "ok", "", passed_s, arrived.received_bytes)
        ended = next((one for one in transfers.each if one.client.poll() is not None), None)
        if ended is not None:
            return _flow(transfers, "failed", ended.why_ended(), passed_s, arrived.received_bytes)
        if arrived.first_s is None and now_s - begin_s >= duration_s + GRACE_S:
            return _flow(transfers, "timeout", f"nothing came within {duration_s + GRACE_S:g} s", now_s - begin_s, 0)
        if now_s >= look_s:
            look_s = max(look_s + interval_s, now_s)
            transfers.read_logs()


def _flow(transfers: Transfers, status: str, error: str, duration_s: float, received_bytes: int) -> Flow:
    """Return the result, with the last states of the senders."""
    transfers.read_logs()
    largest = max(transfers.each, key=lambda one: one.arrival.received_bytes)
    windows = [state.cwnd_bytes for state in largest.states]
    return Flow(
        status,
        error,
        duration_s,
        received_bytes=received_bytes,
        goodput_bps=received_bytes * 8 / duration_s if status == "ok" else None,
        cwnd_max_bytes=round(max(windows)) if windows else None,
        lost_packets=sum(one.log.lost_packets for one in transfers.each),
    )
