"""The settings of one replay, whatever its backend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from mmwemu.core.bounds import LARGEST_SEED, LONGEST_S
from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.link import cell
from mmwemu.link.profile import LinkProfile
from mmwemu.pattern.model import Pattern

MOST_CLIENTS = 250
Start = Literal["now", "first-packet"]
Scheduler = Literal["fifo", "round-robin", "proportional-fair", "max-rate"]


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
        How several clients share the link: one queue in order of arrival (``fifo``), or as a cell, in which each client
        has a queue of its own, of the whole size and with its own AQM, and slots go to clients that have something to
        send: in turns (``round-robin``), to the one with the highest ratio of possible rate to mean rate
        (``proportional-fair``), or with the highest possible rate (``max-rate``). ``slot_s`` is then the length of a
        slot, from 125 us to 1 ms; 0: `mmwemu.link.cell.DEFAULT_SLOT_S`.
    others
        With a scheduler: patterns of the further clients, each the rate that its client would have alone; empty if
        ``pattern`` is everybody's.
    client_shift_s
        With a scheduler: client i is (i - 1) times this further in its pattern, s.
    clients
        Number of clients; the testbed knows.
    milliproxy
        Whether milliProxy stands between server and link; the testbed knows.
    """

    pattern: Pattern
    start: Start = "first-packet"
    start_at_s: float = 0.0
    seed: int = 1
    scheduler: Scheduler = "fifo"
    others: tuple[Pattern, ...] = ()
    client_shift_s: float = 0.0
    clients: int = 1
    milliproxy: bool = False

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
        if not 0 <= self.client_shift_s <= LONGEST_S / MOST_CLIENTS:
            most = digits(LONGEST_S / MOST_CLIENTS)
            raise InputError("link: client_shift_s", f"is {digits(self.client_shift_s)}; must be from 0 to {most}")
        if self.milliproxy and self.scheduler == "fifo" and self.clients > 1:
            problem = "needs each client's own rate and queue, and these share one; add --scheduler round-robin"
            raise InputError("edge-proxy milliproxy", problem)
        if self.scheduler == "fifo":
            if self.others or self.client_shift_s:
                what = "a pattern for each client" if self.others else "a shift between clients"
                raise InputError("link: scheduler", f"is fifo; {what} needs another, such as --scheduler round-robin")
            return
        cell.check_slot(self.slot_s)
        cell.check_patterns((self.pattern, *self.others), self.clients)
