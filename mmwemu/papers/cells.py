"""Table of simulated cells, which claims are held against."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from mmwemu.trace import measures
from mmwemu.trace.model import Trace

if TYPE_CHECKING:
    import pandas as pd

STATES = ("all", "los", "nlos")
_FIRST_CHANGES = 2


def table_of(traces: Iterable[Trace]) -> pd.DataFrame:
    """Return a row for each trace and state of the channel.

    Columns: ``scenario``, ``rat``, ``seed``; ``state``: ``all``, ``los`` or ``nlos``; ``share`` of the time in it; the
    mean of each column of the trace in that state, and quantiles with ``p05_``, ``p50_`` and ``p95_`` before its name;
    ``los_change_1_s`` and ``los_change_2_s``, the first times at which LOS and NLOS change.
    """
    import pandas as pd

    return pd.DataFrame([row for trace in traces for row in _rows(trace)])


def _rows(trace: Trace) -> list[dict[str, Any]]:
    summary = measures.summary(trace)
    common: dict[str, Any] = {name: trace.meta.get(name) for name in ("scenario", "rat", "seed")}
    for i in range(_FIRST_CHANGES):
        times = summary.los_changes_s
        common[f"los_change_{i + 1}_s"] = times[i] if i < len(times) else float("nan")
    rows = []
    for state in STATES:
        levels = [level for level in summary.levels if level.state == state]
        row: dict[str, Any] = {
            **common,
            "state": state,
            "share": summary.share.get(state, 1.0 if state == "all" else 0.0),
        }
        for level in levels:
            row |= {level.column: level.mean, f"p05_{level.column}": level.p05}
            row |= {f"p50_{level.column}": level.p50, f"p95_{level.column}": level.p95}
        rows.append(row)
    return rows
