"""Progress events of long work, passed to a callback."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """Progress of one stage of long work: ``done`` of ``total``, in the stage's own unit.

    ``left_s`` is the remaining time where the work itself can tell it.
    """

    step: str
    done: float
    total: float
    left_s: float | None = None


OnProgress = Callable[[Progress], None]


def ignore(_: Progress) -> None:
    """Ignore a progress event."""
