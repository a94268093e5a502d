"""The UEs of a scenario: one with a route, several listed, or several placed in a disc."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mmwemu.core.bounds import LONGEST_SCENARIO_S
from mmwemu.core.tables import Table
from mmwemu.core.text import digits
from mmwemu.scenario import geometry, places
from mmwemu.scenario.model import Box, Point, Scenario, Traffic, Ue, Waypoint
from mmwemu.scenario.traffic import FASTEST_TRAFFIC_BPS

MOST_UES = 20
NEAREST_M = 10.0
"""Distance from the base station, seen from above, that drawn places keep (3GPP TR 38.901, table 7.2-1, UMi)."""

_MOST_DRAWS = 1000


def alone(scenario: Scenario) -> tuple[Scenario, ...]:
    """Return a scenario for each UE, as if it were the only one."""
    if not scenario.ues:
        return (scenario,)
    return tuple(
        replace(
            scenario,
            route=ue.route,
            ues=(),
            traffic=replace(
                scenario.traffic,
                rate_bps=ue.rate_bps,
                uplink_rate_bps=ue.uplink_rate_bps,
                start_s=ue.start_s,
            ),
        )
        for ue in scenario.ues
    )


def read_ues(
    top: Table, duration_s: float, base_station_m: Point, boxes: Sequence[Box], traffic: Traffic
) -> tuple[Ue, ...]:
    """Return the UEs that ``[[route]]``, ``[[ues]]`` or ``[ue_disc]`` describes.

    Raises
    ------
    InputError
        With file, key and rule, if there is not exactly one of the three, or it breaks a rule.
    """
    listed, disc = top.tables("ues"), top.table("ue_disc")
    given = [key for key in ("route", "ues", "ue_disc") if key in top]
    if len(given) > 1:
        raise top.refuse(given[1], f"is given beside {given[0]}; a scenario has one of route, ues and ue_disc")
    if "ues" in top:
        if not 1 <= len(listed) <= MOST_UES:
            raise top.refuse("ues", f"has {len(listed)} UEs; must have 1 to {MOST_UES}")
        least_bps = 0 if len(listed) > 1 else 1
        found = tuple(_listed(table, duration_s, boxes, traffic, least_bps) for table in listed)
        waypoints = sum(len(ue.route) for ue in found)
        if waypoints > places.MOST_WAYPOINTS:
            raise top.refuse("ues", f"have {waypoints} waypoints; must have at most {places.MOST_WAYPOINTS} together")
        return found
    if "ue_disc" in top:
        return _placed(disc, base_station_m, boxes, traffic)
    return (_with_traffic(_free_route(top, duration_s, boxes), traffic),)


def _with_traffic(route: tuple[Waypoint, ...], traffic: Traffic) -> Ue:
    return Ue(route, traffic.rate_bps, traffic.uplink_rate_bps, traffic.start_s)


def _free_route(owner: Table, duration_s: float, boxes: Sequence[Box]) -> tuple[Waypoint, ...]:
    """Return the route of a table, refused where it leads through a box."""
    route = places.route(owner, duration_s)
    where = np.array([waypoint.position_m for waypoint in route])
    for number, box in enumerate(boxes):
        inside = np.flatnonzero(geometry.crosses(box, where, np.vstack([where[1:], where[-1:]])))
        if inside.size:
            problem = f"has the UE inside boxes[{number}], at or after waypoint {inside[0] + 1}"
            raise owner.refuse("route", f"{problem}; a UE must stay outside")
    return route


def _listed(table: Table, duration_s: float, boxes: Sequence[Box], traffic: Traffic, least_bps: float) -> Ue:
    ue = Ue(
        _free_route(table, duration_s, boxes),
        rate_bps=table.number("rate_bps", traffic.rate_bps, least=least_bps, most=FASTEST_TRAFFIC_BPS),
        uplink_rate_bps=table.number("uplink_rate_bps", traffic.uplink_rate_bps, least=0, most=FASTEST_TRAFFIC_BPS),
        start_s=table.number("start_s", traffic.start_s, least=0, most=LONGEST_SCENARIO_S),
    )
    table.finish()
    return ue


def _placed(table: Table, base_station_m: Point, boxes: Sequence[Box], traffic: Traffic) -> tuple[Ue, ...]:
    """Draw places at rest, evenly over the disc round the base station, none inside a box."""
    count = table.integer("count", most=MOST_UES)
    radius_m = table.number("radius_m", above=NEAREST_M, most=places.FAR_M / 10)
    height_m = table.number("height_m", 1.5, above=0, most=places.FAR_M)
    rng = np.random.default_rng(table.integer("seed", 1, least=0, most=2**32 - 1))
    table.finish()
    sides = np.array([[box.x_m, box.y_m, box.z_m] for box in boxes], dtype=float).reshape(-1, 3, 2)
    low_m, high_m = sides[:, :, 0], sides[:, :, 1]
    found: list[Ue] = []
    for _ in range(count * _MOST_DRAWS):
        if len(found) == count:
            break
        share, turn = rng.random(2)
        distance_m = math.sqrt(NEAREST_M**2 + share * (radius_m**2 - NEAREST_M**2))
        place = (
            round(base_station_m[0] + distance_m * math.cos(2 * math.pi * turn), 3),
            round(base_station_m[1] + distance_m * math.sin(2 * math.pi * turn), 3),
            height_m,
        )
        if not np.any(np.all((low_m < place) & (place < high_m), axis=1)):
            found.append(_with_traffic((Waypoint(0.0, place),), traffic))
    if len(found) < count:
        raise table.refuse("radius_m", f"is {digits(radius_m)}; boxes leave no room for {count} UEs")
    return tuple(found)
