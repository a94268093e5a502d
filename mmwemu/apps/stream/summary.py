"""Statistics of streams: pure functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mmwemu.report.statistics import Estimate, mean_interval

if TYPE_CHECKING:
    import pandas as pd

# Columns of a stream run that are averaged.
METRICS = ("startup_s", "stalls", "stall_s", "cpu_stall_s", "bitrate_mean_bps", "switches", "buffer_mean_s", "qoe_bps")


@dataclass(frozen=True)
class StreamGroup:
    """Plays of a film under one pattern from one start.

    Attributes
    ----------
    metrics
        Mean and interval of each of `METRICS` over the runs that count; ``switches`` are those up and down.
    runs, timeouts, failed, invalid, cpu_bound
        How many runs there were, and how many of them ended so.
    """

    pattern: str
    rat: str
    start_at_s: float
    film: str
    ladder: str
    player: str
    abr: str
    metrics: dict[str, Estimate]
    runs: int
    timeouts: int
    failed: int
    invalid: int
    cpu_bound: int


def stream_table(runs: pd.DataFrame, *, exclude_cpu_bound: bool = False) -> list[StreamGroup]:
    """Group the runs of a results folder by pattern and start, in the order they were first run.

    Failed runs and runs over an invalid link are counted but take no part in the means; those with a film that did not
    begin take part with what they have. So do runs that the computer did not keep up with, unless asked otherwise.
    """
    import pandas as pd

    groups = []
    keys = ["pattern", "rat", "start_at_s", "film", "ladder", "player", "abr"]
    for _, group in runs.assign(switches=runs["switches_up"] + runs["switches_down"]).groupby(keys, sort=False):
        first = group.iloc[0]
        good = group[group["valid"] & (group["status"] != "failed")]
        counted = good[~good["cpu_bound"].astype(bool)] if exclude_cpu_bound else good
        values = {name: tuple(pd.to_numeric(counted[name]).dropna().astype(float)) for name in METRICS}
        groups.append(
            StreamGroup(
                pattern=str(first["pattern"]),
                rat=str(first["rat"]),
                start_at_s=float(first["start_at_s"]),
                film=str(first["film"]),
                ladder=str(first["ladder"]),
                player=str(first["player"]),
                abr=str(first["abr"]),
                metrics={name: mean_interval(sample) for name, sample in values.items()},
                runs=len(group),
                timeouts=int((group["status"] == "timeout").sum()),
                failed=int((group["status"] == "failed").sum()),
                invalid=int((~group["valid"]).sum()),
                cpu_bound=int(group["cpu_bound"].sum()),
            )
        )
    return groups
