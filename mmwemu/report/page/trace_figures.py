"""Figures of simulated cells: SINR and throughput over time, as papers show them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from mmwemu.core.figure import RAT_LABELS
from mmwemu.core.units import mbps
from mmwemu.report.page.figure import Figure
from mmwemu.trace.measures import los_changes_s, summary, window_means
from mmwemu.trace.model import Trace

_WIDTH_PX = 560
_LEFT_PX = 62
_WINDOW_S = 0.1
_PANELS = (("sinr", "SINR [dB]"), ("throughput", "throughput [Mbit/s]"))


def trace_figure(name: str, title: str, traces: Mapping[str, Trace]) -> Figure:
    """Return SINR and throughput over time, means over 100 ms, times without line of sight shaded.

    Parameters
    ----------
    name, title
        Of the figure.
    traces
        By radio access technology; the first tells line of sight.
    """
    series = [RAT_LABELS.get(rat, rat) for rat in traces]
    means = pd.concat([_means(label, one) for label, one in zip(series, traces.values(), strict=True)])
    first = next(iter(traces.values()))
    spans = pd.DataFrame(_blocked_s(first), columns=["begin", "end"])
    panels = [_panel(column, label, series, is_last=column == _PANELS[-1][0]) for column, label in _PANELS]
    spec = alt.vconcat(*panels, spacing=10).resolve_scale(x="shared").to_dict(validate=False)
    spec.pop("config", None)
    told = ", ".join(f"{label} {_mean(one):.0f} Mbit/s" for label, one in zip(series, traces.values(), strict=True))
    text = (
        f"SINR and throughput over time; mean throughput {told}; {len(spans)} times without line of sight are shaded."
    )
    note = "Shaded: no line of sight." if len(spans) else ""
    return Figure(name, title, text, {**spec, "usermeta": {"left": _LEFT_PX, "right": 24}},
                  {"means": means, "spans": spans}, note)  # fmt: skip


def _means(series: str, trace: Trace) -> pd.DataFrame:
    n = int(trace.duration_s / _WINDOW_S + 1e-6)
    time_s = (np.arange(n) * _WINDOW_S).round(3)
    sinr, rate = (window_means(trace, column, n) for column in ("sinr_db", "throughput_bps"))
    return pd.DataFrame({"series": series, "time": time_s, "sinr": sinr, "throughput": mbps(rate)})


def _blocked_s(trace: Trace) -> list[tuple[float, float]]:
    """Return begin and end of each time without line of sight, s."""
    known = trace.los[~np.isnan(trace.los)]
    if not len(known):
        return []
    times = [0.0, *los_changes_s(trace).tolist(), trace.duration_s]
    blocked = bool(known[0] == 0)
    spans = itertools.pairwise(times)
    return [span for i, span in enumerate(spans) if blocked == (i % 2 == 0)]


def _mean(trace: Trace) -> float:
    level = summary(trace).level("all", "throughput_bps")
    return mbps(level.mean) if level else float("nan")


def _panel(column: str, label: str, series: Sequence[str], *, is_last: bool) -> Any:
    colour = alt.Color("series:N", title=None, scale=alt.Scale(domain=list(series)))
    x_axis = alt.Axis() if is_last else alt.Axis(labels=False, ticks=False)
    title = "time [s]" if is_last else None
    x = alt.X("time:Q", title=title, scale=alt.Scale(nice=False), axis=x_axis)
    y_axis = alt.Axis(minExtent=_LEFT_PX - 22, maxExtent=_LEFT_PX - 22, tickCount=5)
    shade = alt.Chart(alt.NamedData("spans")).mark_rect(style="obstacle", strokeWidth=0, opacity=0.6)
    lines = alt.Chart(alt.NamedData("means")).mark_line(strokeWidth=1.4)
    hover = [alt.Tooltip("series:N"), alt.Tooltip("time:Q", format=".1f"), alt.Tooltip(f"{column}:Q", format=".4~g")]
    return alt.layer(
        shade.encode(x=alt.X("begin:Q", title=title), x2="end:Q"),
        lines.encode(x=x, y=alt.Y(f"{column}:Q", title=label, axis=y_axis), color=colour, tooltip=hover),
    ).properties(width=_WIDTH_PX, height=130)
