"""The report page of a reproduction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mmwemu.core.progress import OnProgress, ignore
from mmwemu.papers.judge import Judged
from mmwemu.papers.reproduction import Reproduction
from mmwemu.papers.words import count, rows
from mmwemu.report.page.document import Page, Picture, Place, Sentence
from mmwemu.report.page.render import data_uri
from mmwemu.report.page.trace_figures import trace_figure
from mmwemu.results.collection import open_folder
from mmwemu.study.reporting.page import make_page


def page_of(
    one: Reproduction, judged: Sequence[Judged], command: Sequence[str], on_progress: OnProgress = ignore
) -> Page:
    """Return the page: claims, what was found of them, the paper's figures, its cells, and what any report has.

    Raises
    ------
    InputError
        If a trace or the results cannot be read.
    """
    title = f"{one.paper.name}: {one.paper.title}"
    claims = rows(judged, one.paper.name)
    page = make_page([open_folder(one.results)], command, claims=claims, title=title, on_progress=on_progress)
    verdicts = Sentence(f"Of {len(judged)} claims: {count([each.verdict for each in judged])}.")
    places = [*_figures(one), *_cells(one), *page.places]
    return replace(page, findings=[("Claims", [verdicts]), *page.findings], places=places)


def _figures(one: Reproduction) -> list[Place]:
    """Return the paper's own figures."""
    pictures = [Picture(each.title, data_uri(one.figure(each).read_bytes(), "image/png")) for each in one.paper.figures]
    return [Place("Figures of this paper", (), (), pictures)] if pictures else []


def _cells(one: Reproduction) -> list[Place]:
    """Return SINR and throughput of the first seed of each plain cell."""
    made = []
    first = [cell for cell in one.cells if cell.simulation.seed == 1 and not cell.variant]
    for scenario in dict.fromkeys(cell.scenario for cell in first):
        own = [cell for cell in first if cell.scenario == scenario]
        title = own[0].simulation.scenario.title or scenario
        traces = {str(cell.simulation.rat): cell.load() for cell in own}
        figure = trace_figure(f"cell-{scenario}", f"{title}: SINR and throughput", traces)
        made.append(Place(f"{scenario}: the simulated cells", (), (figure,)))
    return made
