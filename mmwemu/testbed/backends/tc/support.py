"""The modes of backend tc, what they cannot do, and what they need of the kernel.

Mode ``tbf`` takes the rate from a token bucket under netem, which only delays and loses; ``netem-rate`` takes all from
one netem with its own limit of 1000 packets, as in many earlier studies.
"""

from __future__ import annotations

from typing import Literal

from mmwemu.core.errors import InputError
from mmwemu.link.replay import Replay
from mmwemu.pattern.model import OPTIONAL

TcMode = Literal["tbf", "netem-rate"]
COSTS: dict[TcMode, str] = {
    "netem-rate": "packets that wait keep the times of the rate before a step; the limit of 1000 packets, whatever"
    " --queue-bytes says, holds what is delayed too; a fall of the delay may reorder packets",
}


def refuse(replay: Replay, mode: TcMode) -> None:
    """Refuse a replay that tbf and netem cannot do on any kernel.

    Raises
    ------
    InputError
        If it asks for such a thing; the message names it.
    """
    pattern, queues = replay.pattern, (replay.downlink, replay.uplink)
    aqm = next((queue.aqm for queue in queues if queue.aqm != "drop-tail"), "drop-tail")
    cannot = {
        "tell packets by number": bool(pattern.packets),
        f"drop as {aqm} does, its queue is drop-tail": aqm != "drop-tail",
        "let clients take turns": replay.scheduler != "fifo",
        "release packets in slots": replay.slot_s > 0,
        "count its queue in packets, only in bytes or time": any(queue.size_packets for queue in queues),
    }
    for what, asked in cannot.items():
        if asked:
            raise InputError("backend tc", f"cannot {what}; use --backend tun")
    has_outage = 0 in pattern.downlink.rate_bps or 0 in pattern.uplink.rate_bps
    if mode == "netem-rate" and pattern.outage == "hold" and has_outage:
        problem = "netem alone cannot hold packets in an outage; use --tc-mode tbf, or a pattern with outage = drop"
        raise InputError("tc-mode netem-rate", problem)


def needs_netem(replay: Replay, mode: TcMode) -> str:
    """Return the purpose for which a replay needs netem; empty if it needs none."""
    if mode == "netem-rate":
        return "the rate"
    if replay.delay_s > 0:
        return f"a delay of {replay.delay_s * 1e3:g} ms"
    directions = (replay.pattern.downlink, replay.pattern.uplink)
    for name in OPTIONAL:
        if any((getattr(direction, name) > 0).any() for direction in directions):
            return f"the pattern's {name.removesuffix('_s').replace('_', ' ')}"
    return ""
