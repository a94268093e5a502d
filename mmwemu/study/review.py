"""Finished results looked at again: their summary, and two of them compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmwemu.apps import registry
from mmwemu.core.errors import InputError
from mmwemu.report import generic_summary
from mmwemu.report.statistics import Average, Estimate, ratio
from mmwemu.report.summary import Results, Summary, Table
from mmwemu.report.variations import named_by_variation
from mmwemu.results import store
from mmwemu.results.collection import Finished

if TYPE_CHECKING:
    import pandas as pd

_COUNTS = ("runs", "timeouts", "failed", "invalid", "cpu_bound", "interval_of", "metrics")


def summarize(folder: Finished, plots: Path, *, average: Average = "mean", exclude_cpu_bound: bool = False) -> Summary:
    """Return the summary of a results folder's runs, with figures drawn into ``plots``; one part an application.

    Its values are those of the application, or those of each by its name if there are several.

    An application that is no longer installed is summarized like one without a summary of its own.

    Raises
    ------
    InputError
        If the folder's tables cannot be read.
    """
    runs = store.load(folder.path)
    several = runs["application"].nunique() > 1
    values: dict[str, Any] = {}
    tables: list[Table] = []
    lines: list[str] = []
    for name, part in runs.groupby("application", sort=False):
        known = name in registry.names()
        make = (registry.load(str(name)).summarize if known else None) or generic_summary.summarize
        try:
            results = Results(named_by_variation(part), _tables_of(folder), exclude_cpu_bound, average)
            found = make(results, plots)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            problem = f"has no runs that {name} can read ({type(error).__name__}: {error}); was it edited?"
            raise InputError(str(folder.path), problem) from None
        values |= {str(name): found.values} if several else found.values
        tables += found.tables
        lines += found.lines
    return Summary(values, tables, lines)


@dataclass(frozen=True)
class Change:
    """A metric of one group of runs in two results folders: the averages, and the second over the first."""

    keys: Mapping[str, Any]
    metric: str
    before: float
    after: float
    ratio: Estimate


def compare(before: Summary, after: Summary, average: Average = "mean") -> list[Change]:
    """Return how each metric of the groups that both summaries have differs.

    Raises
    ------
    InputError
        If they have no group in common.
    """
    old = {_key(group): group for group in _groups(before.values)}
    changes = []
    for group in _groups(after.values):
        other = old.get(_key(group))
        for name, metric in group["metrics"].items() if other else ():
            base = other["metrics"].get(name) if other else None
            if base and base["values"] and metric["values"]:
                keys = {key: value for key, value in group.items() if key not in _COUNTS}
                estimate = ratio(metric["values"], base["values"], paired=False, of=average)
                changes.append(Change(keys, name, base[average], metric[average], estimate))
    if not changes:
        raise InputError("results", "have no group of runs in common (pattern, size, site ...)")
    return changes


def _groups(values: Mapping[str, Any], application: str = "") -> Iterator[dict[str, Any]]:
    """Yield the groups of runs in the values of a summary, with their application if there are several."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _groups(value, name)
        else:
            named = {"application": application} if application else {}
            yield from ({**named, **each} for each in value if isinstance(each, dict) and "metrics" in each)


def _key(group: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, value) for name, value in group.items() if name not in _COUNTS)


def _tables_of(folder: Finished) -> Any:
    def tables(run: int) -> dict[str, pd.DataFrame]:
        return {name: store.load_table(folder.path, name, run) for name in folder.tables if name != "runs"}

    return tables
