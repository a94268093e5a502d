"""How the report page shows the runs of an application: its metrics, its cases, and the course of a run over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Better = Literal["higher", "lower", ""]
Shape = Literal["line", "step", "dots"]

_UNITS = {
    "bps": ("Mbit/s", 1e-6), "s": ("s", 1.0), "bytes": ("MB", 1e-6), "ms": ("ms", 1.0), "us": ("us", 1.0),
    "ns": ("ns", 1.0), "packets": ("packets", 1.0), "db": ("dB", 1.0), "ratio": ("ratio", 1.0),
    "count": ("count", 1.0), "percent": ("%", 1.0), "mb": ("MB", 1.0), "kb": ("kB", 1.0), "mbps": ("Mbit/s", 1.0),
    "hz": ("Hz", 1.0),
}  # fmt: skip


@dataclass(frozen=True)
class Metric:
    """A metric as people read it.

    Attributes
    ----------
    column
        Its column of runs.parquet; the end of the name is the unit.
    label
        Its name for people; empty for the words of the column.
    better
        Whether ``higher`` or ``lower`` values are better; empty if neither is.
    """

    column: str
    label: str = ""
    better: Better = ""

    @property
    def name(self) -> str:
        """The name for people, without a unit."""
        words, _, suffix = self.column.rpartition("_")
        return self.label or (words if words and suffix in _UNITS else self.column).replace("_", " ")

    @property
    def unit(self) -> str:
        """The unit in which it is shown; empty for a number without unit."""
        return self._unit[0]

    @property
    def scale(self) -> float:
        """Shown value of 1 in the column."""
        return self._unit[1]

    @property
    def title(self) -> str:
        """Name and unit, as on an axis."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    @property
    def _unit(self) -> tuple[str, float]:
        words, _, suffix = self.column.rpartition("_")
        return _UNITS.get(suffix, ("", 1.0)) if words else ("", 1.0)


@dataclass(frozen=True)
class Span:
    """Something that lasted: ``kind`` names the row in which it is drawn, ``label`` what it was.

    Times are s on the clock of the replay, whose 0 is the first packet.
    """

    begin_s: float
    end_s: float
    kind: str
    label: str = ""


@dataclass(frozen=True)
class Mark:
    """A moment: its time, s on the clock of the replay, and its name."""

    time_s: float
    label: str


@dataclass(frozen=True)
class Curve:
    """Values [n] over times [n], s on the clock of the replay; NaN where there is none."""

    label: str
    time_s: Floats
    values: Floats
    shape: Shape = "line"


@dataclass(frozen=True)
class Panel:
    """Curves over one axis, whose ``title`` has the unit."""

    title: str
    curves: Sequence[Curve]


@dataclass(frozen=True)
class Picture:
    """A picture of the screen: its time, s since the application began, and its file, a JPEG or PNG."""

    time_s: float
    file: Path


@dataclass(frozen=True)
class Course:
    """What happened in a run.

    Attributes
    ----------
    marks, spans
        Moments, and what lasted.
    panels
        Further curves, below rate and queue of the link.
    pictures
        The screen over time.
    direction
        The direction of the link that matters.
    """

    marks: Sequence[Mark] = ()
    spans: Sequence[Span] = ()
    panels: Sequence[Panel] = ()
    pictures: Sequence[Picture] = ()
    direction: Literal["downlink", "uplink"] = "downlink"


@dataclass(frozen=True)
class KeptRun:
    """A run as it was kept: its row of runs.parquet, its tables by name, and the results folder."""

    row: Mapping[str, Any]
    tables: Mapping[str, pd.DataFrame]
    folder: Path

    @property
    def begin_s(self) -> float:
        """When the application began, s on the clock of the replay."""
        return float(self.row["offset_s"])

    def moments(self, columns: Mapping[str, str]) -> list[Mark]:
        """Return the moments that it reached: ``columns`` has names by columns of s since the application began."""
        return [
            Mark(self.begin_s + at_s, label) for name, label in columns.items() if (at_s := self._time(name)) == at_s
        ]

    def span(self, kind: str) -> Span:
        """Return the whole run as a span, with its status."""
        return Span(self.begin_s, self.begin_s + float(self.row["duration_s"]), kind, str(self.row["status"]))

    def _time(self, column: str) -> float:
        value = self.row.get(column)
        return float("nan") if value is None else float(value)


@dataclass(frozen=True)
class View:
    """How the report page shows an application.

    Attributes
    ----------
    title
        Of the section, such as ``Downloads``.
    metrics
        The most telling one first; none for all numbers that the record has beside those of every run.
    cases
        Columns that tell its cases apart, such as the file size.
    course
        What happened in a run; None for its begin and end.
    tables
        Tables that ``course`` reads.
    leave_out
        Columns that are no metrics although they are numbers, where ``metrics`` is empty.
    """

    title: str = ""
    metrics: Sequence[Metric] = ()
    cases: Sequence[str] = ()
    course: Callable[[KeptRun], Course] | None = None
    tables: Sequence[str] = ()
    leave_out: Sequence[str] = ()
