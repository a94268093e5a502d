"""Summary of users: the distribution of download rates over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mmwemu.core import figure
from mmwemu.core.units import mbps
from mmwemu.report.summary import Results, Summary, Table, number

if TYPE_CHECKING:
    import pandas as pd

_MBPS = mbps(1.0)
_QUANTILES = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class Distribution:
    """Download rates of the users of one pattern, start and seed, over all repetitions.

    Attributes
    ----------
    keys
        The columns that all of them share, by name.
    goodputs_bps
        The goodput of each user that fetched something, rising [n], bit/s.
    users, downloads, doubtful
        Numbers of users and of finished downloads of all runs, and of runs that do not count: failed, or over an
        invalid link.
    """

    keys: Mapping[str, Any]
    goodputs_bps: np.ndarray[Any, np.dtype[np.float64]]
    users: int
    downloads: int
    doubtful: int

    @property
    def mean_bps(self) -> float:
        """Mean over users, bit/s; NaN without any."""
        return float(self.goodputs_bps.mean()) if len(self.goodputs_bps) else float("nan")

    def quantile_bps(self, share: float) -> float:
        """Return a quantile over users, bit/s; NaN without any."""
        return float(np.quantile(self.goodputs_bps, share)) if len(self.goodputs_bps) else float("nan")

    @property
    def fairness(self) -> float:
        """Jain's index (Jain, Chiu and Hawe 1984): 1 if all users have the same goodput, 1/n if one has all."""
        squares = float((self.goodputs_bps**2).sum())
        return float(self.goodputs_bps.sum()) ** 2 / (len(self.goodputs_bps) * squares) if squares else float("nan")

    def to_json(self) -> dict[str, Any]:
        """Return the figures by name; null for those that there are not."""
        figures = {"mean_bps": self.mean_bps, "jain_index": self.fairness}
        figures |= {f"q{round(100 * share):02}_bps": self.quantile_bps(share) for share in _QUANTILES}
        known = {name: value if value == value else None for name, value in figures.items()}
        counts = {"users": self.users, "downloads": self.downloads, "doubtful": self.doubtful}
        return {**self.keys, **counts, **known, "goodputs_bps": self.goodputs_bps.tolist()}


def summarize(results: Results, plots: Path) -> Summary:
    """Draw users.png in a folder and return the table of distributions."""
    found = distributions(results)
    plot_users(found, plots / "users.png")
    header = ("pattern", "from", "seed", "users", "files", "mean [Mbit/s]", "5 %", "median", "95 %", "Jain's index", "")
    rows = [_row(one) for one in found]
    return Summary({"users": [one.to_json() for one in found]}, [Table(header, rows, range(1, 10))])


def distributions(results: Results) -> list[Distribution]:
    """Return the distribution over users by pattern, fixed start and seed, in the order of the first runs."""
    keys = ["pattern", *([] if results.has_random_starts else ["start_at_s"]), "traffic_seed"]
    return [_distribution(part, keys, results) for _, part in results.runs.groupby(keys, sort=False)]


def _distribution(part: pd.DataFrame, keys: Sequence[str], results: Results) -> Distribution:
    counts = part["valid"] & (part["status"] != "failed")
    if results.exclude_cpu_bound:
        counts &= ~part["cpu_bound"].astype(bool)
    goodputs_bps = part[counts]["goodput_bps"].dropna().to_numpy(np.float64)
    first = {name: part.iloc[0][name] for name in keys}
    return Distribution(
        {name: value.item() if isinstance(value, np.generic) else value for name, value in first.items()},
        np.sort(goodputs_bps),
        len(part),
        int(part["downloads"].sum()),
        int((~counts).sum()),
    )


def _row(one: Distribution) -> tuple[object, ...]:
    start = f"{one.keys['start_at_s']:g} s" if "start_at_s" in one.keys else "random"
    values = [number(one.mean_bps, 1, _MBPS), *(number(one.quantile_bps(share), 1, _MBPS) for share in _QUANTILES)]
    doubts = f"{one.doubtful} left out" if one.doubtful else ""
    head = (one.keys["pattern"], start, one.keys["traffic_seed"], one.users, one.downloads)
    return (*head, *values, number(one.fairness, 3), doubts)


@figure.styled
def plot_users(found: Sequence[Distribution], path: Path) -> None:
    """Draw the share of users with at most each goodput, a curve for each distribution."""
    drawing, axes = figure.new(7.0, 3.8)
    several_seeds = len({one.keys["traffic_seed"] for one in found}) > 1
    for one in (one for one in found if len(one.goodputs_bps)):
        label = str(one.keys["pattern"])
        label += f", from {one.keys['start_at_s']:g} s" if one.keys.get("start_at_s") else ""
        label += f", seed {one.keys['traffic_seed']}" if several_seeds else ""
        axes.ecdf(mbps(one.goodputs_bps), label=label)
    axes.set_xlim(left=0)
    axes.set_xlabel("download rate of a user [Mbit/s]")
    axes.set_ylabel("share of users")
    axes.set_title("Users, distribution of their download rates")
    figure.add_legend(drawing, 2)
    figure.save(drawing, path)
