"""Figure of one run over time: rate and queue of the link, what the application did, and its own curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from mmwemu.core.units import mbps
from mmwemu.report.page.figure import Figure
from mmwemu.report.view import Course, Shape

_BIN_S = 0.010
_MOST_BINS = 400
_MOST_SAMPLES = 500
_WIDTH_PX = 560
_LEFT_PX = 62
_SPAN_PX, _THIN_SPAN_PX, _MANY_ROWS = 15, 8, 12
_MOST_ROWS = 40
_TIME = "time since the first packet [s]"
_LABEL_PX = 12
_MOST_LEVELS = 6
# Labels nearer than this share of the run stand below each other.
_NEAR = 0.16
_RATES = "rate: pattern (dashed) and delivered"


def course_figure(name: str, title: str, telemetry: pd.DataFrame, course: Course) -> Figure:
    """Return the figure of a run.

    Parameters
    ----------
    name, title
        Of the figure.
    telemetry
        Rows of link.parquet of the run.
    course
        What the application did, on the same clock.
    """
    link = _link(telemetry, course.direction)
    data = {"link": link}
    if course.spans:
        data["spans"] = pd.DataFrame(
            [{"row": i, "kind": span.kind, "begin": span.begin_s, "end": span.end_s, "label": span.label}
             for i, span in zip(_rows(course), course.spans, strict=True)]
        )  # fmt: skip
    if course.marks:
        data["marks"] = _labels(course, float(link["time"].max()) if len(link) else 0.0)
    panels = []
    for number, panel in enumerate(course.panels):
        shapes = tuple(dict.fromkeys(curve.shape for curve in panel.curves))
        panels.append((panel.title, shapes, tuple(curve.label for curve in panel.curves)))
        data[f"curves{number}"] = pd.concat([_samples(curve.label, curve.shape, curve.time_s, curve.values)
                                             for curve in panel.curves], ignore_index=True)  # fmt: skip
    kinds = tuple(dict.fromkeys(span.kind for span in course.spans))
    n_row = 1 + max(_rows(course), default=0)
    spec = _spec(tuple(panels), kinds, n_row, bool(course.marks))
    events = ", ".join(f"{mark.label} at {mark.time_s:.2f} s" for mark in course.marks)
    text = f"{course.direction} rate of the pattern and of what was delivered, and the queue, over time. {events}"
    return Figure(name, title, text, spec, data)


def _labels(course: Course, end_s: float) -> pd.DataFrame:
    """Return the moments, each at a level where its label does not cover that of an earlier one."""
    marks = sorted(course.marks, key=lambda mark: mark.time_s)
    near_s = _NEAR * max([end_s, *(mark.time_s for mark in marks), *(span.end_s for span in course.spans)])
    taken = [-math.inf] * _MOST_LEVELS
    levels = []
    for mark in marks:
        free = [level for level, time_s in enumerate(taken) if mark.time_s - time_s >= near_s]
        levels.append(free[0] if free else int(np.argmin(taken)))
        taken[levels[-1]] = mark.time_s
    return pd.DataFrame(
        {"time": [mark.time_s for mark in marks], "label": [mark.label for mark in marks], "level": levels}
    )


def _rows(course: Course) -> list[int]:
    """Return the row of each span: one for each kind, unless spans of a kind overlap, which then take turns."""
    ends: dict[str, list[float]] = {}
    places: list[tuple[str, int]] = []
    for span in course.spans:
        used = ends.setdefault(span.kind, [])
        row = next((i for i, end_s in enumerate(used) if end_s <= span.begin_s + 1e-9), len(used))
        row = min(row, _MOST_ROWS - 1)
        used[row : row + 1] = [span.end_s]
        places.append((span.kind, row))
    first, total = {}, 0
    for kind, used in ends.items():
        first[kind] = total
        total += len(used)
    return [first[kind] + row for kind, row in places]


def _link(telemetry: pd.DataFrame, direction: str) -> pd.DataFrame:
    """Return rate of the pattern, delivered rate and queue of the first access link, in at most `_MOST_BINS` bins."""
    part = telemetry[(telemetry["direction"] == direction) & (telemetry["link"] == 1)].sort_values("time_s")
    width = max(1, math.ceil(len(part) / _MOST_BINS))
    n = len(part) // width
    columns = {"pattern": "capacity", "delivered": "delivered"}
    sums = {
        label: part[f"{name}_bytes"].to_numpy(float)[: n * width].reshape(n, width).sum(axis=1)
        for label, name in columns.items()
    }
    queue = part["queue_max_bytes"].to_numpy(float)[: n * width].reshape(n, width)
    found = pd.DataFrame(
        {
            "time": part["time_s"].to_numpy(float)[: n * width : width],
            **{name: mbps(values * 8 / (width * _BIN_S)) for name, values in sums.items()},
            "queue": queue.max(axis=1, initial=0.0) / 1e6,
        }
    )
    # The end of the last step.
    return pd.concat([found, found.tail(1).assign(time=found["time"] + width * _BIN_S)], ignore_index=True)


def _samples(label: str, shape: str, time_s: Any, values: Any) -> pd.DataFrame:
    """Return a curve, of which every few values stand where there are more than `_MOST_SAMPLES`."""
    every = max(1, math.ceil(len(time_s) / _MOST_SAMPLES))
    kept = np.arange(0, len(time_s), every)
    return pd.DataFrame({"curve": label, "shape": shape, "time": time_s[kept], "value": values[kept]})


@lru_cache(maxsize=256)
def _spec(
    panels: Sequence[tuple[str, tuple[Shape, ...], tuple[str, ...]]], kinds: tuple[str, ...], n_row: int, marked: bool
) -> dict[str, Any]:
    stacked: list[Callable[..., Any]] = [_rate]
    if kinds:
        stacked.append(partial(_spans, kinds, n_row))
    stacked.append(_queue)
    stacked += [partial(_curves, f"curves{i}", *panel) for i, panel in enumerate(panels)]
    drawn = [
        make(last=i == len(stacked) - 1, rules=_marks(labelled=i == 0) if marked else [])
        for i, make in enumerate(stacked)
    ]
    chart = alt.vconcat(*drawn, spacing=10).resolve_scale(x="shared", color="independent")
    spec: dict[str, Any] = chart.to_dict(validate=False)
    spec.pop("config", None)
    return {**spec, "usermeta": {"left": _LEFT_PX, "right": 24}}


def _x(field: str = "time:Q", *, last: bool) -> alt.X:
    """Return the axis of time, with labels at the last panel alone."""
    scale = alt.Scale(nice=False, zero=True)
    return alt.X(field, title=_TIME if last else None, scale=scale, axis=alt.Axis(labels=last, ticks=last))


def _y(field: str, title: str) -> alt.Y:
    axis = alt.Axis(minExtent=_LEFT_PX - 22, maxExtent=_LEFT_PX - 22, tickCount=4, format=".5~r")
    return alt.Y(field, title=title, axis=axis, scale=alt.Scale(zero=True))


def _number(field: str, digits: str = ".4~g") -> alt.Tooltip:
    return alt.Tooltip(f"{field}:Q", format=digits)


def _marks(*, labelled: bool) -> list[alt.Chart]:
    base = alt.Chart(alt.NamedData("marks")).encode(x="time:Q")
    rules = base.mark_rule(style="quiet", strokeDash=[3, 3]).encode(tooltip=["label:N", _number("time", ".3f")])
    if not labelled:
        return [rules]
    places = alt.Scale(domain=[0, _MOST_LEVELS], range=[4, 4 + _LABEL_PX * _MOST_LEVELS])
    level = alt.Y("level:Q", axis=None, scale=places)
    placed = base.encode(text="label:N", y=level)
    halo = placed.mark_text(align="left", dx=3, baseline="top", style="halo")
    return [rules, halo, placed.mark_text(align="left", dx=3, baseline="top")]


def _rate(*, last: bool, rules: Sequence[alt.Chart]) -> Any:
    base = alt.Chart(alt.NamedData("link")).encode(x=_x(last=last))
    hover = [_number("time", ".2f"), _number("pattern"), _number("delivered")]
    pattern = base.mark_line(interpolate="step-after", style="quiet", strokeDash=[5, 3], strokeWidth=1.4).encode(
        y=_y("pattern:Q", "Mbit/s"), tooltip=hover
    )
    delivered = base.mark_line(interpolate="step-after", strokeWidth=1.6).encode(y=_y("delivered:Q", "Mbit/s"))
    layers = alt.layer(pattern, delivered.encode(tooltip=hover))
    return (
        alt.layer(layers, *rules).resolve_scale(y="independent").properties(width=_WIDTH_PX, height=160, title=_RATES)
    )


def _queue(*, last: bool, rules: Sequence[alt.Chart]) -> Any:
    area = (
        alt.Chart(alt.NamedData("link"))
        .mark_area(interpolate="step-after", opacity=0.5, line={"strokeWidth": 1.2})
        .encode(x=_x(last=last), y=_y("queue:Q", "queue [MB]"), tooltip=[_number("time", ".2f"), _number("queue")])
    )
    return alt.layer(area, *rules).properties(width=_WIDTH_PX, height=70)


def _curves(
    data: str, title: str, shapes: tuple[Shape, ...], labels: tuple[str, ...], *, last: bool, rules: Sequence[alt.Chart]
) -> Any:
    legend = alt.Legend() if len(labels) > 1 else None
    colour = alt.Color("curve:N", title=None, legend=legend, scale=alt.Scale(domain=list(labels)))
    layers = []
    for shape in shapes:
        base = alt.Chart(alt.NamedData(data)).transform_filter(alt.FieldEqualPredicate(field="shape", equal=shape))
        drawn = (
            base.mark_point(size=10, filled=True, opacity=0.7)
            if shape == "dots"
            else base.mark_line(strokeWidth=1.6, interpolate="step-after" if shape == "step" else "linear")
        )
        hover = [alt.Tooltip("curve:N"), _number("time", ".2f"), _number("value")]
        layers.append(drawn.encode(x=_x(last=last), y=_y("value:Q", title), color=colour, tooltip=hover))
    return alt.layer(*layers, *rules).properties(width=_WIDTH_PX, height=100)


def _spans(kinds: tuple[str, ...], n_row: int, *, last: bool, rules: Sequence[alt.Chart]) -> Any:
    scale = alt.Scale(domain=[-0.5, n_row - 0.5], nice=False, reverse=True)
    bars = (
        alt.Chart(alt.NamedData("spans"))
        .transform_calculate(top="datum.row - 0.4", bottom="datum.row + 0.4")
        .mark_rect()
        .encode(
            x=_x("begin:Q", last=last),
            x2="end:Q",
            y=alt.Y("top:Q", title=None, axis=None, scale=scale),
            y2="bottom:Q",
            color=alt.Color("kind:N", title=None, scale=alt.Scale(domain=list(kinds))),
            tooltip=[alt.Tooltip("kind:N"), alt.Tooltip("label:N"), _number("begin", ".3f"), _number("end", ".3f")],
        )
    )
    height = _SPAN_PX * n_row if n_row < _MANY_ROWS else _THIN_SPAN_PX * n_row
    return alt.layer(bars, *rules).properties(width=_WIDTH_PX, height=max(26, height))
