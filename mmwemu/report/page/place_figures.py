"""Figures of where runs took place: patterns with the runs over them, and the map of a scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from mmwemu.core.units import mbps
from mmwemu.pattern.capacity import capacity_bytes
from mmwemu.pattern.measures import mean_rate_bps
from mmwemu.pattern.model import Pattern
from mmwemu.report.page.figure import Figure
from mmwemu.report.page.groups import States
from mmwemu.scenario import geometry, ues
from mmwemu.scenario.model import Scenario

_WIDTH_PX = 560
_LEFT_PX = 62
_MOST_STEPS = 1_500
_MEAN_S = 0.1
_MOST_SPANS = 400
_MOST_ROUTE = 600
_MOST_TIMES = 12
# As numbered by `geometry.state`.
_STATES = ("line of sight", "no line of sight", "outage")
_MARGIN = 0.08


def pattern_figure(name: str, title: str, patterns: Mapping[str, Pattern], runs: pd.DataFrame) -> Figure:
    """Return the downlink rate of patterns over time, and below it when runs took place.

    Parameters
    ----------
    name, title
        Of the figure.
    patterns
        By the radio access technology for people, or by name.
    runs
        Columns ``series`` (a key of ``patterns``), ``what``, ``begin`` and ``end``, s in the pattern, and ``run``.
    """
    rates = pd.concat([_rate(series, pattern) for series, pattern in patterns.items()], ignore_index=True)
    drawn = runs if len(runs) <= _MOST_SPANS else runs.sample(_MOST_SPANS, random_state=1).sort_index()
    order = list(dict.fromkeys(runs["what"]))
    spec = alt.vconcat(_rates_panel(list(patterns)), _runs_panel(list(patterns), order), spacing=10)
    found = spec.resolve_scale(x="shared").to_dict(validate=False)
    found.pop("config", None)
    longest = max(pattern.duration_s for pattern in patterns.values())
    notes = [f"{len(drawn)} of {len(runs)} runs are drawn."] if len(drawn) < len(runs) else []
    if len(runs) and runs["end"].max() > longest:
        notes.append(f"The patterns are {longest:g} s long; they go on as their files say: loop, hold or stop.")
    means = ", ".join(
        f"{series} {mbps(mean_rate_bps(pattern, pattern.downlink.rate_bps)):.0f} Mbit/s"
        for series, pattern in patterns.items()
    )
    text = f"Downlink rate over time, mean {means}; below, bars from the begin to the end of each run."
    return Figure(name, title, text, {**found, "usermeta": {"left": _LEFT_PX + 60, "right": 24}},
                  {"rate": rates, "runs": drawn}, " ".join(notes))  # fmt: skip


def _rate(series: str, pattern: Pattern) -> pd.DataFrame:
    """Return the steps of a pattern, or means over 100 ms where it has very many."""
    time_s, rate_bps = pattern.time_s, pattern.downlink.rate_bps
    if len(time_s) > _MOST_STEPS:
        edges_s = np.arange(0.0, pattern.duration_s + _MEAN_S / 2, _MEAN_S)
        time_s, rate_bps = edges_s[:-1], capacity_bytes(pattern, pattern.downlink, edges_s) * 8 / _MEAN_S
    time_s, rate = np.append(time_s, pattern.duration_s), mbps(np.append(rate_bps, rate_bps[-1]))
    return pd.DataFrame({"series": series, "time": time_s, "rate": np.where(np.isfinite(rate), rate, np.nan)})


def _colour(series: Sequence[str]) -> alt.Color:
    legend = alt.Legend(values=list(series), symbolOpacity=1)
    return alt.Color("series:N", title=None, scale=alt.Scale(domain=States.domain(series)), legend=legend)


def _rates_panel(series: Sequence[str]) -> Any:
    axis = alt.Axis(minExtent=_LEFT_PX + 38, maxExtent=_LEFT_PX + 38, tickCount=4, format=".5~r")
    return (
        alt.Chart(alt.NamedData("rate"))
        .mark_line(interpolate="step-after", strokeWidth=1.6)
        .encode(
            x=alt.X("time:Q", title=None, scale=alt.Scale(nice=False), axis=alt.Axis(labels=False, ticks=False)),
            y=alt.Y("rate:Q", title="rate of IP packets [Mbit/s]", axis=axis),
            color=_colour(series),
            tooltip=[
                alt.Tooltip("series:N"),
                alt.Tooltip("time:Q", format=".2f"),
                alt.Tooltip("rate:Q", format=".4~g"),
            ],
        )
        .properties(width=_WIDTH_PX, height=170)
    )


def _runs_panel(series: Sequence[str], order: Sequence[str]) -> Any:
    axis = alt.Axis(minExtent=_LEFT_PX + 38, maxExtent=_LEFT_PX + 38, labelLimit=_LEFT_PX + 34)
    return (
        alt.Chart(alt.NamedData("runs"))
        .mark_bar(opacity=0.45, minBandSize=2)
        .encode(
            x=alt.X("begin:Q", title="time in the pattern [s]", scale=alt.Scale(nice=False)),
            x2="end:Q",
            y=alt.Y("what:N", title=None, sort=list(order), axis=axis),
            yOffset=alt.YOffset("series:N", sort=States.domain(series)),
            color=_colour(series),
            tooltip=[alt.Tooltip("run:N"), alt.Tooltip("what:N"), alt.Tooltip("series:N"),
                     alt.Tooltip("begin:Q", format=".2f"), alt.Tooltip("end:Q", format=".2f")],
        )
        .properties(width=_WIDTH_PX, height=26 * max(1, len(order)))
    )  # fmt: skip


def map_figure(name: str, scenario: Scenario) -> Figure:
    """Return the map of a scenario from above: base station, obstacles, and the UE's route by line of sight."""
    boxes = pd.DataFrame(
        [{"name": box.name or "obstacle", "x": box.x_m[0], "x2": box.x_m[1], "y": box.y_m[0], "y2": box.y_m[1]}
         for box in scenario.boxes],
        columns=["name", "x", "x2", "y", "y2"],
    )  # fmt: skip
    route = pd.concat([_route(number, one) for number, one in enumerate(ues.alone(scenario), 1)], ignore_index=True)
    x, y, z = scenario.base_station_m
    labels = pd.DataFrame([{"x": x, "y": y, "label": f"base station, {z:g} m high"}, *_times(scenario)])
    station = labels.head(1)
    xs = np.concatenate([route["x"], boxes["x"], boxes["x2"], [x]])
    ys = np.concatenate([route["y"], boxes["y"], boxes["y2"], [y]])
    (left, right), (low, high) = _domain(xs), _domain(ys)
    # Equal scales on both axes, on pages of any width: a map is not higher than three quarters of its width.
    aspect = min(0.75, max(0.3, (high - low) / (right - left)))
    if (high - low) / (right - left) > aspect:
        wider = ((high - low) / aspect - (right - left)) / 2
        left, right = left - wider, right + wider
    else:
        higher = (aspect * (right - left) - (high - low)) / 2
        low, high = low - higher, high + higher
    shares = route["state"].value_counts(normalize=True)
    told = ", ".join(f"{share:.0%} {state}" for state, share in shares.items())
    spec = _map([left, right], [low, high], round(_WIDTH_PX * aspect), [name for name in _STATES if name in shares])
    text = f"Map: base station at {x:g}, {y:g} m, {len(boxes)} obstacles, route of the UE ({told} of the time)"
    title = f"{scenario.title or scenario.name}: map"
    return Figure(name, title, text, {**spec, "usermeta": {"left": _LEFT_PX, "right": 24, "aspect": aspect}},
                  {"route": route, "obstacles": boxes, "station": station, "labels": labels})  # fmt: skip


def _route(number: int, scenario: Scenario) -> pd.DataFrame:
    time_s = np.linspace(0.0, scenario.duration_s, _MOST_ROUTE)
    where = geometry.position_m(scenario, time_s)
    state = geometry.state(scenario, time_s)
    table = pd.DataFrame({"ue": number, "time": time_s, "x": where[:, 0], "y": where[:, 1]})
    table["state"] = [_STATES[i] for i in state]
    # Where the UE stands still, one point tells it.
    moved = np.append(True, (np.diff(where[:, :2], axis=0) != 0).any(axis=1)) | np.append(True, np.diff(state) != 0)
    kept: pd.DataFrame = table[moved | (table["time"] == table["time"].max())]
    return kept


def _times(scenario: Scenario) -> list[dict[str, Any]]:
    """Return the times at which a single UE starts, stops or turns, beside its route; of many, every few."""
    if len(ues.alone(scenario)) > 1:
        return []
    every = -(-len(scenario.route) // _MOST_TIMES)
    times_s = [*(waypoint.time_s for waypoint in scenario.route[::every]), scenario.duration_s]
    found: dict[tuple[float, ...], dict[str, Any]] = {}
    for time_s, (x, y, *_) in zip(times_s, geometry.position_m(scenario, np.array(times_s)), strict=True):
        found.setdefault((round(x, 1), round(y, 1)), {"x": x, "y": y, "label": f"{time_s:g} s"})
    return list(found.values())


def _domain(values: Any) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = max(1.0, (high - low) * _MARGIN)
    return low - margin, high + margin


def _map(x_domain: list[float], y_domain: list[float], height: int, states: list[str]) -> dict[str, Any]:
    def axes(x: str, y: str) -> dict[str, Any]:
        extent = _LEFT_PX - 22
        return {
            "x": alt.X(f"{x}:Q", title="x [m]", scale=alt.Scale(domain=x_domain, nice=False, zero=False)),
            "y": alt.Y(f"{y}:Q", title="y [m]", scale=alt.Scale(domain=y_domain, nice=False, zero=False),
                       axis=alt.Axis(minExtent=extent, maxExtent=extent)),
        }  # fmt: skip

    boxes = alt.Chart(alt.NamedData("obstacles")).mark_rect(style="obstacle", strokeWidth=1)
    route = alt.Chart(alt.NamedData("route")).mark_point(size=16, filled=True, opacity=0.9)
    station = alt.Chart(alt.NamedData("station")).mark_point(shape="triangle-up", size=160, filled=True, style="ink")
    shown = alt.Legend(values=states, symbolOpacity=1)
    colour = alt.Color("state:N", title=None, scale=alt.Scale(domain=list(_STATES)), legend=shown)
    shape = alt.Shape("state:N", title=None, scale=alt.Scale(domain=list(_STATES), range=["circle", "square", "cross"]),
                      legend=shown)  # fmt: skip
    hover = [alt.Tooltip("state:N"), alt.Tooltip("time:Q", format=".1f", title="time [s]")]
    label = (
        alt.Chart(alt.NamedData("labels")).mark_text(align="left", dx=9, dy=-9).encode(text="label:N", **axes("x", "y"))
    )
    chart = alt.layer(
        boxes.encode(**axes("x", "y"), x2="x2:Q", y2="y2:Q", tooltip=[alt.Tooltip("name:N")]),
        route.encode(**axes("x", "y"), color=colour, shape=shape, tooltip=hover),
        station.encode(**axes("x", "y"), tooltip=[alt.Tooltip("label:N")]),
        label,
    ).properties(width=_WIDTH_PX, height=height)
    found: dict[str, Any] = chart.to_dict(validate=False)
    found.pop("config", None)
    return found
