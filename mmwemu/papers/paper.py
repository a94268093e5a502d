"""A paper that can be reproduced, and its registration by an entry point of the group ``mmwemu.papers``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mmwemu.scenario.changes import Changes
from mmwemu.scenario.model import Rat

INTERFACE = 1
"""Version of the interface in this module."""

Extent = Literal["quick", "full"]


@dataclass(frozen=True)
class Variant:
    """A way of sending files that a paper compares with others.

    Attributes
    ----------
    name
        What the table of transfers calls it.
    changes
        What is different in the paper's first scenario; None: it is not simulated.
    experiment
        Number of the study's experiment that downloads files so, from 1; None: none does.
    model
        How the model of slow start begins: with the kernel's window, or with rate times round trip (``bdp``); None: the
        model says nothing of it.
    drawn
        Whether it has a place in the figure; others are in the table alone.
    """

    name: str
    changes: Changes | None = None
    experiment: int | None = None
    model: Literal["kernel", "bdp"] | None = None
    drawn: bool = True


@dataclass(frozen=True)
class Paper:
    """A paper as it registers.

    Attributes
    ----------
    name, title, reference
        What it is called for short, what it is about, and how to cite it.
    folder
        Has ``claims.toml``, and a study for each extent: ``quick.toml`` and ``full.toml``.
    scenarios
        Names of the scenarios that are simulated, with each of ``rats``.
    seeds
        How many seeds of each cell are simulated, by extent; patterns are those of the first.
    method
        How traces become patterns.
    rats
        Radio access technologies.
    variants, sizes_bytes
        Ways of sending over the first scenario's mmWave cell that are compared, and the sizes of files.
    interface
        The version of this interface that the paper was written for.
    """

    name: str
    title: str
    reference: str
    folder: Path
    scenarios: Sequence[str]
    seeds: dict[Extent, int]
    method: str = "segments"
    rats: Sequence[Rat] = ("mmwave", "lte")
    variants: Sequence[Variant] = ()
    sizes_bytes: Sequence[int] = ()
    interface: int = INTERFACE

    @property
    def claims(self) -> Path:
        """The file of its claims."""
        return self.folder / "claims.toml"

    def study(self, extent: Extent) -> Path:
        """Return the file of its study."""
        return self.folder / f"{extent}.toml"
