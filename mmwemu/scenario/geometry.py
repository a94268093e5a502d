"""Positions along the route, and line of sight by intersection of rays with boxes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mmwemu.scenario.model import Box, Scenario

Floats = NDArray[np.float64]
_GRID_PART = 100_000
_OUTAGE_LOSS_DB = 30.0


def position_m(scenario: Scenario, time_s: Floats) -> Floats:
    """Return the position of the UE, [n, 3] m, at the times ``time_s`` [n], s."""
    times = [w.time_s for w in scenario.route]
    axes = [np.interp(time_s, times, [w.position_m[axis] for w in scenario.route]) for axis in range(3)]
    return np.stack(axes, axis=-1)


def along_m(scenario: Scenario, time_s: Floats) -> Floats:
    """Return the way that the UE has gone from the start of its route [n], m, at the times ``time_s`` [n], s."""
    return np.interp(time_s, [w.time_s for w in scenario.route], _way_m(scenario))


def position_along_m(scenario: Scenario, way_m: Floats) -> Floats:
    """Return the position of the UE, [n, 3] m, after ``way_m`` [n], m, of its route."""
    way = _way_m(scenario)
    axes = [np.interp(way_m, way, [w.position_m[axis] for w in scenario.route]) for axis in range(3)]
    return np.stack(axes, axis=-1)


def _way_m(scenario: Scenario) -> Floats:
    """Return the way from the start of the route to each of its waypoints [n], m."""
    where = np.array([w.position_m for w in scenario.route], dtype=np.float64)
    legs = np.sqrt(np.sum(np.diff(where, axis=0) ** 2, axis=1))
    return np.concatenate([np.zeros(1), np.cumsum(legs)])


def crosses(box: Box, start_m: Floats, end_m: Floats) -> NDArray[np.bool_]:
    """Return which straight lines [n] from ``start_m`` to ``end_m`` (both [n, 3], m) pass through a box.

    This is the slab test: a line p(u), 0 <= u <= 1, is inside the box where it lies between all three pairs of sides.
    A line that only touches a side does not cross the box.
    """
    low = np.array([box.x_m[0], box.y_m[0], box.z_m[0]])
    high = np.array([box.x_m[1], box.y_m[1], box.z_m[1]])
    step = end_m - start_m
    with np.errstate(divide="ignore", invalid="ignore"):
        one = (low - start_m) / step
        two = (high - start_m) / step
    near, far = np.minimum(one, two), np.maximum(one, two)
    flat = step == 0
    between = (start_m > low) & (start_m < high)
    near = np.where(flat, np.where(between, -np.inf, np.inf), near)
    far = np.where(flat, np.where(between, np.inf, -np.inf), far)
    enters = np.maximum(near.max(axis=-1), 0.0)
    leaves = np.minimum(far.min(axis=-1), 1.0)
    crossing: NDArray[np.bool_] = enters < leaves
    return crossing


def _rays(scenario: Scenario, time_s: Floats) -> tuple[Floats, Floats]:
    ue = position_m(scenario, time_s)
    return np.broadcast_to(np.array(scenario.base_station_m, dtype=float), ue.shape), ue


def los(scenario: Scenario, time_s: Floats) -> NDArray[np.bool_]:
    """Return whether the direct ray is free of boxes [n] at the times ``time_s`` [n], s."""
    start, end = _rays(scenario, time_s)
    free = np.ones(len(time_s), dtype=bool)
    for box in scenario.boxes:
        free &= ~crosses(box, start, end)
    return free


def extra_loss_db(scenario: Scenario, time_s: Floats) -> Floats:
    """Return the summed ``loss_db`` of the boxes that the direct ray crosses [n], dB, at ``time_s`` [n], s."""
    start, end = _rays(scenario, time_s)
    loss = np.zeros(len(time_s))
    for box in scenario.boxes:
        loss += box.loss_db * crosses(box, start, end)
    return loss


def los_changes_s(scenario: Scenario, step_s: float = 0.001) -> Floats:
    """Return the times at which LOS and NLOS change, s, on a grid of ``step_s``."""
    n = math.ceil(scenario.duration_s / step_s)
    found: list[Floats] = [np.zeros(0)]
    # In parts, so that a long scenario takes no more memory than a short one; each begins with the end of the last.
    for first in range(0, n - 1, _GRID_PART):
        time_s: Floats = np.arange(first, min(first + _GRID_PART + 1, n), dtype=np.float64) * step_s
        found.append(time_s[1:][np.diff(los(scenario, time_s).astype(int)) != 0])
    return np.concatenate(found)


def state(scenario: Scenario, time_s: Floats) -> NDArray[np.intp]:
    """Return what lies in the way [n] at ``time_s`` [n], s: 0 nothing, 1 an obstacle, 2 one that makes an outage."""
    blocked = extra_loss_db(scenario, time_s) >= _OUTAGE_LOSS_DB
    return np.where(los(scenario, time_s), 0, np.where(blocked, 2, 1))
