"""Groups of runs as figures and sentences name them: case, place and series."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from mmwemu.core.figure import RAT_LABELS
from mmwemu.core.units import format_size
from mmwemu.report.summary import Group, Results, group_runs

if TYPE_CHECKING:
    import pandas as pd

OTHER = "other link"


@dataclass(frozen=True)
class CaseGroup:
    """A group of runs.

    Attributes
    ----------
    case
        What was run, such as ``20 MB``; empty where there is one case.
    place
        Over what: the pattern's name without the radio access technology where it has one.
    series
        The radio access technology for people, or `OTHER`.
    group
        The group.
    runs
        All its runs, those that are not counted included.
    """

    case: str
    place: str
    series: str
    group: Group
    runs: pd.DataFrame

    def values(self, column: str) -> tuple[float, ...]:
        """Return the counted values of a metric."""
        return self.group.values[column]


class States:
    """What speaks for or against a run, as its point shows it; and the order of series."""

    ALL: ClassVar[tuple[str, ...]] = ("counted", "CPU-bound", "at the limit", "not counted")
    _FIRST: ClassVar[tuple[str, ...]] = tuple(RAT_LABELS.values())

    @classmethod
    def of(cls, runs: pd.DataFrame) -> list[str]:
        """Return the state of each run."""
        return [
            "not counted" if not row["valid"] or row["status"] == "failed"
            else "at the limit" if row["status"] == "timeout"
            else "CPU-bound" if row["cpu_bound"] else "counted"
            for row in runs[["valid", "status", "cpu_bound"]].to_dict("records")
        ]  # fmt: skip

    @classmethod
    def present(cls, groups: Iterable[CaseGroup]) -> list[str]:
        """Return the states that occur."""
        found = {state for group in groups for state in cls.of(group.runs)}
        return [state for state in cls.ALL if state in found]

    @classmethod
    def order(cls, series: str) -> tuple[int, str]:
        """Return the key by which series are sorted."""
        return (cls._FIRST.index(series) if series in cls._FIRST else len(cls._FIRST)), series

    @classmethod
    def domain(cls, series: Sequence[str]) -> list[str]:
        """Return all series that have a colour, so that a technology alone has the same as beside the other."""
        return [*cls._FIRST, *(name for name in series if name not in cls._FIRST)]


def case_groups(results: Results, cases: Sequence[str], metrics: Sequence[str]) -> list[CaseGroup]:
    """Return the runs of an application grouped by pattern and case, those of all starts together.

    Columns of ``cases`` that are the same in all runs are left out of the names.
    """
    keys = ["pattern", "rat", *cases]
    groups = group_runs(results, keys, metrics)
    parts = [part for _, part in results.runs.groupby(keys, sort=False, dropna=False)]
    varied = [name for name in cases if results.runs[name].nunique(dropna=False) > 1]
    names = dict.fromkeys((str(group.keys["pattern"]), str(group.keys["rat"])) for group in groups)
    short = {key: _without_rat(*key) for key in names}
    if len(set(zip(short.values(), (rat for _, rat in names), strict=True))) < len(names):
        short = {key: key[0] for key in names}
    found = []
    for group, part in zip(groups, parts, strict=True):
        pattern, rat = str(group.keys["pattern"]), str(group.keys["rat"])
        case = ", ".join(word(name, group.keys[name]) for name in varied)
        found.append(CaseGroup(case, short[pattern, rat], RAT_LABELS.get(rat, OTHER), group, part))
    return found


def word(column: str, value: Any) -> str:
    """Return the value of a column in words."""
    if value is None or value != value:
        return f"no {column.replace('_', ' ')}"
    if column.endswith("_bytes"):
        return format_size(int(value))
    if column == "streams":
        return "1 stream" if value == 1 else f"{value} streams"
    return str(value)


def _without_rat(pattern: str, rat: str) -> str:
    parts = [part for part in pattern.split(".") if part != rat]
    return ".".join(parts) if rat and parts else pattern
