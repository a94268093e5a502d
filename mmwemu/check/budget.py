"""Budgets of a page or film: thresholds over the shipped scenarios, without a study file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mmwemu.apps.stream.application import Streams
from mmwemu.apps.web.application import Pages
from mmwemu.check import thresholds
from mmwemu.check.judging import Line, Verdict, overall
from mmwemu.check.request import Request
from mmwemu.core.errors import InputError
from mmwemu.study.plan import ReplayPlan
from mmwemu.study.planned import Part, PlannedExperiment
from mmwemu.study.studies import Study

PATTERNS = tuple(
    f"{scenario}.{rat}"
    for scenario in ("s1-long-nlos", "s2-crossings", "s3-people-and-trees", "s4-outage")
    for rat in ("mmwave", "lte")
)
"""The patterns of a budget where nobody names others."""

OF_PAGES = ("lcp_s p50 <= 2.5", "fcp_s p50 <= 1.8", "speed_index_s p50 <= 3.4", "cls p50 <= 0.1")
"""What web.dev calls good, and Lighthouse for the Speed Index of a mobile device."""

OF_FILMS = ("startup_s p50 <= 3", "stall_s p50 <= 1")
PLAYED_S = 15.0
"""Length of a playback, s; playback takes its time."""


@dataclass(frozen=True)
class Budget:
    """The outcome of a budget over all patterns.

    Attributes
    ----------
    threshold, verdict
        The budget, and the verdict over all patterns.
    held, lines
        On how many patterns it holds, and its lines.
    worst
        The line that is farthest from what is expected.
    """

    threshold: str
    verdict: Verdict
    held: int
    lines: Sequence[Line]
    worst: Line


def request(target: Path, expect: Sequence[str], patterns: Sequence[str], budget_s: float | None) -> Request:
    """Return the check of a page's or film's budgets.

    Parameters
    ----------
    target
        The folder of a site or a saved page, or the file of a film.
    expect
        The budgets; none for the usual ones.
    patterns
        Files or names; none for `PATTERNS`.
    budget_s
        Time for the verdict, s; None for 10 min, or 30 for a film.

    Raises
    ------
    InputError
        If there is no such file or folder, or a budget is none, or needs a baseline.
    """
    if not target.exists():
        raise InputError(str(target), "does not exist; give a site's folder, a film, or an address with https://")
    is_page = target.is_dir()
    part = Part(Pages((str(target),)) if is_page else Streams(film=str(target), limit_s=PLAYED_S))
    experiment = PlannedExperiment((part,), tuple(patterns or PATTERNS), ReplayPlan())
    lines = [thresholds.parse(line, "--expect") for line in expect or (OF_PAGES if is_page else OF_FILMS)]
    if relative := next((line for line in lines if line.relation), None):
        raise InputError(relative.text, "needs a baseline, and a budget has none; mmwemu check compares")
    return Request(Study("budget", (experiment,)), lines, (None,), budget_s or (600.0 if is_page else 1800.0))


def budgets(lines: Sequence[Line]) -> list[Budget]:
    """Return the outcome of each budget, from the lines of all patterns."""
    found = []
    for text in dict.fromkeys(line.threshold for line in lines):
        mine = [line for line in lines if line.threshold == text]
        held = sum(line.verdict == "pass" for line in mine)
        worst = (min if ">=" in text else max)(mine, key=lambda line: line.value)
        found.append(Budget(text, overall(mine), held, mine, worst))
    return found
