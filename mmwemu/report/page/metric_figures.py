"""Figures of a metric: all runs with the average of each group, and the distribution of the runs (ECDF)."""

from __future__ import annotations

from collections.abc import Sequence
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
_LANES = 0.8
_ROW_PX = 46
_WIDTH_PX = 560
_LEFT_PX = 130
_SPREAD = 0.55
# Where the largest values of two cases differ more, each has an axis of its own.
_SHARED_RATIO = 8.0
_SHAPES = ["circle", "diamond", "triangle-up", "cross"]


def runs_figure(name: str, metric: Metric, groups: Sequence[CaseGroup], average: str) -> Figure | None:
    """Return the figure of all runs, None where no run has the metric.

    A panel for each case, a row for each place, a lane for each series in it; every run is a point, its group has a box
    of the quartiles, a stroke for the average and a line for the interval, where it has enough runs.
    """
    points = _points(metric, groups)
    if points.empty:
        return None
    boxes = pd.DataFrame([_box(metric, group, groups) for group in groups if group.values(metric.column)])
    drawn = _thinned(points)
    note = f"{len(drawn)} of {len(points)} runs are drawn; boxes, averages and intervals are of all."
    panels = [_runs_panel(metric, case, groups, average, i == 0) for i, case in enumerate(cases_of(groups))]
    text = f"{metric.title} of each run; {average} of each group: " + "; ".join(_said(metric, boxes))
    title = f"{metric.name}: every run, {average} and interval"
    return Figure(
        name, title, text, _stacked(panels, points), {"points": drawn, "groups": boxes},
        note if len(drawn) < len(points) else "",
    )  # fmt: skip


def ecdf_figure(name: str, metric: Metric, groups: Sequence[CaseGroup]) -> Figure | None:
    """Return the figure of the share of runs up to each value; None where no group has two different runs."""
    tables = [_steps(metric, group) for group in groups if len(group.values(metric.column)) > 1]
    if not tables:
        return None
    steps = pd.concat(tables, ignore_index=True)
    panels = [_ecdf_panel(metric, case, groups, i == 0) for i, case in enumerate(cases_of(groups))]
    text = f"Share of runs with at most each value of {metric.title}, a line for each group."
    return Figure(name, f"{metric.name}: distribution", text, _stacked(panels, steps), {"steps": steps})


def cases_of(groups: Sequence[CaseGroup]) -> list[str]:
    """Return the cases in the order of their first group."""
    return list(dict.fromkeys(group.case for group in groups))


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
                    "state": States.of(runs),
                    "run": runs["label"],
                    "start [s]": runs["start_at_s"],
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


def _said(metric: Metric, boxes: pd.DataFrame) -> list[str]:
    return [f"{row['case']} {row['place']} {row['series']} {row['average']:.4g} {metric.unit}".strip()
            for row in boxes.head(40).to_dict("records")]  # fmt: skip


def _stacked(panels: Sequence[Any], values: pd.DataFrame) -> dict[str, Any]:
    """Return panels below each other, with one axis of values for all unless the cases are far apart."""
    largest = values.groupby("case")["value"].max()
    apart = largest.max() > _SHARED_RATIO * max(largest.min(), 1e-12)
    chart = alt.vconcat(*panels, spacing=18).resolve_scale(x="independent" if apart else "shared")
    spec = chart.to_dict(validate=False)
    spec.pop("config", None)
    return {**spec, "usermeta": {"left": _LEFT_PX, "right": 24}}


def _colour(groups: Sequence[CaseGroup], *, legend: bool) -> alt.Color:
    present = series_of(groups)
    domain = States.domain(present)
    shown = alt.Legend(values=present, symbolOpacity=1) if legend and len(present) > 1 else None
    return alt.Color("series:N", scale=alt.Scale(domain=domain), legend=shown, title=None)


def _places(groups: Sequence[CaseGroup], case: str) -> list[str]:
    return list(dict.fromkeys(group.place for group in groups if group.case == case))


def _runs_panel(metric: Metric, case: str, groups: Sequence[CaseGroup], average: str, is_first: bool) -> Any:
    places = _places(groups, case)
    axis = alt.Axis(minExtent=_LEFT_PX - 10, maxExtent=_LEFT_PX - 10, labelLimit=_LEFT_PX - 14)
    y = alt.Y("place:N", sort=places, title=None, axis=axis, scale=alt.Scale(paddingInner=0.1, paddingOuter=0.05))
    lane = alt.YOffset("lane:Q", scale=alt.Scale(domain=[-0.5, 0.5]))
    colour = _colour(groups, legend=is_first)
    wanted = alt.FieldEqualPredicate(field="case", equal=case)
    zero = alt.Scale(zero=True, nice=True)
    of_runs = alt.Chart(alt.NamedData("points")).transform_filter(wanted).encode(y=y, yOffset=lane)
    of_groups = alt.Chart(alt.NamedData("groups")).transform_filter(wanted).encode(y=y, yOffset=lane)
    states = alt.Shape(
        "state:N", scale=alt.Scale(domain=list(States.ALL), range=_SHAPES), title=None,
        legend=alt.Legend(values=States.present(groups)) if is_first and len(States.present(groups)) > 1 else None,
    )  # fmt: skip
    hover = [alt.Tooltip(f"{name}:N") for name in ("run", "place", "series", "case")]
    box = of_groups.mark_rule(strokeWidth=15, opacity=0.25).encode(
        x=alt.X("q1:Q", title=metric.title, scale=zero), x2="q3:Q", color=colour
    )
    interval = of_groups.mark_rule(strokeWidth=2, style="ink").encode(x="low:Q", x2="high:Q")
    dots = of_runs.mark_point(size=34, filled=True, opacity=0.6).encode(
        x=alt.X("value:Q", title=metric.title, scale=zero), color=colour, shape=states,
        tooltip=[*hover, _number("value", metric.title), alt.Tooltip("start [s]:Q"),
                 alt.Tooltip("repetition:Q"), alt.Tooltip("state:N")],
    )  # fmt: skip
    told = [alt.Tooltip("place:N"), alt.Tooltip("series:N"), _number("average", average), _number("low", "95 % from"),
            _number("high", "95 % to"), alt.Tooltip("runs counted:Q"), alt.Tooltip("notes:N")]  # fmt: skip
    stroke = of_groups.mark_tick(thickness=3, size=20, style="ink", opacity=1).encode(x="average:Q", tooltip=told)
    return alt.layer(box, dots, interval, stroke).properties(width=_WIDTH_PX, height=_ROW_PX * len(places), title=case)


def _number(field: str, title: str) -> alt.Tooltip:
    return alt.Tooltip(f"{field}:Q", title=title, format=".4~g")


def _ecdf_panel(metric: Metric, case: str, groups: Sequence[CaseGroup], is_first: bool) -> Any:
    places = _places(groups, case)
    wanted = alt.FieldEqualPredicate(field="case", equal=case)
    dash = alt.StrokeDash(
        "place:N", sort=places, title=None, legend=alt.Legend() if is_first and len(places) > 1 else None
    )
    percent = alt.Axis(format="%", tickCount=5, minExtent=_LEFT_PX - 30, maxExtent=_LEFT_PX - 30)
    line = (
        alt.Chart(alt.NamedData("steps"))
        .transform_filter(wanted)
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=alt.X("value:Q", title=metric.title, scale=alt.Scale(zero=True)),
            y=alt.Y("share:Q", title="share of runs", scale=alt.Scale(domain=[0, 1]), axis=percent),
            color=_colour(groups, legend=is_first),
            strokeDash=dash,
            detail=["place:N", "series:N"],
            tooltip=[alt.Tooltip("place:N"), alt.Tooltip("series:N"), alt.Tooltip("value:Q", format=".4~g"),
                     alt.Tooltip("share:Q", format=".1%")],
        )
    )  # fmt: skip
    return alt.layer(line).properties(width=_WIDTH_PX, height=190, title=case)
