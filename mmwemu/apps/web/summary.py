"""Statistics of page loads: pure functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mmwemu.report.statistics import Estimate, mean_interval

if TYPE_CHECKING:
    import pandas as pd

# Columns of a web run, and their names in tables and figures; the first six in the order of the study's figure 9.
METRICS = {
    "ttfb_s": "TTFB",
    "first_paint_s": "first paint",
    "dom_interactive_s": "DOM interactive",
    "dom_content_loaded_s": "DOM content loaded",
    "on_load_s": "onLoad",
    "above_the_fold_s": "above the fold",
    "fcp_s": "FCP",
    "lcp_s": "LCP",
    "tbt_s": "TBT",
    "visual_85_s": "85 % visible",
    "visual_95_s": "95 % visible",
    "visual_99_s": "99 % visible",
    "speed_index_s": "Speed Index",
}


@dataclass(frozen=True)
class PageLoads:
    """Loads of one site under one pattern.

    Attributes
    ----------
    metrics
        Mean and interval of each of `METRICS`, s, over the loads that count.
    medians
        Median of each, s; NaN where no load has a value.
    values_s
        The values behind them, s.
    runs, timeouts, failed, invalid, cpu_bound
        How many loads there were, and how many of them ended so.
    at_computers_limit
        More than half of the good loads were CPU-bound: typical values are those of the computer, not of the link.
    requests_failed
        The most requests of one load that had no good answer.
    control_speed_index_s
        Speed Index over a link without limit of its rate, s.
    """

    pattern: str
    rat: str
    site: str
    metrics: dict[str, Estimate]
    medians: dict[str, float]
    values_s: dict[str, tuple[float, ...]]
    runs: int
    timeouts: int
    failed: int
    invalid: int
    cpu_bound: int
    at_computers_limit: bool
    requests_failed: int
    control_speed_index_s: float


def page_table(runs: pd.DataFrame, *, exclude_cpu_bound: bool = False) -> list[PageLoads]:
    """Group the runs of a results folder by site and pattern, in the order they were first run.

    Failed loads and loads over an invalid link are counted but take no part in the means; timeouts do, with the metrics
    that they reached. CPU-bound loads take part too, unless asked otherwise: they are the fast ones, and what is left
    without them is the loads that met an outage.
    """
    import numpy as np
    import pandas as pd

    groups = []
    for _, group in runs.groupby(["site", "pattern", "rat"], sort=False):
        first = group.iloc[0]
        good = group[group["valid"] & (group["status"] != "failed")]
        bound = good["cpu_bound"].astype(bool)
        counted = good[~bound] if exclude_cpu_bound else good
        values = {name: tuple(pd.to_numeric(counted[name]).dropna().astype(float)) for name in METRICS}
        groups.append(
            PageLoads(
                pattern=str(first["pattern"]),
                rat=str(first["rat"]),
                site=str(first["site"]),
                metrics={name: mean_interval(sample) for name, sample in values.items()},
                medians={name: float(np.median(sample)) if sample else float("nan") for name, sample in values.items()},
                values_s=values,
                runs=len(group),
                timeouts=int((group["status"] == "timeout").sum()),
                failed=int((group["status"] == "failed").sum()),
                invalid=int((~group["valid"]).sum()),
                cpu_bound=int(group["cpu_bound"].sum()),
                at_computers_limit=bool(bound.sum() * 2 > len(good)),
                requests_failed=int(pd.to_numeric(good["failed_requests"]).fillna(0).max()) if len(good) else 0,
                control_speed_index_s=float(pd.to_numeric(group["control_speed_index_s"]).median()),
            )
        )
    return groups
