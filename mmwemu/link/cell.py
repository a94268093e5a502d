"""A cell: several clients, each with the pattern of the rate that it would have alone, and a scheduler of slots."""

from __future__ import annotations

from collections.abc import Sequence

from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.pattern.model import Pattern

DEFAULT_SLOT_S = 500e-6
SHORTEST_SLOT_S, LONGEST_SLOT_S = 125e-6, 1e-3


def check_patterns(patterns: Sequence[Pattern], clients: int) -> None:
    """Refuse patterns that cannot be those of the clients of one cell.

    Parameters
    ----------
    patterns
        One for all clients, or one for each; further ones are not used.
    clients
        Number of clients.

    Raises
    ------
    InputError
        If there are several patterns and more clients, or patterns differ in length, end or the meaning of an outage,
        or have effects on single packets.
    """
    if 1 < len(patterns) < clients:
        problem = f"has {len(patterns)} patterns for {clients} clients; it needs one for each, or one for all"
        raise InputError("cell", problem)
    first = patterns[0]
    for i, pattern in enumerate(patterns, 1):
        if pattern.duration_s != first.duration_s:
            lasts = f"lasts {digits(pattern.duration_s)} s, the first {digits(first.duration_s)} s"
            problem = f"{lasts}; all must last as long (mmwemu pattern cut, repeat)"
            raise InputError(f"cell: pattern {i}", problem)
        for name in ("end", "outage"):
            mine, its = getattr(pattern, name), getattr(first, name)
            if mine != its:
                raise InputError(f"cell: pattern {i}", f"has {name} {mine}, the first {its}; all must have the same")
        if pattern.packets:
            raise InputError(f"cell: pattern {i}", "tells packets by number, which several clients share")


def check_slot(slot_s: float) -> None:
    """Refuse the length of a slot that a scheduler cannot give.

    Raises
    ------
    InputError
        If it is not 0, which means the default, or from 125 us to 1 ms.
    """
    if slot_s and not SHORTEST_SLOT_S <= slot_s <= LONGEST_SLOT_S:
        raise InputError("link: slot_s", f"is {digits(slot_s)}; with a scheduler it must be from 125 us to 1 ms")
