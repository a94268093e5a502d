"""Table ``quic`` of a run: what the senders knew, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mmwemu.apps.shared.quic.transfers import Transfer
from mmwemu.core.units import from_ns
from mmwemu.testbed.place import Place
from mmwemu.testbed.testbed import Testbed

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

COLUMNS = (
    "time_s", "role", "local", "peer", "congestion_control", "cwnd_bytes", "ssthresh_bytes", "in_flight_bytes", "rtt_s",
    "rttvar_s", "rtt_min_s", "lost_packets", "probe_timeouts", "link", "client",
)  # fmt: skip


def states_of(transfers: Sequence[Transfer], testbed: Testbed, client: Place, congestion_control: str) -> pd.DataFrame:
    """Return the states of the senders since the start of the link.

    Parameters
    ----------
    transfers
        Between a client and the server.
    testbed, client
        Where they took place.
    congestion_control
        Its name.

    Returns
    -------
    One row per state and connection, with the columns `COLUMNS`: names and units are those of table ``tcp`` where it
    has the same. ``local`` is the sender's address and port, which tells connections apart, ``peer`` the receiver's
    address. The logs' times are in whole ms.
    """
    import pandas as pd

    link = testbed.topology.link_of(client.number)
    epoch_ns = testbed.links[link].epoch_ns() or 0
    rows = [
        [from_ns(float(state.time_ns - epoch_ns)), one.sender.role, one.local, one.receiver.address,
         congestion_control, state.cwnd_bytes, state.ssthresh_bytes, state.in_flight_bytes, state.rtt_s,
         state.rttvar_s, state.rtt_min_s, state.lost_packets, state.probe_timeouts, link, client.number]
        for one in transfers
        for state in one.states
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype({"link": "int16", "client": "Int16"})
    return frame.sort_values("time_s", ignore_index=True, kind="stable")
