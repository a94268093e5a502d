"""The settings of one replay, whatever its backend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from mmwemu.core.bounds import LARGEST_SEED, LONGEST_S
from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.link.profile import LinkProfile
from mmwemu.pattern.model import Pattern

Start = Literal["now", "first-packet"]
Scheduler = Literal["fifo", "round-robin"]


@dataclass(frozen=True)
class LinkSettings(LinkProfile):
    """One replay of a pattern.

    Attributes
    ----------
    pattern
        What the access link does.
    start
        The pattern's time starts ``now``, or at the ``first-packet`` in either direction that opens a connection or
        carries data.
    start_at_s
        Time in the pattern at which it starts, s.
    seed
        Seed of random loss; each direction has a generator of its own.
    scheduler
        How several clients share the link: one queue in order of arrival (``fifo``), or turns (``round-robin``) between
        clients that each have a queue of their own, of the whole size and with its own AQM. The last byte of the
        address tells clients apart.
    """

    pattern: Pattern
    start: Start = "first-packet"
    start_at_s: float = 0.0
    seed: int = 1
    scheduler: Scheduler = "fifo"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.start_at_s <= LONGEST_S:
            raise InputError("link: start_at_s", f"is {digits(self.start_at_s)}; must be from 0 to {digits(LONGEST_S)}")
        if self.start not in ("now", "first-packet"):
            raise InputError("link: start", f"is {self.start!r}; must be now or first-packet")
        if not 0 <= self.seed <= LARGEST_SEED:
            raise InputError("link: seed", f"is {self.seed}; must be from 0 to 2^62 - 1")
        if self.scheduler not in get_args(Scheduler):
            raise InputError(
                "link: scheduler", f"is {self.scheduler!r}; must be one of {', '.join(get_args(Scheduler))}"
            )
