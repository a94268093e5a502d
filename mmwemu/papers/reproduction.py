"""A paper reproduced: cells simulated, patterns made of them, and claims held against these and against runs."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mmwemu.campaign import run as campaign
from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.core.text import read_text
from mmwemu.link.profile import MTU_BYTES
from mmwemu.papers import transfers
from mmwemu.papers.cell import Cell, plain_cells, variant_cells
from mmwemu.papers.cells import simulated, table_of
from mmwemu.papers.claims import read_claims
from mmwemu.papers.emulated import emulated
from mmwemu.papers.found import Drawing, Found
from mmwemu.papers.judge import Judged, Tables, judge
from mmwemu.papers.paper import Extent, Paper
from mmwemu.pattern import measures
from mmwemu.pattern.convert import Conversion, convert
from mmwemu.pattern.formats import native
from mmwemu.results import store
from mmwemu.testbed.tcp import MSS_BYTES

if TYPE_CHECKING:
    import pandas as pd


_PATTERN_SEED = 1


@dataclass(frozen=True)
class Reproduction:
    """A folder in which a paper is reproduced: cells, variants, patterns, study.toml, results, figures, report.html.

    What is in the folder already is not made again, but for the report.
    """

    paper: Paper
    extent: Extent
    folder: Path

    @property
    def results(self) -> Path:
        """The results folder of the study."""
        return self.folder / "results"

    @property
    def study(self) -> Path:
        """The study's file; its paths are relative to the folder."""
        return self.folder / "study.toml"

    @property
    def report(self) -> Path:
        """The report page."""
        return self.folder / "report.html"

    def begin(self) -> None:
        """Make the folder, with the study's file in it.

        Raises
        ------
        InputError
            If the folder has another study, or cannot be made.
        """
        text = read_text(self.paper.study(self.extent))
        if self.study.exists():
            if read_text(self.study) != text:
                raise InputError(str(self.study), f"is not the paper's {self.extent} study; choose another folder")
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(str(self.folder), f"cannot be made: {error.strerror}") from None
        with whole_file(self.study) as draft:
            draft.write_text(text, encoding="utf-8")

    @property
    def cells(self) -> list[Cell]:
        """What is simulated, seed by seed: the plain cells, then those of variants."""
        paper, seeds = self.paper, range(1, self.paper.seeds[self.extent] + 1)
        plain = plain_cells(paper.scenarios, paper.rats, seeds, self.folder / "cells")
        first = paper.scenarios[0] if paper.scenarios else ""
        variants = [one for one in paper.variants if one.is_quick or self.extent == "full"]
        return [*plain, *variant_cells(variants, first, seeds, self.folder / "variants")]

    def simulate(self, jobs: int, on_progress: OnProgress = ignore) -> None:
        """Simulate all cells, ``jobs`` at a time.

        Raises
        ------
        As `mmwemu.campaign.run.run`.
        """
        for folder, cells in itertools.groupby(self.cells, key=lambda cell: cell.folder):
            campaign.run([cell.simulation for cell in cells], campaign.Where(folder, jobs), on_progress)

    def make_patterns(self) -> list[Path]:
        """Write the pattern of each plain cell's first seed, named SCENARIO.RAT, and the paper's own; return the files.

        Raises
        ------
        MmwemuError
            If a trace cannot be read or a pattern not written.
        """
        made = []
        (self.folder / "patterns").mkdir(exist_ok=True)
        for cell in self.cells:
            if cell.simulation.seed == _PATTERN_SEED and not cell.variant:
                made.append(self.folder / "patterns" / f"{cell.scenario}.{cell.simulation.rat}.csv")
                if not made[-1].exists():
                    native.save(convert(cell.load(), Conversion(self.paper.method)), made[-1])
        own = self.paper.patterns(self.extent) if self.paper.patterns else {}
        for name, pattern in own.items():
            made.append(self.folder / "patterns" / f"{name}.csv")
            if not made[-1].exists():
                native.save(pattern, made[-1])
        return made

    def find(self) -> Found:
        """Return what was found, after cells were simulated and the study was run.

        Raises
        ------
        InputError
            If a trace or the results cannot be read.
        """
        runs = store.load(self.results)
        runs["scenario"] = runs["pattern"].str.rpartition(".")[0]
        cells, variants = self.cells, self.paper.variants
        plain = {
            (cell.scenario, str(cell.simulation.rat)): cell.load()
            for cell in cells
            if cell.simulation.seed == _PATTERN_SEED and not cell.variant
        }
        flows = list(emulated(variants, runs, self.results, plain))
        table = table_of(itertools.chain(simulated(cells), flows))
        return Found(self.results, variants, cells, flows, runs, table, self._transfers(runs))

    def judge(self, found: Found) -> list[Judged]:
        """Hold the paper's claims against what was found.

        Raises
        ------
        InputError
            If the claims cannot be read.
        """
        missing = "was not measured: --full does" if self.extent == "quick" else "was not measured"
        tables: Tables = {"cells": found.table, "runs": found.runs, "transfers": found.transfers}
        return judge(read_claims(self.paper.claims), tables, missing)

    def draw(self, found: Found) -> list[Path]:
        """Draw the paper's own figures and return the files.

        Raises
        ------
        InputError
            If a trace or the results cannot be read.
        MmwemuError
            If a figure cannot be written.
        """
        for one in self.paper.figures:
            one.draw(found, self.figure(one))
        return [self.figure(one) for one in self.paper.figures]

    def figure(self, drawing: Drawing) -> Path:
        """Return the file of one of the paper's own figures."""
        return self.folder / f"{drawing.name}.png"

    def _transfers(self, runs: pd.DataFrame) -> pd.DataFrame:
        """Return the table of transfers: by the model over the pattern's path, simulated, and over Linux's TCP."""
        paper = self.paper
        if not paper.sizes_bytes:
            return transfers.table_of([])
        rows = list(transfers.of_runs(paper.variants, runs))
        for cell in self.cells:
            if cell.variant:
                start_s = cell.simulation.scenario.traffic.start_s
                rows += transfers.of_trace(cell.variant, cell.load(), start_s, paper.sizes_bytes)
        path = self._path(2 * float(runs["delay_s"].iloc[0]))
        return transfers.table_of([*rows, *transfers.of_model(path, paper.variants, paper.sizes_bytes)])

    def _path(self, round_trip_s: float) -> transfers.Path:
        """Return the path over which files are downloaded: the first pattern."""
        pattern = native.load(self.make_patterns()[0])
        rate_bps = measures.mean_rate_bps(pattern, pattern.downlink.rate_bps)
        return transfers.Path(rate_bps * MSS_BYTES / MTU_BYTES, round_trip_s)
