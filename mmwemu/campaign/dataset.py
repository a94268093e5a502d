"""The data set of a campaign: means over seeds with their intervals, over time and as levels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mmwemu.campaign.plan import Simulation
from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.progress import OnProgress, Progress
from mmwemu.report.statistics import mean_intervals
from mmwemu.trace import measures, parquet
from mmwemu.trace.model import Floats, Trace

if TYPE_CHECKING:
    import pandas as pd

WINDOW_S = 0.1
OVER_TIME = ("los", "sinr_db", "phy_rate_bps", "throughput_bps", "rlc_queue_bytes", "delay_s")
_FIGURES = ("mean", "p05", "p50", "p95")


@dataclass(frozen=True)
class Levels:
    """Files of the data set, and its levels: a row for each scenario, RAT, UE, state, column and figure."""

    over_time: Path
    levels_file: Path
    levels: pd.DataFrame


def write(plan: Sequence[Simulation], folder: Path, on_progress: OnProgress) -> Levels:
    """Write ``campaign.parquet`` and ``levels.parquet``; docs/formats/campaign.md has the columns.

    Raises
    ------
    InputError
        If a trace cannot be read, or traces of one scenario are of different versions or lengths.
    MmwemuError
        If a file cannot be written.
    """
    import pandas as pd

    cells: dict[tuple[str, str, int], list[Path]] = defaultdict(list)
    for simulation in plan:
        for ue, path in enumerate(simulation.traces(folder), 1):
            cells[simulation.scenario.name, simulation.rat, ue].append(path)
    over_time, levels, done, total = [], [], 0, sum(map(len, cells.values()))
    for (scenario, rat, ue), paths_of_seeds in cells.items():
        windows, figures, version = [], [], None
        for path in paths_of_seeds:
            trace = parquet.load(path)
            version = _same(path, version, trace)
            windows.append(_windows(trace))
            figures.append(_figures(trace))
            done += 1
            on_progress(Progress("means over seeds", done, total))
        keys = {"scenario": scenario, "rat": rat, "ue": ue}
        over_time.append(pd.DataFrame({**keys, **_table_over_time(windows)}))
        levels.append(pd.DataFrame({**keys, **_table_of_levels(figures)}))
    paths = folder / "campaign.parquet", folder / "levels.parquet"
    tables = pd.concat(over_time, ignore_index=True), pd.concat(levels, ignore_index=True)
    for path, table in zip(paths, tables, strict=True):
        with whole_file(path) as draft:
            table.to_parquet(draft, compression="zstd", index=False)
    return Levels(*paths, tables[1])


def _same(path: Path, version: object, trace: Trace) -> object:
    """Return what all traces of a cell have in common, and refuse one that differs."""
    own = (trace.meta.get("engine_version"), trace.meta.get("ns3_version"), len(trace.time_s))
    if version is not None and own != version:
        raise InputError(str(path), "is of another version of the engine than the others; remove it, and run again")
    return own


def _windows(trace: Trace) -> Floats:
    """Return the means over windows [column, n_window]."""
    n = max(1, int(trace.duration_s / WINDOW_S + 1e-6))
    return np.stack([measures.window_means(trace, column, n, WINDOW_S) for column in OVER_TIME])


def _figures(trace: Trace) -> dict[tuple[str, str, str], float]:
    """Return mean and quantiles by state, column and figure."""
    return {
        (level.state, level.column, figure): getattr(level, figure)
        for level in measures.summary(trace).levels
        for figure in _FIGURES
    }


def _table_over_time(windows: Sequence[Floats]) -> dict[str, Any]:
    values = np.stack(windows)
    found = mean_intervals(values)
    table: dict[str, Any] = {"time_s": (np.arange(values.shape[2]) * WINDOW_S).round(6), "seeds": len(windows)}
    for i, column in enumerate(OVER_TIME):
        table |= {f"{column}_{part}": getattr(found, part)[i] for part in ("mean", "low", "high")}
    return table


def _table_of_levels(figures: Sequence[dict[tuple[str, str, str], float]]) -> dict[str, Any]:
    keys = list(dict.fromkeys(key for one in figures for key in one))
    found = mean_intervals(np.array([[one.get(key, np.nan) for key in keys] for one in figures]))
    columns = {name: [key[i] for key in keys] for i, name in enumerate(("state", "column", "figure"))}
    return {**columns, "seeds": found.n, "mean": found.mean, "low": found.low, "high": found.high}
