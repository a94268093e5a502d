"""Drawing the obstacles of a scenario that depend on the seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.scenario.geometry import crosses
from mmwemu.scenario.model import Box, RandomBoxes, Scenario
from mmwemu.scenario.ues import alone

_MOST_TRIES = 1_000


def placed(scenario: Scenario, seed: int) -> Scenario:
    """Return the scenario with its random boxes drawn, so that it has none left to draw.

    Raises
    ------
    InputError
        If nearly each box that is drawn covers the base station or a route.
    """
    rule = scenario.random_boxes
    if rule is None:
        return scenario
    rng = np.random.default_rng(seed)
    drawn: list[Box] = []
    for number in range(1, rule.count + 1):
        tries = (_draw(rule, f"random {number}", rng) for _ in range(_MOST_TRIES))
        box = next((box for box in tries if not _covers(box, scenario)), None)
        if box is None:
            problem = f"has no room: {_MOST_TRIES} boxes in a row cover the base station or a route"
            raise InputError(
                f"scenario {scenario.name}: random_boxes", f"{problem}; make them smaller or the area larger"
            )
        drawn.append(box)
    return replace(scenario, boxes=(*scenario.boxes, *drawn), random_boxes=None)


def _draw(rule: RandomBoxes, name: str, rng: np.random.Generator) -> Box:
    x, y, width, depth, height = (
        float(rng.uniform(*sides)) for sides in (rule.x_m, rule.y_m, rule.width_m, rule.depth_m, rule.height_m)
    )
    around_x, around_y = (x - width / 2, x + width / 2), (y - depth / 2, y + depth / 2)
    return Box(around_x, around_y, (0.0, height), name, rule.loss_db)


def _covers(box: Box, scenario: Scenario) -> bool:
    """Return whether a box holds the base station or a point of a route."""
    station = np.array([scenario.base_station_m])
    start, end = [station], [station]
    for one in alone(scenario):
        points = np.array([waypoint.position_m for waypoint in one.route])
        start.append(points)
        end += [points[1:], points[-1:]]
    return bool(crosses(box, np.concatenate(start), np.concatenate(end)).any())
