"""A paper reproduced: cells simulated, patterns made of them, and claims held against these and against runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from mmwemu.campaign import run as campaign
from mmwemu.campaign.plan import Simulation, find_scenarios, make_plan
from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.core.text import read_text
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
    """A folder in which a paper is reproduced: cells, patterns, study.toml, results and report.html.

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
                    trace = parquet.load(simulation.traces(self.folder / "cells")[0])
                    native.save(convert(trace, Conversion(self.paper.method)), made[-1])
        return made

    def judge(self) -> list[Judged]:
        """Hold the paper's claims against the cells and the runs of the study.

        Raises
        ------
        InputError
            If the claims, a trace or the results cannot be read.
        """
        traces = (parquet.load(simulation.traces(self.folder / "cells")[0]) for simulation in self.simulations)
        runs = store.load(self.results)
        runs["scenario"] = runs["pattern"].str.rpartition(".")[0]
        missing = "was not measured: --full does" if self.extent == "quick" else "was not measured"
        return judge(read_claims(self.paper.claims), {"cells": table_of(traces), "runs": runs}, missing)
