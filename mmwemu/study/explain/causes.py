"""The causes that the time of a run is divided among; docs/explanation/explain.md defines them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Cause = Literal[
    "setup", "request", "slow_start", "window", "pacing", "transfer", "queue", "outage", "recovery", "timeout",
    "server", "computer", "unfinished",
]  # fmt: skip
CAUSES: tuple[Cause, ...] = get_args(Cause)

WORDS: dict[Cause, str] = {
    "setup": "connection set-up",
    "request": "round trips of requests",
    "slow_start": "slow start",
    "window": "congestion window after a loss",
    "pacing": "pacing of the sender",
    "transfer": "transfer at the link's rate",
    "queue": "queue behind other clients",
    "outage": "outage",
    "recovery": "repair of losses",
    "timeout": "retransmission timeouts",
    "server": "server",
    "computer": "the computer's own work",
    "unfinished": "cut off by the limit",
}


@dataclass(frozen=True)
class Interval:
    """A part of a run that has one cause, s since the start of the link."""

    begin_s: float
    end_s: float
    cause: Cause

    @property
    def length_s(self) -> float:
        """Its length, s."""
        return self.end_s - self.begin_s
