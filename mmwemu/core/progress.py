"""How long work tells how far it is, without printing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """One step of long work: ``done`` of ``total``, in whatever the step counts."""

    step: str
    done: float
    total: float


OnProgress = Callable[[Progress], None]


def ignore(_: Progress) -> None:
    """Take a progress event and do nothing with it."""
