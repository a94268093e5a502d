"""The distances for which the path loss of the LTE cell holds."""

from __future__ import annotations

import itertools
import math

from mmwemu.scenario.model import LtePathLoss, Point, Scenario, Waypoint

# The ranges of mmwemu-cell, which checks the same (simulate/cell/core/lte_reach.cpp).
MOST_M: dict[LtePathLoss, float] = {"hybrid-buildings": 200.0, "umi-street-canyon": 5000.0, "uma": 5000.0}
"""Greatest distance between base station and UE, of UMi and UMa seen from above (3GPP TR 38.901, table 7.4.1-1);
hybrid-buildings takes the way over the rooftops beyond."""

LEAST_M: dict[LtePathLoss, float] = {"hybrid-buildings": 0.0, "umi-street-canyon": 10.0, "uma": 10.0}
"""Least distance seen from above (3GPP TR 38.901, table 7.4.1-1)."""

HIGHEST_UE_M = 22.5
"""Height of a UE up to which UMi and UMa hold (3GPP TR 38.901, table 7.4.1-1)."""


def lte_problem(scenario: Scenario) -> str | None:
    """Return why the path loss of the LTE cell does not hold all along the route, or None if it does."""
    model = scenario.lte.path_loss
    base = scenario.base_station_m
    axes = 3 if model == "hybrid-buildings" else 2
    farthest_m = max(math.dist(base[:axes], waypoint.position_m[:axes]) for waypoint in scenario.route)
    nearest_m = _nearest_m(base, scenario.route)
    highest_m = max(waypoint.position_m[2] for waypoint in scenario.route)
    if farthest_m > MOST_M[model]:
        others = ", ".join(other for other, most_m in MOST_M.items() if farthest_m <= most_m)
        rule = f"farther, take {others}" if others else "the LTE cell reaches no farther"
        return f'"{model}" holds up to {MOST_M[model]:g} m, and the UE goes {farthest_m:.6g} m away; {rule}'
    if nearest_m < LEAST_M[model]:
        return f'"{model}" holds from {LEAST_M[model]:g} m, and the UE comes as near as {nearest_m:.3g} m; move it away'
    if model != "hybrid-buildings" and highest_m > HIGHEST_UE_M:
        return (
            f'"{model}" holds for UEs up to {HIGHEST_UE_M:g} m above the ground, and this one gets to {highest_m:.6g} m'
        )
    return None


def _nearest_m(base: Point, route: tuple[Waypoint, ...]) -> float:
    """Return the least distance between the base station and a route, seen from above, m."""
    places = [(w.position_m[0] - base[0], w.position_m[1] - base[1]) for w in route]
    nearest_m = math.hypot(*places[0])
    for (x, y), (next_x, next_y) in itertools.pairwise(places):
        dx, dy = next_x - x, next_y - y
        squared = dx * dx + dy * dy
        share = min(1.0, max(0.0, -(x * dx + y * dy) / squared)) if squared > 0 else 0.0
        nearest_m = min(nearest_m, math.hypot(x + share * dx, y + share * dy))
    return nearest_m
