"""Reader of positions and routes."""

from __future__ import annotations

from typing import cast

from mmwemu.core.tables import Table
from mmwemu.core.text import digits
from mmwemu.scenario.model import Point, Waypoint

FAR_M = 1e6
"""The farthest coordinate, as in mmwemu-cell."""

_MOST_WAYPOINTS = 50_000


def point(table: Table, key: str) -> Point:
    """Return a position above the ground.

    Raises
    ------
    InputError
        With file, key and rule, if it breaks one.
    """
    position = cast(Point, table.numbers(key, 3, least=-FAR_M, most=FAR_M))
    if position[2] <= 0:
        raise table.refuse(f"{key}[2]", f"is {digits(position[2])}; the height must be above 0")
    return position


def route(owner: Table, duration_s: float) -> tuple[Waypoint, ...]:
    """Return the waypoints in ``[[route]]`` of a table, which must start at 0 and end by ``duration_s``.

    Raises
    ------
    InputError
        With file, key and rule, if they break one.
    """
    found: list[Waypoint] = []
    tables = owner.tables("route")
    if len(tables) > _MOST_WAYPOINTS:
        raise owner.refuse("route", f"has {len(tables)} waypoints; must have at most {_MOST_WAYPOINTS}")
    for table in tables:
        waypoint = Waypoint(table.number("time_s", least=0), point(table, "position_m"))
        if not found and waypoint.time_s != 0:
            raise table.refuse("time_s", f"is {digits(waypoint.time_s)}; the route must start at 0")
        if found and waypoint.time_s <= found[-1].time_s:
            raise table.refuse(
                "time_s",
                f"is {digits(waypoint.time_s)}, not after {digits(found[-1].time_s)}; a route must not run backwards",
            )
        if waypoint.time_s > duration_s:
            raise table.refuse(
                "time_s", f"is {digits(waypoint.time_s)}, after the end of the scenario at {digits(duration_s)}"
            )
        table.finish()
        found.append(waypoint)
    if not found:
        raise owner.refuse("route", "has no waypoint; at least one [[route]] is needed")
    return tuple(found)
