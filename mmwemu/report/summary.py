"""Summaries of runs: groups with counts, means and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mmwemu.report.statistics import Estimate, mean_interval

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Results:
    """Finished runs of one application.

    Attributes
    ----------
    runs
        One row per run, with the columns of the application's record.
    tables
        Returns the tables of a run by its number: ``link`` and those of the application.
    exclude_cpu_bound
        Exclude CPU-bound runs from the means.
    """

    runs: pd.DataFrame
    tables: Callable[[int], Mapping[str, pd.DataFrame]]
    exclude_cpu_bound: bool = False

    @property
    def has_random_starts(self) -> bool:
        """Whether the starts were drawn at random, so that runs of all starts form one group."""
        starts = self.runs.groupby("repetition")["start_at_s"].nunique()
        return bool((starts == 1).all() and self.runs["start_at_s"].nunique() > 1)


@dataclass(frozen=True)
class Table:
    """A printed table: header, rows, and indices of the right-aligned columns."""

    header: Sequence[str]
    rows: Sequence[Sequence[object]]
    right: Sequence[int] = ()


@dataclass(frozen=True)
class Summary:
    """Results of an experiment.

    Attributes
    ----------
    values
        Values for JSON, by name.
    tables, lines
        Text for people: tables, then single lines.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    tables: Sequence[Table] = ()
    lines: Sequence[str] = ()


@dataclass(frozen=True)
class Group:
    """Runs that differ only by chance.

    Attributes
    ----------
    keys
        The columns that all of them share, by name.
    values
        Values of each metric, from the counted runs; with several clients the means over the clients of each replay,
        which are not independent of each other.
    metrics, medians
        Mean with interval, and median (NaN without a value), of each metric.
    runs, timeouts, failed, invalid, cpu_bound
        Number of runs, and numbers of those that timed out, failed, had an invalid link or were CPU-bound.
    good
        The runs that neither failed nor had an invalid link; the counted ones may be fewer.
    """

    keys: Mapping[str, Any]
    values: Mapping[str, tuple[float, ...]]
    metrics: Mapping[str, Estimate]
    medians: Mapping[str, float]
    runs: int
    timeouts: int
    failed: int
    invalid: int
    cpu_bound: int
    good: pd.DataFrame = field(repr=False, compare=False)

    @property
    def is_cpu_bound(self) -> bool:
        """Whether more than half of the good runs were CPU-bound, so that typical values do not show the link."""
        return bool(self.good["cpu_bound"].sum() * 2 > len(self.good))

    def notes(self, timeout: str = "at the limit") -> list[str]:
        """Return the counts that are not 0, in words, and the number of clients if there are several."""
        clients = int(self.good["clients"].max()) if len(self.good) and "clients" in self.good else 1
        several = [f"means of {clients} clients"] if clients > 1 else []
        counts = (
            (self.timeouts, timeout),
            (self.failed, "failed"),
            (self.invalid, "not valid"),
            (self.cpu_bound, "CPU-bound"),
        )
        mostly = ["mostly CPU-bound"] if self.is_cpu_bound else []
        return several + [f"{count} {what}" for count, what in counts if count] + mostly

    def to_json(self) -> dict[str, Any]:
        """Return the group without its runs, with the keys at the top level."""
        counts = {name: getattr(self, name) for name in ("runs", "timeouts", "failed", "invalid", "cpu_bound")}
        metrics = {
            name: {
                "mean": estimate.mean,
                "low": estimate.low,
                "high": estimate.high,
                "n": estimate.n,
                "median": self.medians[name],
                "values": list(self.values[name]),
            }
            for name, estimate in self.metrics.items()
        }
        return {**self.keys, **counts, "metrics": metrics}


def group_runs(
    runs: pd.DataFrame, keys: Sequence[str], metrics: Sequence[str], *, exclude_cpu_bound: bool = False
) -> list[Group]:
    """Return groups of runs with equal ``keys``, in the order of their first runs.

    Means exclude failed runs and runs over an invalid link. They include timeouts, with the metrics that those reached,
    and CPU-bound runs unless ``exclude_cpu_bound``: CPU-bound page loads are the fast ones, and without them only the
    loads that met an outage remain. Clients of one replay are averaged, as their runs are not independent.
    """
    groups = []
    for _, part in runs.groupby(list(keys), sort=False, dropna=False):
        good = part[part["valid"] & (part["status"] != "failed")]
        counted = good[~good["cpu_bound"].astype(bool)] if exclude_cpu_bound else good
        values = {name: _values(counted, name) for name in metrics}
        groups.append(
            Group(
                keys={key: _plain(part.iloc[0][key]) for key in keys},
                values=values,
                metrics={name: mean_interval(sample) for name, sample in values.items()},
                medians={name: float(np.median(sample)) if sample else float("nan") for name, sample in values.items()},
                runs=len(part),
                timeouts=int((part["status"] == "timeout").sum()),
                failed=int((part["status"] == "failed").sum()),
                invalid=int((~part["valid"]).sum()),
                cpu_bound=int(part["cpu_bound"].sum()),
                good=good,
            )
        )
    return groups


def _values(runs: pd.DataFrame, metric: str) -> tuple[float, ...]:
    """Return the values of a metric, one a replay."""
    import pandas as pd

    numbers = pd.to_numeric(runs[metric]).dropna().astype(float)
    if "clients" in runs and (runs["clients"] > 1).any():
        numbers = numbers.groupby(runs["replay"], sort=False).mean()
    return tuple(numbers)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def interval(estimate: Estimate, digits: int, scale: float = 1.0) -> str:
    """Return an interval for a table, ``-`` if there is none."""
    if estimate.n < 2:
        return "-"
    return f"{estimate.low * scale:.{digits}f} - {estimate.high * scale:.{digits}f}"


def number(value: float, digits: int, scale: float = 1.0) -> str:
    """Return a number for a table, ``-`` for NaN."""
    return f"{value * scale:.{digits}f}" if value == value else "-"


def start_of(group: Group) -> str:
    """Return the start of a group's runs in the pattern, for a table."""
    return f"{group.keys['start_at_s']:g} s" if "start_at_s" in group.keys else "random"
