"""Whether rays belong to a scenario."""

from __future__ import annotations

import math

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.rays.model import Rays
from mmwemu.scenario import geometry
from mmwemu.scenario.model import Scenario

_TOLERANCE_M = 0.05
_CARRIER_TOLERANCE = 1e-6


def check(rays: Rays, scenario: Scenario, where: str) -> None:
    """Refuse rays that were not made for the base station, the carrier and the whole route of a scenario.

    The UE may go its route at any speed.

    Parameters
    ----------
    rays, scenario
        What is compared.
    where
        Name of the rays in errors.

    Raises
    ------
    InputError
        With the first difference.
    """
    if scenario.boxes:
        raise InputError(
            f"scenario {scenario.name}", "has boxes; with rays the traced scene alone is in the way: remove [[boxes]]"
        )
    if math.dist(rays.base_station_m, scenario.base_station_m) > _TOLERANCE_M:
        of, wanted = _point(rays.base_station_m), _point(scenario.base_station_m)
        raise InputError(where, f"is of a base station at {of} m, that of scenario {scenario.name} is at {wanted} m")
    carrier_hz = scenario.mmwave.carrier_hz
    if abs(rays.carrier_hz - carrier_hz) > _CARRIER_TOLERANCE * carrier_hz:
        problem = f"is of a carrier at {digits(rays.carrier_hz)} Hz, that of scenario {scenario.name} is at"
        raise InputError(where, f"{problem} {digits(carrier_hz)} Hz")
    route_m = float(geometry.along_m(scenario, np.array([scenario.duration_s]))[0])
    shared = rays.along_m <= route_m + _TOLERANCE_M
    expected = geometry.position_along_m(scenario, rays.along_m[shared])
    off = np.sqrt(np.sum((rays.position_m[shared] - expected) ** 2, axis=1))
    if off.max() > _TOLERANCE_M:
        at = int(np.argmax(off > _TOLERANCE_M))
        has, wanted = _point(rays.position_m[at]), _point(expected[at])
        problem = f"is at {has} m after {digits(rays.along_m[at])} m of the route, scenario {scenario.name} at {wanted}"
        raise InputError(where, f"{problem} m; it belongs to another route")
    if rays.along_m[-1] < route_m - _TOLERANCE_M:
        problem = f"ends after {digits(rays.along_m[-1])} m, the route of scenario {scenario.name} is"
        raise InputError(where, f"{problem} {digits(route_m)} m long; trace all of it")


def _point(point: object) -> str:
    return f"({', '.join(f'{value:.6g}' for value in np.asarray(point, dtype=float))})"
