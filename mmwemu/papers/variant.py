"""A way of sending that a paper compares with others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mmwemu.scenario.changes import Changes


@dataclass(frozen=True)
class Variant:
    """A way of sending that a paper compares with others.

    Attributes
    ----------
    name
        What the tables call it.
    changes
        What is different in its scenario, whose mmWave cell is simulated; None: it is not simulated.
    experiment
        Number of the study's experiment that sends so, from 1; None: none does.
    model
        How the model of slow start begins: with the kernel's window, or with rate times round trip (``bdp``); None: the
        model says nothing of it.
    drawn
        Whether it has a place in the figure; others are in the table alone.
    scenario
        Name or file of its scenario; empty: the paper's first.
    is_quick
        Whether it is simulated in a quick reproduction, too.
    """

    name: str
    changes: Changes | None = None
    experiment: int | None = None
    model: Literal["kernel", "bdp"] | None = None
    drawn: bool = True
    scenario: str = ""
    is_quick: bool = True
