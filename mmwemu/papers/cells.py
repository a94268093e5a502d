"""Table of cells, simulated and emulated, which claims are held against."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mmwemu.papers.cell import Cell
from mmwemu.papers.course import full_rate_s, repair_s
from mmwemu.trace import measures
from mmwemu.trace.model import Trace

if TYPE_CHECKING:
    import pandas as pd

_FIGURES = {"": "mean", "p05_": "p05", "p50_": "p50", "p95_": "p95", "sum_": "sum", "min_": "min", "max_": "max"}
_FIRST_CHANGES = 2

Keys = Mapping[str, Any]
"""Columns that tell which cell it is, with their values."""


def table_of(cells: Iterable[tuple[Keys, Trace]]) -> pd.DataFrame:
    """Return rows for each cell: one for each state of the channel, and one for each stretch between changes of it.

    Columns: the keys; ``state``: ``all``, ``los``, ``nlos``, and of stretches ``los-1``, ``nlos-1``, ``los-2`` and so
    on; ``share`` of the time in it; the mean of each column of the trace in that state, and with a prefix before its
    name quantiles (``p05_``, ``p50_``, ``p95_``), sum (``sum_``) and extremes (``min_``, ``max_``); ``los_change_1_s``
    and ``los_change_2_s``, the first times at which LOS and NLOS change; ``full_rate_s`` and ``repair_s``: see
    `mmwemu.papers.course`.
    """
    import pandas as pd

    return pd.DataFrame([row for keys, trace in cells for row in _rows(keys, trace)])


def simulated(cells: Iterable[Cell]) -> Iterator[tuple[Keys, Trace]]:
    """Yield each simulated cell as `table_of` takes it.

    Raises
    ------
    InputError
        If a trace cannot be read.
    """
    for cell in cells:
        one = cell.simulation
        yield (
            {
                "by": "simulation", "scenario": cell.scenario, "variant": cell.variant, "rat": one.rat,
                "seed": one.seed, "valid": True, "status": "ok", "cpu_bound": False,
            },
            cell.load(),
        )  # fmt: skip


def _rows(keys: Keys, trace: Trace) -> Iterator[dict[str, Any]]:
    whole, parts = measures.summary(trace), measures.stretches(trace)
    times = [*whole.los_changes_s, *[float("nan")] * _FIRST_CHANGES]
    common = {**keys, **{f"los_change_{i + 1}_s": times[i] for i in range(_FIRST_CHANGES)}}
    common |= {"full_rate_s": full_rate_s(trace), "repair_s": repair_s(trace)}
    shares = {"all": 1.0, "los": 0.0, "nlos": 0.0} | whole.share | parts.share
    for state, share in shares.items():
        row: dict[str, Any] = {**common, "state": state, "share": share}
        for level in [*whole.levels, *parts.levels]:
            if level.state == state:
                row |= {prefix + level.column: getattr(level, name) for prefix, name in _FIGURES.items()}
        yield row
