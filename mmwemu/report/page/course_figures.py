"""Figure of one run over time: rate and queue of the link, what the application did, and its own curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
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
_SPAN_PX = 15
_MOST_ROWS = 40
_RATES = ["delivered", "pattern"]


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
        data["marks"] = pd.DataFrame([{"time": mark.time_s, "label": mark.label} for mark in course.marks])
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
    sums = {
        name: part[f"{name}_bytes"].to_numpy(float)[: n * width].reshape(n, width).sum(axis=1)
        for name in ("capacity", "delivered")
    }
    queue = part["queue_max_bytes"].to_numpy(float)[: n * width].reshape(n, width)
    return pd.DataFrame(
        {
            "time": part["time_s"].to_numpy(float)[: n * width : width],
            **{name: mbps(values * 8 / (width * _BIN_S)) for name, values in sums.items()},
            "queue": queue.max(axis=1, initial=0.0) / 1e6,
        }
    )


def _samples(label: str, shape: str, time_s: Any, values: Any) -> pd.DataFrame:
    """Return a curve, of which every few values stand where there are more than `_MOST_SAMPLES`."""
    every = max(1, math.ceil(len(time_s) / _MOST_SAMPLES))
    kept = np.arange(0, len(time_s), every)
    return pd.DataFrame({"curve": label, "shape": shape, "time": time_s[kept], "value": values[kept]})


@lru_cache(maxsize=256)
def _spec(
    panels: Sequence[tuple[str, tuple[Shape, ...], tuple[str, ...]]], kinds: tuple[str, ...], n_row: int, marked: bool
) -> dict[str, Any]:
    stacked = [_rate(marked), _queue(marked)]
    stacked += [_curves(f"curves{i}", *panel, marked=marked) for i, panel in enumerate(panels)]
    if kinds:
        stacked.append(_spans(kinds, n_row, marked))
    chart = alt.vconcat(*stacked, spacing=14).resolve_scale(x="shared", color="independent")
    spec: dict[str, Any] = chart.to_dict(validate=False)
    spec.pop("config", None)
    return {**spec, "usermeta": {"left": _LEFT_PX, "right": 24}}


def _x() -> alt.X:
    return alt.X("time:Q", title="time since the first packet [s]", scale=alt.Scale(nice=False, zero=True))


def _y(field: str, title: str) -> alt.Y:
    axis = alt.Axis(minExtent=_LEFT_PX - 22, maxExtent=_LEFT_PX - 22, tickCount=4, format="~g")
    return alt.Y(field, title=title, axis=axis, scale=alt.Scale(zero=True))


def _marks(*, labelled: bool) -> list[alt.Chart]:
    base = alt.Chart(alt.NamedData("marks")).encode(x=_x())
    rules = base.mark_rule(style="quiet", strokeDash=[3, 3]).encode(
        tooltip=["label:N", alt.Tooltip("time:Q", format=".3f")]
    )
    if not labelled:
        return [rules]
    text = base.mark_text(align="left", dx=3, dy=-2, baseline="bottom", angle=0).encode(text="label:N", y=alt.value(0))
    return [rules, text]


def _rate(marked: bool) -> Any:
    base = alt.Chart(alt.NamedData("link"))
    named = base.transform_fold(["capacity", "delivered"], as_=["what", "rate"]).transform_calculate(
        what="datum.what == 'capacity' ? 'pattern' : 'delivered'"
    )
    hover = [alt.Tooltip("what:N"), alt.Tooltip("time:Q", format=".2f"), alt.Tooltip("rate:Q", format=".4~g")]
    lines = named.mark_line(interpolate="step-after", strokeWidth=1.6).encode(
        x=_x(), y=_y("rate:Q", "Mbit/s"), tooltip=hover,
        color=alt.Color("what:N", title=None, scale=alt.Scale(domain=_RATES)),
        strokeDash=alt.StrokeDash("what:N", legend=None, scale=alt.Scale(domain=_RATES, range=[[1, 0], [5, 3]])),
    )  # fmt: skip
    return alt.layer(lines, *(_marks(labelled=True) if marked else [])).properties(width=_WIDTH_PX, height=150)


def _queue(marked: bool) -> Any:
    area = (
        alt.Chart(alt.NamedData("link"))
        .mark_area(interpolate="step-after", opacity=0.5, line={"strokeWidth": 1.2})
        .encode(x=_x(), y=_y("queue:Q", "queue [MB]"),
                tooltip=[alt.Tooltip("time:Q", format=".2f"), alt.Tooltip("queue:Q", format=".4~g")])
    )  # fmt: skip
    return alt.layer(area, *(_marks(labelled=False) if marked else [])).properties(width=_WIDTH_PX, height=70)


def _curves(data: str, title: str, shapes: tuple[Shape, ...], labels: tuple[str, ...], *, marked: bool) -> Any:
    layers = []
    for shape in shapes:
        base = alt.Chart(alt.NamedData(data)).transform_filter(alt.FieldEqualPredicate(field="shape", equal=shape))
        drawn = (
            base.mark_point(size=10, filled=True, opacity=0.7)
            if shape == "dots"
            else base.mark_line(strokeWidth=1.6, interpolate="step-after" if shape == "step" else "linear")
        )
        legend = alt.Legend() if len(labels) > 1 else None
        colour = alt.Color("curve:N", title=None, legend=legend, scale=alt.Scale(domain=list(labels)))
        hover = [alt.Tooltip("curve:N"), alt.Tooltip("time:Q", format=".2f"), alt.Tooltip("value:Q", format=".4~g")]
        layers.append(drawn.encode(x=_x(), y=_y("value:Q", title), color=colour, tooltip=hover))
    return alt.layer(*layers, *(_marks(labelled=False) if marked else [])).properties(width=_WIDTH_PX, height=100)


def _spans(kinds: tuple[str, ...], n_row: int, marked: bool) -> Any:
    base = alt.Chart(alt.NamedData("spans"))
    scale = alt.Scale(domain=[-0.5, n_row - 0.5], nice=False, reverse=True)
    bars = base.transform_calculate(top="datum.row - 0.4", bottom="datum.row + 0.4").mark_rect().encode(
        x=alt.X("begin:Q", title="time since the first packet [s]"), x2="end:Q",
        y=alt.Y("top:Q", title=None, axis=None, scale=scale), y2="bottom:Q",
        color=alt.Color("kind:N", title=None, scale=alt.Scale(domain=list(kinds))),
        tooltip=[alt.Tooltip("kind:N"), alt.Tooltip("label:N"), alt.Tooltip("begin:Q", format=".3f"),
                 alt.Tooltip("end:Q", format=".3f")],
    )  # fmt: skip
    layers = [bars, *(_marks(labelled=False) if marked else [])]
    return alt.layer(*layers).properties(width=_WIDTH_PX, height=max(26, _SPAN_PX * n_row if n_row < 12 else 8 * n_row))
