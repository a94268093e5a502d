"""What a report page consists of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmwemu.report.claims import JudgedClaim
from mmwemu.report.page.figure import Figure
from mmwemu.report.summary import Table


@dataclass(frozen=True)
class Sentence:
    """A sentence of the summary.

    Attributes
    ----------
    text
        The sentence.
    parts
        The sentences that it sums up, one for each pattern; none where it is about one pattern.
    """

    text: str
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Choice:
    """A figure of a section and the words by which the reader chooses it: what it shows, and how."""

    what: str
    how: str
    figure: Figure


@dataclass(frozen=True)
class Section:
    """The runs of one application: figures to choose from, and tables."""

    name: str
    title: str
    choices: Sequence[Choice]
    tables: Sequence[tuple[str, Table]] = ()


@dataclass(frozen=True)
class Picture:
    """A picture: what it shows, and a data URI."""

    text: str
    source: str


@dataclass(frozen=True)
class Place:
    """A pattern, or the map of a scenario: figures, remarks and pictures."""

    title: str
    lines: Sequence[str]
    figures: Sequence[Figure]
    pictures: Sequence[Picture] = ()


@dataclass(frozen=True)
class RunCourse:
    """The course of one run: the key of its row in the table of runs, its group, its standing there, its figure.

    ``film`` has pictures of the screen: time, s, and a data URI.
    """

    key: str
    group: str
    standing: str
    lines: Sequence[str]
    figure: Figure
    film: Sequence[tuple[float, str]] = ()


@dataclass(frozen=True)
class Column:
    """A column of the table of runs; ``application`` is empty for one that all have."""

    name: str
    title: str
    is_number: bool
    application: str = ""


@dataclass(frozen=True)
class RunTable:
    """The table of runs: columns, and the values of each."""

    columns: Sequence[Column]
    values: Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class Source:
    """A results folder: its path, facts by name, the hash of its runs, the settings as JSON, hashes of its patterns."""

    path: Path
    facts: Mapping[str, str]
    asked: str
    patterns: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Page:
    """The whole page.

    Attributes
    ----------
    title, lead
        The head.
    findings
        The summary: what was found, in sentences, by the title of the application.
    cautions
        Counts of runs that speak against it, and what was left out.
    claims
        Claims of a source and what was found of them; none for no such section.
    sections, places, courses, runs, sources
        The other parts, in the order of the page.
    command
        The command that made the page.
    """

    title: str
    lead: str
    findings: Sequence[tuple[str, Sequence[Sentence]]]
    cautions: Sequence[str]
    sections: Sequence[Section]
    places: Sequence[Place]
    courses: Sequence[RunCourse]
    runs: RunTable
    sources: Sequence[Source]
    command: str
    claims: Sequence[JudgedClaim] = ()

    def figures(self) -> list[Figure]:
        """Return all figures."""
        found = [choice.figure for section in self.sections for choice in section.choices]
        found += [figure for place in self.places for figure in place.figures]
        return found + [course.figure for course in self.courses]
