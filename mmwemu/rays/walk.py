"""The scenario of a route that is no scenario yet: its CSV file, and the TOML file of the scenario."""

from __future__ import annotations

from pathlib import Path

import tomli_w

from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.names import check_file_name
from mmwemu.core.text import check_lines, read_text, shown
from mmwemu.rays.model import Rays
from mmwemu.scenario import read
from mmwemu.scenario.model import Point, Scenario

_HEADER = "time_s,x_m,y_m,z_m"


def load(path: Path, base_station_m: Point, carrier_hz: float) -> Scenario:
    """Read the waypoints of a route from CSV with the columns time_s, x_m, y_m, z_m; the scenario ends with the last.

    Raises
    ------
    InputError
        If the file cannot be read, or a waypoint breaks a rule of scenarios.
    """
    text = read_text(path)
    check_lines(text, str(path))
    lines = text.rstrip("\n").split("\n")
    if lines[0].strip() != _HEADER:
        raise InputError(f"{path}: line 1", f"is {shown(lines[0])}; must be {_HEADER}")
    rows = [_numbers(line, f"{path}: line {number}") for number, line in enumerate(lines[1:], 2)]
    if len(rows) < 2:
        raise InputError(str(path), f"has {len(rows)} waypoints; must have at least 2")
    title = f"The route of {path.name}"
    return made(check_file_name(path), rows, base_station_m, carrier_hz, where=str(path), title=title)


def _numbers(line: str, where: str) -> list[float]:
    cells = line.split(",")
    try:
        numbers = [float(cell) for cell in cells]
    except ValueError:
        numbers = []
    if len(numbers) != 4 or "_" in line:
        raise InputError(where, f"is {shown(line)}; must be four numbers: {_HEADER}")
    return numbers


def made(
    name: str, rows: list[list[float]], base_station_m: Point, carrier_hz: float, *, where: str, title: str
) -> Scenario:
    """Return the scenario of a route of rows (time_s, x_m, y_m, z_m), under the rules of scenarios.

    Raises
    ------
    InputError
        If a value breaks one; ``where`` names the route.
    """
    return read.from_values(
        {
            "format": 1,
            "name": name,
            "title": title,
            "duration_s": rows[-1][0],
            "base_station": {"position_m": list(base_station_m)},
            "route": [{"time_s": row[0], "position_m": row[1:]} for row in rows],
            "radio": {"mmwave": {"carrier_hz": carrier_hz}},
        },
        where,
    )


def along(rays: Rays, speed_mps: float, path: Path) -> Scenario:
    """Return the scenario of a straight walk along all of some rays; the name is that of a file of the scenario.

    Raises
    ------
    InputError
        If the route breaks a rule of scenarios, as one below the ground or longer than an hour.
    """
    where = rays.position_m
    duration_s = float(rays.along_m[-1]) / speed_mps
    rows = [[0.0, *where[0].tolist()], [duration_s, *where[-1].tolist()]]
    return made(check_file_name(path), rows, rays.base_station_m, rays.carrier_hz, where=str(path), title=rays.source)


def save(scenario: Scenario, path: Path) -> None:
    """Write a scenario that has a route, a base station and a carrier, and else the defaults.

    Raises
    ------
    MmwemuError
        If the file cannot be written; no partial file remains.
    """
    values = {
        "format": 1,
        "name": scenario.name,
        "title": scenario.title,
        "duration_s": scenario.duration_s,
        "base_station": {"position_m": list(scenario.base_station_m)},
        "route": [{"time_s": w.time_s, "position_m": list(w.position_m)} for w in scenario.route],
        "radio": {"mmwave": {"carrier_hz": scenario.mmwave.carrier_hz}},
    }
    with whole_file(path) as draft:
        draft.write_text(tomli_w.dumps(values), encoding="utf-8")
