"""A paper that can be reproduced, and its registration by an entry point of the group ``mmwemu.papers``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mmwemu.papers.found import Drawing
from mmwemu.papers.variant import Variant
from mmwemu.pattern.model import Pattern
from mmwemu.scenario.model import Rat

INTERFACE = 1
"""Version of the interface in this module."""

Extent = Literal["quick", "full"]


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
        Names or files of the scenarios that are simulated as they are, with each of ``rats``; may be none.
    seeds
        How many seeds of each cell are simulated, by extent; patterns are those of the first.
    method
        How traces become patterns.
    rats
        Radio access technologies.
    patterns
        Returns patterns that are no cell's by name, for an extent, such as those of a link that was measured; or None.
    variants
        Ways of sending that are compared.
    sizes_bytes
        Sizes of the files that variants send: the table of transfers has a row for each, none if there are none.
    figures
        Figures of its own.
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
    patterns: Callable[[Extent], Mapping[str, Pattern]] | None = None
    variants: Sequence[Variant] = ()
    sizes_bytes: Sequence[int] = ()
    figures: Sequence[Drawing] = ()
    interface: int = INTERFACE

    @property
    def claims(self) -> Path:
        """The file of its claims."""
        return self.folder / "claims.toml"

    def study(self, extent: Extent) -> Path:
        """Return the file of its study."""
        return self.folder / f"{extent}.toml"
