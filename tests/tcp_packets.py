"""Recorded packets of TCP connections for tests, built by hand on a link with a delay and a rate."""

from typing import Any

import numpy as np
import pandas as pd

DELAY_S = 0.010
SERVER_PORT, PORT = 80, 40_000
SYN, ACK = 2, 16


class Packets:
    """Packets of a link with `DELAY_S` each way, put down one after the other.

    The delay is before the bottleneck in the downlink and behind it in the uplink, as that of the core link.
    """

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self._free_s = {"downlink": -np.inf, "uplink": -np.inf}
        self._number = {"downlink": 0, "uplink": 0}

    def _add(self, direction: str, sent_s: float, seq: int, payload: int, flags: int, service_s: float, **fate: Any):
        before_s, behind_s = (DELAY_S, 0.0) if direction == "downlink" else (0.0, DELAY_S)
        arrival_s = sent_s + before_s
        departure_s = max(arrival_s, self._free_s[direction]) + service_s
        late_s = fate.pop("lateness_s", 0.0)
        self._number[direction] += 1
        row = {
            "direction": direction, "number": self._number[direction], "kind": "packet", "sent_s": sent_s,
            "arrival_s": arrival_s, "departure_s": departure_s, "delivery_s": departure_s + behind_s + late_s,
            "lateness_s": late_s, "client": 1, "link": 1, "client_port": PORT, "server_port": SERVER_PORT,
            "payload_bytes": payload, "tcp_flags": flags, "tcp_seq": seq % 2**32, "queueing_delay_s": 0.0,
        }  # fmt: skip
        if fate.pop("dropped", False):
            row |= {"departure_s": np.nan, "delivery_s": np.nan}
        else:
            self._free_s[direction] = departure_s
        self.rows.append(row | fate)
        return row["delivery_s"]

    def down(self, sent_s: float, seq: int = 0, payload: int = 0, flags: int = ACK, service_s: float = 0.0, **fate):
        """Add a packet of the server and return when it came."""
        return self._add("downlink", sent_s, seq, payload, flags, service_s, **fate)

    def up(self, sent_s: float, seq: int = 0, payload: int = 0, flags: int = ACK, service_s: float = 0.0, **fate):
        """Add a packet of the client and return when it came."""
        return self._add("uplink", sent_s, seq, payload, flags, service_s, **fate)

    def connect(self, at_s: float = 0.0, isn: int = 1000, port: int = PORT) -> float:
        """Add a handshake and return when the client has the answer."""
        came_s = self.up(at_s, 0, flags=SYN, client_port=port)
        return self.down(came_s, isn, flags=SYN | ACK, client_port=port)

    def frame(self) -> pd.DataFrame:
        """Return the packets as packets/*.parquet has them."""
        return pd.DataFrame(self.rows).astype({"client": "Int16"})


def telemetry(duration_s: float, *silent: tuple[float, float], direction: str = "downlink") -> pd.DataFrame:
    """Return bins in which the link has a rate, but for these stretches of the direction."""
    time_s = np.round(np.arange(round(duration_s * 100)) * 0.01, 2)
    frames = []
    for name in ("downlink", "uplink"):
        capacity = np.full(len(time_s), 1000.0)
        for begin_s, end_s in silent if name == direction else ():
            capacity[(time_s >= begin_s - 1e-9) & (time_s < end_s - 1e-9)] = 0
        frames.append(pd.DataFrame({"time_s": time_s, "direction": name, "link": 1, "capacity_bytes": capacity,
                                    "delivered_bytes": 0, "queue_bytes": 0}))  # fmt: skip
    return pd.concat(frames, ignore_index=True)
