"""What a reproduction found, for the figures of its paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mmwemu.papers.cell import Cell
from mmwemu.papers.cells import Keys
from mmwemu.papers.variant import Variant
from mmwemu.trace.model import Trace

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Found:
    """What a reproduction found.

    Attributes
    ----------
    results
        The results folder of the study: `mmwemu.results.store.load_table` reads its tables.
    variants
        Those of the paper.
    cells
        What was simulated, whose traces are read when they are asked for.
    emulated
        The flows of variants over Linux, as `mmwemu.papers.emulated` has them.
    runs, table, transfers
        The tables ``runs``, ``cells`` and ``transfers`` that claims are held against.
    """

    results: Path
    variants: Sequence[Variant]
    cells: Sequence[Cell]
    emulated: Sequence[tuple[Keys, Trace]]
    runs: pd.DataFrame
    table: pd.DataFrame
    transfers: pd.DataFrame

    def traces(self, variant: str, scenario: str = "") -> list[Trace]:
        """Return the traces of a variant, seed by seed; of the plain cells of one scenario or all, if it is empty.

        Raises
        ------
        InputError
            If one cannot be read.
        """
        return [one.load() for one in self.cells if one.variant == variant and scenario in ("", one.scenario)]

    def flows(self, variant: str) -> list[Trace]:
        """Return what Linux's flows of a variant show, repetition by repetition."""
        return [trace for keys, trace in self.emulated if keys["variant"] == variant]


@dataclass(frozen=True)
class Drawing:
    """A figure of a paper.

    Attributes
    ----------
    name
        Of its file, without ending.
    title
        What it shows, in words for those who do not see it.
    draw
        Draws it into a file.
    """

    name: str
    title: str
    draw: Callable[[Found, Path], None]
