"""The report page of a reproduction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mmwemu.core.progress import OnProgress, ignore
from mmwemu.papers.judge import Judged
from mmwemu.papers.reproduction import Reproduction
from mmwemu.papers.words import count, rows
from mmwemu.report.page.document import Page, Place, Sentence
from mmwemu.report.page.trace_figures import trace_figure
from mmwemu.results.collection import open_folder
from mmwemu.study.reporting.page import make_page
from mmwemu.trace import parquet


def page_of(
    one: Reproduction, judged: Sequence[Judged], command: Sequence[str], on_progress: OnProgress = ignore
) -> Page:
    """Return the page: claims and what was found of them, simulated cells, and all that a report of results has.

    Raises
    ------
    InputError
        If a trace or the results cannot be read.
    """
    title = f"{one.paper.name}: {one.paper.title}"
    claims = rows(judged, one.paper.name)
    page = make_page([open_folder(one.results)], command, claims=claims, title=title, on_progress=on_progress)
    verdicts = Sentence(f"Of {len(judged)} claims: {count([each.verdict for each in judged])}.")
    return replace(page, findings=[("Claims", [verdicts]), *page.findings], places=[*_cells(one), *page.places])


def _cells(one: Reproduction) -> list[Place]:
    """Return SINR and throughput of the first seed of each scenario."""
    found = []
    first = [simulation for simulation in one.simulations if simulation.seed == 1]
    for scenario in dict.fromkeys(simulation.scenario.name for simulation in first):
        own = [simulation for simulation in first if simulation.scenario.name == scenario]
        traces = {str(each.rat): parquet.load(each.traces(one.folder / "cells")[0]) for each in own}
        title = own[0].scenario.title or scenario
        figure = trace_figure(f"cell-{scenario}", f"{title}: SINR and throughput", traces)
        found.append(Place(f"{scenario}: the simulated cells", (), (figure,)))
    return found
