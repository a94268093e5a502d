"""Figures of a metric: all runs with the average of each group, and the distribution of the runs (ECDF)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from mmwemu.report.page.figure import Figure
from mmwemu.report.page.groups import CaseGroup, States
from mmwemu.report.statistics import ecdf
from mmwemu.report.view import Metric

MOST_POINTS = 2_000
_MOST_STEPS = 200
_MOST_SAID = 40
_LANES = 0.8
_ROW_PX = 46
_WIDTH_PX = 560
_LEFT_PX = 130
_SPREAD = 0.55
# Where the largest values of two cases differ more, each has an axis of its own.
_SHARED_RATIO = 8.0
_BOX = ["case", "place", "series", "average", "low", "high", "q1", "q3", "runs counted", "notes", "lane"]
# Stands for the title of the metric.
_TITLE = "\0"
_SHAPES = ["circle", "diamond", "triangle-up", "cross"]


def runs_figure(name: str, metric: Metric, groups: Sequence[CaseGroup], average: str) -> Figure | None:
    """Return the figure of all runs, None where no run has the metric.

    A panel for each case, a row for each place, a lane for each series in it; every run is a point, its group has a box
    of the quartiles, a stroke for the average and a line for the interval, where it has enough runs.
    """
    points = _points(metric, groups)
    if points.empty:
        return None
    # The stroke of an average would hide a single run.
    several = [group for group in groups if len(group.values(metric.column)) > 1]
    boxes = pd.DataFrame([_box(metric, group, groups) for group in several], columns=_BOX)
    drawn = _thinned(points)
    note = f"{len(drawn)} of {len(points)} runs are drawn; boxes, averages and intervals are of all."
    with_box = tuple(dict.fromkeys(each.case for each in groups if each.group.metrics[metric.column].has_interval))
    with_stroke = tuple(dict.fromkeys(each.case for each in several))
    spec = _titled(_runs_spec(_layout(groups), average, with_box, with_stroke, _is_apart(points)), metric.title)
    text = f"{metric.title} of each run; {average} of each group: {_said(metric, groups)}"
    title = f"{metric.name}: every run, {average} and interval"
    return Figure(name, title, text, spec, {"points": drawn, "groups": boxes}, note if len(drawn) < len(points) else "")


def ecdf_figure(name: str, metric: Metric, groups: Sequence[CaseGroup]) -> Figure | None:
    """Return the figure of the share of runs up to each value; None where no group has two different runs."""
    tables = [_steps(metric, group) for group in groups if len(group.values(metric.column)) > 1]
    if not tables:
        return None
    steps = pd.concat(tables, ignore_index=True)
    text = f"Share of runs with at most each value of {metric.title}, a line for each group."
    spec = _titled(_ecdf_spec(_layout(groups), _is_apart(steps)), metric.title)
    return Figure(name, f"{metric.name}: distribution", text, spec, {"steps": steps})


def series_of(groups: Sequence[CaseGroup]) -> list[str]:
    """Return the series in the order of their colours."""
    return sorted(dict.fromkeys(group.series for group in groups), key=lambda name: States.order(name))


def _points(metric: Metric, groups: Sequence[CaseGroup]) -> pd.DataFrame:
    found = []
    for group in groups:
        lane, height = _lane(group, groups)
        runs = group.runs[pd.to_numeric(group.runs[metric.column], errors="coerce").notna()]
        jitter = np.linspace(-0.5, 0.5, len(runs)) if len(runs) > 1 else np.zeros(len(runs))
        # Neighbours in value or time do not stand on a slope.
        jitter = jitter[np.random.default_rng(1).permutation(len(runs))]
        found.append(
            pd.DataFrame(
                {
                    "case": group.case,
                    "place": group.place,
                    "series": group.series,
                    "value": pd.to_numeric(runs[metric.column]).astype(float) * metric.scale,
                    "state": runs["state"],
                    "run": runs["label"],
                    "start_s": runs["start_at_s"],
                    "repetition": runs["repetition"],
                    "lane": lane + jitter * height * _SPREAD,
                }
            )
        )
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame()


def _lane(group: CaseGroup, groups: Sequence[CaseGroup]) -> tuple[float, float]:
    """Return the middle of a group's lane in its row, -0.5 to 0.5, and its height."""
    series = series_of(groups)
    height = _LANES / len(series)
    return (series.index(group.series) - (len(series) - 1) / 2) * height, height


def _box(metric: Metric, group: CaseGroup, groups: Sequence[CaseGroup]) -> dict[str, Any]:
    values = np.array(group.values(metric.column)) * metric.scale
    estimate = group.group.metrics[metric.column]
    q1, q3 = np.quantile(values, [0.25, 0.75]) if estimate.has_interval else (None, None)
    return {
        "case": group.case,
        "place": group.place,
        "series": group.series,
        "average": estimate.value * metric.scale,
        "low": estimate.low * metric.scale,
        "high": estimate.high * metric.scale,
        "q1": q1,
        "q3": q3,
        "runs counted": estimate.n,
        "notes": ", ".join(group.group.notes()),
        "lane": _lane(group, groups)[0],
    }


def _thinned(points: pd.DataFrame) -> pd.DataFrame:
    """Return at most `MOST_POINTS` rows, drawn at random from all, so that no group is favoured."""
    return points if len(points) <= MOST_POINTS else points.sample(MOST_POINTS, random_state=1).sort_index()


def _steps(metric: Metric, group: CaseGroup) -> pd.DataFrame:
    values, share = ecdf(group.values(metric.column))
    if len(values) > _MOST_STEPS:
        keep = np.unique(np.linspace(0, len(values) - 1, _MOST_STEPS).astype(int))
        values, share = values[keep], share[keep]
    shown = values * metric.scale
    return pd.DataFrame(
        {
            "case": group.case,
            "place": group.place,
            "series": group.series,
            "value": np.append(shown[:1], shown),
            "share": np.append(0.0, share),
        }
    )


def _said(metric: Metric, groups: Sequence[CaseGroup]) -> str:
    """Return the averages of the first groups in words."""
    names = (", ".join(part for part in (each.case, each.place, each.series) if part) for each in groups)
    averages = (metric.show(each.group.metrics[metric.column].value) for each in groups)
    return "; ".join(f"{name} {value}" for name, value in list(zip(names, averages, strict=True))[:_MOST_SAID])


@dataclass(frozen=True)
class _Layout:
    """What the figures of all metrics of an application have in common: places by case, series, states of runs."""

    places: tuple[tuple[str, tuple[str, ...]], ...]
    series: tuple[str, ...]
    states: tuple[str, ...]


def _layout(groups: Sequence[CaseGroup]) -> _Layout:
    places: dict[str, dict[str, None]] = {}
    for group in groups:
        places.setdefault(group.case, {})[group.place] = None
    found = tuple((case, tuple(names)) for case, names in places.items())
    return _Layout(found, tuple(series_of(groups)), tuple(States.present(groups)))


def _is_apart(values: pd.DataFrame) -> bool:
    """Return whether cases have so different values that each needs an axis of its own."""
    largest = values.groupby("case")["value"].max()
    return bool(largest.max() > _SHARED_RATIO * max(largest.min(), 1e-12))


def _titled(spec: Any, title: str) -> Any:
    """Return a definition with the title of a metric, since all metrics share one, which takes long to make."""
    if isinstance(spec, dict):
        return {key: _titled(value, title) for key, value in spec.items()}
    if isinstance(spec, list):
        return [_titled(value, title) for value in spec]
    return title if spec == _TITLE else spec


def _stacked(panels: Sequence[Any], *, is_apart: bool) -> dict[str, Any]:
    """Return panels below each other, with one axis of values for all unless the cases are far apart."""
    chart = alt.vconcat(*panels, spacing=18).resolve_scale(x="independent" if is_apart else "shared")
    spec = chart.to_dict(validate=False)
    spec.pop("config", None)
    return {**spec, "usermeta": {"left": _LEFT_PX, "right": 24}}


@lru_cache(maxsize=32)
def _runs_spec(
    layout: _Layout, average: str, with_box: tuple[str, ...], with_stroke: tuple[str, ...], is_apart: bool
) -> dict[str, Any]:
    panels = [
        _runs_panel(layout, case, average, has_box=case in with_box, has_stroke=case in with_stroke)
        for case, _ in layout.places
    ]
    return _stacked(panels, is_apart=is_apart)


@lru_cache(maxsize=32)
def _ecdf_spec(layout: _Layout, is_apart: bool) -> dict[str, Any]:
    return _stacked([_ecdf_panel(layout, case) for case, _ in layout.places], is_apart=is_apart)


def _colour(layout: _Layout) -> alt.Color:
    shown = alt.Legend(values=list(layout.series), symbolOpacity=1) if len(layout.series) > 1 else None
    return alt.Color("series:N", scale=alt.Scale(domain=States.domain(layout.series)), legend=shown, title=None)


def _runs_panel(layout: _Layout, case: str, average: str, *, has_box: bool, has_stroke: bool) -> Any:
    places = list(dict(layout.places)[case])
    axis = alt.Axis(minExtent=_LEFT_PX - 10, maxExtent=_LEFT_PX - 10, labelLimit=_LEFT_PX - 14)
    y = alt.Y("place:N", sort=places, title=None, axis=axis, scale=alt.Scale(paddingInner=0.1, paddingOuter=0.05))
    lane = alt.YOffset("lane:Q", scale=alt.Scale(domain=[-0.5, 0.5]))
    colour = _colour(layout)
    wanted = alt.FieldEqualPredicate(field="case", equal=case)
    zero = alt.Scale(zero=True, nice=True)
    of_runs = alt.Chart(alt.NamedData("points")).transform_filter(wanted).encode(y=y, yOffset=lane)
    of_groups = alt.Chart(alt.NamedData("groups")).transform_filter(wanted).encode(y=y, yOffset=lane)
    shape = alt.Shape(
        "state:N", scale=alt.Scale(domain=list(States.ALL), range=_SHAPES), title=None,
        legend=alt.Legend(values=list(layout.states)) if len(layout.states) > 1 else None,
    )  # fmt: skip
    dots = of_runs.mark_point(size=46, filled=True, opacity=0.6).encode(
        x=alt.X("value:Q", title=_TITLE, scale=zero), color=colour, shape=shape,
        tooltip=[*(alt.Tooltip(f"{name}:N") for name in ("run", "place", "series", "case")),
                 _number("value", _TITLE), alt.Tooltip("start_s:Q", title="start [s]"), alt.Tooltip("repetition:Q"),
                 alt.Tooltip("state:N")],
    )  # fmt: skip
    told = [alt.Tooltip("place:N"), alt.Tooltip("series:N"), _number("average", average), _number("low", "95 % from"),
            _number("high", "95 % to"), alt.Tooltip("runs counted:Q"), alt.Tooltip("notes:N")]  # fmt: skip
    stroke = of_groups.mark_tick(thickness=2.5, size=24, style="ink", opacity=1).encode(x="average:Q", tooltip=told)
    layers = [stroke, dots] if has_stroke else [dots]
    if has_box:
        box = of_groups.mark_rule(strokeWidth=15, opacity=0.25).encode(x=alt.X("q1:Q", scale=zero), x2="q3:Q",
                                                                       color=colour)  # fmt: skip
        layers = [box, of_groups.mark_rule(strokeWidth=2, style="ink").encode(x="low:Q", x2="high:Q"), stroke, dots]
    return alt.layer(*layers).properties(width=_WIDTH_PX, height=_ROW_PX * len(places), title=case)


def _number(field: str, title: str) -> alt.Tooltip:
    return alt.Tooltip(f"{field}:Q", title=title, format=".4~g")


def _ecdf_panel(layout: _Layout, case: str) -> Any:
    places = list(dict.fromkeys(place for _, names in layout.places for place in names))
    wanted = alt.FieldEqualPredicate(field="case", equal=case)
    dash = alt.StrokeDash("place:N", sort=places, title=None, legend=alt.Legend() if len(places) > 1 else None)
    percent = alt.Axis(format="%", tickCount=5, minExtent=_LEFT_PX - 30, maxExtent=_LEFT_PX - 30)
    line = (
        alt.Chart(alt.NamedData("steps"))
        .transform_filter(wanted)
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=alt.X("value:Q", title=_TITLE, scale=alt.Scale(zero=True)),
            y=alt.Y("share:Q", title="share of runs", scale=alt.Scale(domain=[0, 1]), axis=percent),
            color=_colour(layout),
            strokeDash=dash,
            detail=["place:N", "series:N"],
            tooltip=[alt.Tooltip("place:N"), alt.Tooltip("series:N"), _number("value", _TITLE),
                     alt.Tooltip("share:Q", format=".1%")],
        )
    )  # fmt: skip
    return alt.layer(line).properties(width=_WIDTH_PX, height=190, title=case)
