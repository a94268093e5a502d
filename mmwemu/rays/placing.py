"""Carrier, positions and line of sight of imported points, which their direct paths tell.

A direct path has the length and the direction from the base station to its point, and the loss of free space.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.errors import InputError
from mmwemu.core.tables import MOST_TITLE
from mmwemu.core.text import digits, printable
from mmwemu.core.units import LIGHT_MPS
from mmwemu.rays.eight_lines import Points
from mmwemu.rays.model import Floats, Rays
from mmwemu.scenario.model import Point

_ANGLE_TOLERANCE_DEG = 0.1
_DIRECT_WITHIN_DB = 3.0
_LEAST_LENGTH_M = 1.0
_OFF_LINE_M = 0.2
_SAME_CARRIER = 0.01
_CARRIER_STEP_HZ = 1e8


def place(points: Points, carrier_hz: float | None, ue_height_m: float, where: str) -> Rays:
    """Return rays with positions, on a straight route; the base station is above the origin.

    Phases are those of the file, which rise with the delay and are negated, if the carrier is the file's own; for
    another one they are -2 pi f tau.

    Parameters
    ----------
    points
        What the file has.
    carrier_hz
        Carrier of the gains; None for the one whose loss in free space the direct paths have, to 0.1 GHz.
    ue_height_m
        Height of the first point.
    where
        Name of the file, in errors and in the rays.

    Raises
    ------
    InputError
        If no two direct paths tell where the route is, or it is not straight.
    """
    excess_db = _excess_db(points)
    straight = _is_straight(points)
    if not straight.any():
        raise InputError(where, "has no direct path (with opposite angles at both ends), so that it cannot be placed")
    own_hz = _CARRIER_STEP_HZ * round(10 ** (-excess_db[straight].max() / 20) / (4 * np.pi) / _CARRIER_STEP_HZ)
    direct = straight & (excess_db > excess_db[straight].max() - _DIRECT_WITHIN_DB)
    base_station_m, position_m = _line(points, direct, ue_height_m, where)
    used_hz = carrier_hz or own_hz
    phase_rad = -points.columns["phase_rad"]
    if abs(used_hz / own_hz - 1) > _SAME_CARRIER:
        phase_rad = -2 * np.pi * ((used_hz * points.columns["delay_s"]) % 1)
    along_m = np.sqrt(np.sum((position_m - position_m[0]) ** 2, axis=1))
    x_m, y_m, z_m = position_m.T.copy()
    paths = points.columns | {"phase_rad": phase_rad, "direct": direct.astype(np.float64)}
    source = f"imported from {printable(where)}"[:MOST_TITLE]
    return Rays(base_station_m, used_hz, along_m, x_m, y_m, z_m, points.first, source=source, **paths)


def _excess_db(points: Points) -> Floats:
    """Return gain over squared delay of each path [m], dB re 1/s^2; the highest, where nothing is in the way."""
    with np.errstate(divide="ignore"):
        excess_db: Floats = points.columns["gain_db"] + 20 * np.log10(points.columns["delay_s"])
    return excess_db


def _is_straight(points: Points) -> NDArray[np.bool_]:
    """Return which paths [m] arrive from the direction opposite to that in which they left."""
    c = points.columns
    turned = (c["departure_azimuth_deg"] - c["arrival_azimuth_deg"]) % 360 - 180
    lifted = c["departure_elevation_deg"] + c["arrival_elevation_deg"]
    near: NDArray[np.bool_] = (np.abs(turned) < _ANGLE_TOLERANCE_DEG) & (np.abs(lifted) < _ANGLE_TOLERANCE_DEG)
    return near & (c["delay_s"] > 0)


def _line(points: Points, direct: NDArray[np.bool_], ue_height_m: float, where: str) -> tuple[Point, Floats]:
    """Return the base station and the positions [n, 3], m, on the line that fits the ends of the direct paths."""
    c = points.columns
    n = len(points.first) - 1
    of = np.repeat(np.arange(n), np.diff(points.first))[direct]
    azimuth = np.radians(c["departure_azimuth_deg"][direct])
    elevation = np.radians(c["departure_elevation_deg"][direct])
    length_m = LIGHT_MPS * c["delay_s"][direct]
    ends = np.stack(
        [np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)], axis=-1
    ) * length_m[:, None]  # fmt: skip
    if len(np.unique(of)) < 2:
        raise InputError(where, "has a direct path at one point only; two are needed to place the route")
    design = np.stack([np.ones(len(of)), of], axis=-1)
    (start, step), *_ = np.linalg.lstsq(design, ends, rcond=None)
    off_m = np.sqrt(np.sum((design @ np.stack([start, step]) - ends) ** 2, axis=1)).max()
    apart_m = float(np.sqrt(step @ step)) * (of.max() - of.min())
    if off_m > _OFF_LINE_M or apart_m < _LEAST_LENGTH_M:
        problem = f"has direct paths over {digits(round(apart_m, 3))} m, up to {digits(round(off_m, 3))} m off a line"
        rule = f"at least {digits(_LEAST_LENGTH_M)} m and at most {digits(_OFF_LINE_M)} m are needed to place it"
        raise InputError(where, f"{problem}; {rule}")
    base_station_m = (0.0, 0.0, float(ue_height_m - start[2]))
    position_m: Floats = start + np.arange(n)[:, None] * step + np.array(base_station_m)
    return base_station_m, position_m
