"""Map of a scenario."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mmwemu.core import figure
from mmwemu.scenario import geometry, ues
from mmwemu.scenario.model import Scenario

# As numbered by `geometry.state`.
_STATES = (("LOS", figure.BLUE), ("NLOS", figure.ORANGE), ("outage", figure.RED))
_MOST_TIMES = 60
_MOST_POINTS = 20_000


@figure.styled
def plot(scenario: Scenario, path: Path) -> None:
    """Draw base station, boxes and route from above, the route coloured by line of sight.

    Raises
    ------
    MmwemuError
        If the file cannot be written.
    """
    from matplotlib.patches import Rectangle

    drawing, axes = figure.new(6.5, 5.5)
    for box in scenario.boxes:
        corner = (box.x_m[0], box.y_m[0])
        size = (box.x_m[1] - box.x_m[0], box.y_m[1] - box.y_m[0])
        axes.add_patch(Rectangle(corner, *size, facecolor="#d1d5db", edgecolor="#4b5563", linewidth=0.8, zorder=2))

    each = ues.alone(scenario)
    time_s = np.arange(0.0, scenario.duration_s, max(0.02, scenario.duration_s / (_MOST_POINTS // len(each))))
    where = np.concatenate([geometry.position_m(one, time_s) for one in each])
    state = np.concatenate([geometry.state(one, time_s) for one in each])
    for i, (label, colour) in enumerate(_STATES):
        here = where[state == i]
        if len(here):
            axes.scatter(here[:, 0], here[:, 1], s=14, color=colour, label=f"UE route, {label}", zorder=3)
    if len(each) == 1:
        _mark_times(axes, scenario)
    else:
        for number, one in enumerate(each, 1):
            _mark(axes, one.route[0].position_m, f"UE {number}")
    x, y, z = scenario.base_station_m
    label = f"base station, {z:g} m high"
    axes.plot(x, y, marker="^", markersize=11, color="black", linestyle="", label=label, zorder=4)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.12)
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    axes.set_title(scenario.title or scenario.name)
    drawing.legend(loc="outside lower center", ncols=2)
    figure.save(drawing, path)


def _mark_times(axes: object, scenario: Scenario) -> None:
    """Write the times at which the UE starts, stops or turns beside its route; of many, every few."""
    seen: set[tuple[float, ...]] = set()
    every = math.ceil(len(scenario.route) / _MOST_TIMES)
    times_s = [*(waypoint.time_s for waypoint in scenario.route[::every]), scenario.duration_s]
    for time_s, position in zip(times_s, geometry.position_m(scenario, np.array(times_s)), strict=True):
        if (key := tuple(position.round(2))) in seen:
            continue
        seen.add(key)
        _mark(axes, position, f"{time_s:g} s")


def _mark(axes: object, position: Sequence[float], text: str) -> None:
    axes.annotate(  # type: ignore[attr-defined]
        text, position[:2], xytext=(8, -3), textcoords="offset points", color=figure.GREY, fontsize=9
    )
