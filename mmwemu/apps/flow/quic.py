"""A flow of QUIC: the receiver asks for more than can come, and the flow ends after its time."""

from __future__ import annotations

import time
from dataclasses import dataclass

from mmwemu.apps.flow.settings import GRACE_S, Flow, FlowSettings
from mmwemu.apps.shared.quic.transfers import Asked, Transfers

_LOOK_S = 0.005
_MORE_THAN_CAN_COME_BYTES = 10**15


@dataclass(frozen=True)
class _Begin:
    """When a flow begins to count, s of CLOCK_MONOTONIC, and what was received and taken for lost before."""

    time_s: float
    received_bytes: int = 0
    lost_packets: int = 0


def asked_of(settings: FlowSettings, congestion_control: str) -> Asked:
    """Return the transfers that a flow consists of."""
    return Asked(settings.streams, _MORE_THAN_CAN_COME_BYTES, congestion_control, _limit_s(settings))


def receive(transfers: Transfers, settings: FlowSettings, interval_s: float) -> Flow:
    """Wait for the time of a flow, from the first byte and the warm-up on, and read the senders' logs meanwhile.

    Parameters
    ----------
    settings
        The flow.
    interval_s
        Between states of the senders.

    Raises
    ------
    MmwemuError
        If a log cannot be read.
    """
    opened_s = look_s = time.monotonic()
    begin: _Begin | None = None
    while True:
        time.sleep(_LOOK_S)
        now_s, arrived = time.monotonic(), transfers.counter.arrived
        if begin is None and arrived.first_s is not None:
            if not settings.warm_up_s:
                begin = _Begin(arrived.first_s)
            elif arrived.latest_s - arrived.first_s >= settings.warm_up_s:
                begin = _Begin(arrived.latest_s, arrived.received_bytes, transfers.read_lost_packets())
        if begin is not None and arrived.latest_s - begin.time_s >= settings.duration_s:
            return _flow(transfers, "ok", "", begin)
        ended = next((one for one in transfers.each if one.client.poll() is not None), None)
        if ended is not None:
            return _flow(transfers, "failed", ended.why_ended(), begin or _Begin(opened_s))
        if arrived.first_s is None and now_s - opened_s >= _limit_s(settings):
            error = f"nothing came within {_limit_s(settings):g} s"
            return _flow(transfers, "timeout", error, _Begin(opened_s))
        if now_s >= look_s:
            look_s = max(look_s + interval_s, now_s)
            transfers.read_logs()


def _limit_s(settings: FlowSettings) -> float:
    return settings.warm_up_s + settings.duration_s + GRACE_S


def _flow(transfers: Transfers, status: str, error: str, begin: _Begin) -> Flow:
    """Return the result, with the last states of the senders."""
    arrived, lost_packets = transfers.counter.arrived, transfers.read_lost_packets()
    received_bytes = arrived.received_bytes - begin.received_bytes
    duration_s = arrived.latest_s - begin.time_s
    largest = max(transfers.each, key=lambda one: one.arrival.received_bytes)
    windows = [state.cwnd_bytes for state in largest.states]
    return Flow(
        status,
        error,
        duration_s,
        received_bytes=received_bytes,
        goodput_bps=received_bytes * 8 / duration_s if status == "ok" else None,
        cwnd_max_bytes=round(max(windows)) if windows else None,
        lost_packets=lost_packets - begin.lost_packets,
    )
