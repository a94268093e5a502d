"""A paper reproduced: cells simulated, patterns made of them, and claims held against these and against runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mmwemu.campaign import run as campaign
from mmwemu.campaign.plan import Simulation, find_scenarios, make_plan
from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.core.text import read_text
from mmwemu.link.profile import MTU_BYTES
from mmwemu.papers import transfers
from mmwemu.papers.cells import table_of
from mmwemu.papers.claims import read_claims
from mmwemu.papers.draw import plot_transfers
from mmwemu.papers.judge import Judged, Tables, judge
from mmwemu.papers.paper import Extent, Paper
from mmwemu.pattern import measures
from mmwemu.pattern.convert import Conversion, convert
from mmwemu.pattern.formats import native
from mmwemu.results import store
from mmwemu.testbed.tcp import MSS_BYTES
from mmwemu.trace import parquet

if TYPE_CHECKING:
    import pandas as pd

_ENGINE = "mmwemu-cell"


@dataclass(frozen=True)
class Reproduction:
    """A folder in which a paper is reproduced: cells, transfers, patterns, study.toml, results and report.html.

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

    @property
    def figure(self) -> Path:
        """The figure of transfers, of a paper that compares variants of sending."""
        return self.folder / "transfers.png"

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
        return make_plan(find_scenarios(self.paper.scenarios), self.paper.rats, self._seeds, _ENGINE)

    @property
    def simulated_transfers(self) -> dict[str, list[Simulation]]:
        """The simulated transfers of each variant, seed by seed."""
        found = {}
        for variant in self.paper.variants:
            if variant.changes is not None:
                (first,) = find_scenarios(self.paper.scenarios[:1])
                changed = variant.changes.apply(first, "mmwave")
                named = replace(changed, name=f"{first.name}-{variant.name}")
                found[variant.name] = make_plan([named], ("mmwave",), self._seeds, _ENGINE)
        return found

    @property
    def _seeds(self) -> range:
        return range(1, self.paper.seeds[self.extent] + 1)

    def simulate(self, jobs: int, on_progress: OnProgress = ignore) -> None:
        """Simulate cells and transfers, ``jobs`` at a time.

        Raises
        ------
        As `mmwemu.campaign.run.run`.
        """
        campaign.run(self.simulations, campaign.Where(self.folder / "cells", jobs), on_progress)
        sent = [simulation for one in self.simulated_transfers.values() for simulation in one]
        if sent:
            campaign.run(sent, campaign.Where(self.folder / "transfers", jobs), on_progress)

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
        tables: Tables = {"cells": table_of(traces), "runs": runs, "transfers": self.table_of_transfers()}
        return judge(read_claims(self.paper.claims), tables, missing)

    def table_of_transfers(self) -> pd.DataFrame:
        """Return the table of transfers: by the model over the pattern's path, simulated, and over Linux's TCP.

        Raises
        ------
        InputError
            If a trace or the results cannot be read.
        """
        paper = self.paper
        if not paper.variants:
            return transfers.table_of([])
        runs = store.load(self.results)
        rows = list(transfers.of_runs(paper.variants, runs))
        for name, simulations in self.simulated_transfers.items():
            for one in simulations:
                trace = parquet.load(one.traces(self.folder / "transfers")[0])
                rows += transfers.of_trace(name, trace, one.scenario.traffic.start_s, paper.sizes_bytes)
        path = self._path(2 * float(runs["delay_s"].iloc[0]))
        return transfers.table_of([*rows, *transfers.of_model(path, paper.variants, paper.sizes_bytes)])

    def draw_transfers(self) -> None:
        """Draw the table of transfers of a paper that compares variants of sending.

        Raises
        ------
        InputError
            If a trace or the results cannot be read.
        MmwemuError
            If the figure cannot be written.
        """
        names = [variant.name for variant in self.paper.variants if variant.drawn]
        plot_transfers(self.table_of_transfers(), names, self.figure, self.paper.title)

    def _path(self, round_trip_s: float) -> transfers.Path:
        """Return the path over which files are downloaded: the first pattern."""
        pattern = native.load(self.make_patterns()[0])
        rate_bps = measures.mean_rate_bps(pattern, pattern.downlink.rate_bps)
        return transfers.Path(rate_bps * MSS_BYTES / MTU_BYTES, round_trip_s)
