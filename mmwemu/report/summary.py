"""Summaries of runs: groups with counts, averages and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mmwemu.report.statistics import LEAST, Average, Estimate, average

if TYPE_CHECKING:
    import pandas as pd

INTERVAL = "95 % interval, or runs"
"""Header of the column of `interval`."""


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
        Exclude CPU-bound runs from the averages.
    average
        Which average the summary shows.
    """

    runs: pd.DataFrame
    tables: Callable[[int], Mapping[str, pd.DataFrame]]
    exclude_cpu_bound: bool = False
    average: Average = "mean"

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
    samples
        Values of each metric, from the counted runs, with the start and repetition of each as its index; with several
        clients the means over the clients of each replay, which are not independent of each other.
    metrics
        Average of each metric with its interval.
    average
        Which average.
    runs, timeouts, failed, invalid, cpu_bound
        Number of runs, and numbers of those that timed out, failed, had an invalid link or were CPU-bound.
    good
        The runs that neither failed nor had an invalid link; the counted ones may be fewer.
    """

    keys: Mapping[str, Any]
    samples: Mapping[str, pd.Series[float]] = field(compare=False)
    metrics: Mapping[str, Estimate]
    average: Average
    runs: int
    timeouts: int
    failed: int
    invalid: int
    cpu_bound: int
    good: pd.DataFrame = field(repr=False, compare=False)

    @property
    def values(self) -> dict[str, tuple[float, ...]]:
        """Values of each metric, in the order of the runs."""
        return {name: tuple(sample) for name, sample in self.samples.items()}

    def median(self, metric: str) -> float:
        """Return the median of a metric, NaN without a value."""
        return average(self.values[metric], "median").value

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
        metrics = {}
        for name, estimate in self.metrics.items():
            values = self.values[name]
            metrics[name] = {
                "mean": float(np.mean(values)) if values else float("nan"),
                "median": float(np.median(values)) if values else float("nan"),
                "low": estimate.low,
                "high": estimate.high,
                "n": estimate.n,
                "values": list(values),
            }
        return {**self.keys, **counts, "interval_of": self.average, "metrics": metrics}


def group_runs(results: Results, keys: Sequence[str], metrics: Sequence[str]) -> list[Group]:
    """Return groups of runs with equal ``keys``, in the order of their first runs.

    Averages exclude failed runs and runs over an invalid link. They include timeouts, with the metrics that those
    reached, and CPU-bound runs unless the results exclude them: CPU-bound page loads are the fast ones, and without
    them only the loads that met an outage remain. Clients of one replay are averaged, since their runs are not
    independent.
    """
    groups = []
    for _, part in results.runs.groupby(list(keys), sort=False, dropna=False):
        good = part[part["valid"] & (part["status"] != "failed")]
        counted = good[~good["cpu_bound"].astype(bool)] if results.exclude_cpu_bound else good
        samples = {name: _sample(counted, name) for name in metrics}
        groups.append(
            Group(
                keys={key: _plain(part.iloc[0][key]) for key in keys},
                samples=samples,
                metrics={name: average(tuple(sample), results.average) for name, sample in samples.items()},
                average=results.average,
                runs=len(part),
                timeouts=int((part["status"] == "timeout").sum()),
                failed=int((part["status"] == "failed").sum()),
                invalid=int((~part["valid"]).sum()),
                cpu_bound=int(part["cpu_bound"].sum()),
                good=good,
            )
        )
    return groups


def _sample(runs: pd.DataFrame, metric: str) -> pd.Series[float]:
    """Return the values of a metric, one a replay, by start and repetition."""
    import pandas as pd

    numbers = pd.to_numeric(runs[metric]).astype(float)
    phase = runs[["start_at_s", "repetition"]]
    if "clients" in runs and (runs["clients"] > 1).any():
        replay = runs["replay"]
        numbers, phase = numbers.groupby(replay, sort=False).mean(), phase.groupby(replay, sort=False).first()
    return numbers.set_axis(pd.MultiIndex.from_frame(phase)).dropna()


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def interval(group: Group, metric: str, show: Callable[[float], str]) -> str:
    """Return the interval of an average for a table; below `LEAST` runs their values, and ``-`` for none or one."""
    estimate, values = group.metrics[metric], group.values[metric]
    if estimate.has_interval:
        return f"{show(estimate.low)} - {show(estimate.high)}"
    return ", ".join(map(show, values)) if 1 < len(values) < LEAST else "-"


def number(value: float, digits: int, scale: float = 1.0) -> str:
    """Return a number for a table, ``-`` for NaN."""
    return f"{value * scale:.{digits}f}" if value == value else "-"


def start_of(group: Group) -> str:
    """Return the start of a group's runs in the pattern, for a table."""
    return f"{group.keys['start_at_s']:g} s" if "start_at_s" in group.keys else "random"
