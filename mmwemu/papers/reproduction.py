"""A paper reproduced: cells simulated, patterns made of them, and claims held against these and against runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from mmwemu.campaign import run as campaign
from mmwemu.campaign.plan import Simulation, find_scenarios, make_plan
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.papers.cells import table_of
from mmwemu.papers.claims import read_claims
from mmwemu.papers.judge import Judged, judge
from mmwemu.papers.paper import Extent, Paper
from mmwemu.pattern.convert import Conversion, convert
from mmwemu.pattern.formats import native
from mmwemu.results import store
from mmwemu.scenario.model import Rat
from mmwemu.trace import parquet

RATS: tuple[Rat, ...] = get_args(Rat)
_ENGINE = "mmwemu-cell"


@dataclass(frozen=True)
class Reproduction:
    """Where a paper is reproduced: ``cells/``, ``patterns/`` and ``results/`` in a folder.

    Whatever is in the folder already is not made again.
    """

    paper: Paper
    extent: Extent
    folder: Path

    @property
    def results(self) -> Path:
        """The results folder of the study."""
        return self.folder / "results"

    @property
    def simulations(self) -> list[Simulation]:
        """The cells, seed by seed."""
        seeds = range(1, self.paper.seeds[self.extent] + 1)
        return make_plan(find_scenarios(self.paper.scenarios), RATS, seeds, _ENGINE)

    def simulate(self, jobs: int, on_progress: OnProgress = ignore) -> None:
        """Simulate the cells, ``jobs`` at a time.

        Raises
        ------
        As `mmwemu.campaign.run.run`.
        """
        campaign.run(self.simulations, campaign.Where(self.folder / "cells", jobs), on_progress)

    def make_patterns(self) -> list[Path]:
        """Write the pattern of each cell's first seed, named SCENARIO.RAT, and return the files.

        Raises
        ------
        MmwemuError
            If a trace cannot be read or a pattern not written.
        """
        made = []
        (self.folder / "patterns").mkdir(exist_ok=True)
        for simulation in self.simulations:
            if simulation.seed == 1:
                made.append(self.folder / "patterns" / f"{simulation.scenario.name}.{simulation.rat}.csv")
                if not made[-1].exists():
                    trace = parquet.load(simulation.trace(self.folder / "cells"))
                    native.save(convert(trace, Conversion(self.paper.method)), made[-1])
        return made

    def judge(self) -> list[Judged]:
        """Hold the paper's claims against the cells and the runs of the study.

        Raises
        ------
        InputError
            If the claims, a trace or the results cannot be read.
        """
        traces = (parquet.load(simulation.trace(self.folder / "cells")) for simulation in self.simulations)
        runs = store.load(self.results)
        runs["scenario"] = runs["pattern"].str.rpartition(".")[0]
        return judge(read_claims(self.paper.claims), {"cells": table_of(traces), "runs": runs})
