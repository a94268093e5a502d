"""Table ``quic`` of a flow: what the senders knew, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mmwemu.apps.application import Context
from mmwemu.apps.flow.quic import QuicFlow, sides
from mmwemu.apps.flow.settings import FlowSettings
from mmwemu.core.units import from_ns

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "time_s", "role", "local", "peer", "congestion_control", "cwnd_bytes", "ssthresh_bytes", "in_flight_bytes", "rtt_s",
    "rttvar_s", "rtt_min_s", "lost_packets", "probe_timeouts", "link", "client",
)  # fmt: skip


def states_of(done: QuicFlow, context: Context, settings: FlowSettings) -> pd.DataFrame:
    """Return the states of the senders since the start of the link.

    Returns
    -------
    One row per state and connection, with the columns `COLUMNS`: names and units are those of table ``tcp`` where it
    has the same. ``local`` is the sender's address and port, which tells connections apart, ``peer`` the receiver's
    address. The times of the log are in whole ms.
    """
    import pandas as pd

    receiver, sender = sides(context, settings)
    number = context.testbed.topology.link_of(context.client.number)
    epoch_ns = context.link.epoch_ns() or 0
    rows = [
        [from_ns(float(state.time_ns - epoch_ns)), sender.role, f"{sender.address}:{one.port}", receiver.address,
         context.congestion_control, state.cwnd_bytes, state.ssthresh_bytes, state.in_flight_bytes, state.rtt_s,
         state.rttvar_s, state.rtt_min_s, state.lost_packets, state.probe_timeouts, number, context.client.number]
        for one in done.connections
        for state in one.states
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype({"link": "int16", "client": "Int16"})
    return frame.sort_values("time_s", ignore_index=True, kind="stable")
