"""Rays dataclass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.bounds import FARTHEST_M
from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.scenario.model import Point

Floats = NDArray[np.float64]
MOST_POINTS = 100_000
MOST_PATHS = 5_000_000
MOST_PATHS_OF_POINT = 10_000
LOWEST_CARRIER_HZ, HIGHEST_CARRIER_HZ = 0.5e9, 1e11

_TURN_DEG = 360.0
POINT_RANGES = {
    "along_m": (0.0, FARTHEST_M),
    "x_m": (-FARTHEST_M, FARTHEST_M),
    "y_m": (-FARTHEST_M, FARTHEST_M),
    "z_m": (-FARTHEST_M, FARTHEST_M),
}
"""Lowest and highest value of the columns with one number for each point."""

PATH_RANGES = {
    "delay_s": (0.0, 1e-3),
    "gain_db": (-500.0, 50.0),
    "phase_rad": (-1e6, 1e6),
    "departure_azimuth_deg": (-_TURN_DEG, _TURN_DEG),
    "departure_elevation_deg": (-90.0, 90.0),
    "arrival_azimuth_deg": (-_TURN_DEG, _TURN_DEG),
    "arrival_elevation_deg": (-90.0, 90.0),
    "direct": (0.0, 1.0),
}
"""Lowest and highest value of the columns with one number for each path."""


@dataclass(frozen=True)
class Rays:
    """The paths from a base station to the points of a route, in isotropic antennas at both ends.

    Attributes
    ----------
    base_station_m
        Position of the base station.
    carrier_hz
        Carrier frequency of gains and phases.
    along_m
        Distance of each point from the start of the route, measured along it [n], m; from 0, rising strictly.
    x_m, y_m, z_m
        Position of each point [n], m.
    first
        Index of the first path of each point, and the number of all paths [n + 1].
    delay_s
        Delay of each path [m], s.
    gain_db
        Received over transmitted power of each path [m], dB.
    phase_rad
        Phase of the carrier over each path at its point [m], rad; a longer path has a lower phase.
    departure_azimuth_deg, departure_elevation_deg
        Direction in which each path leaves the base station [m], degrees: azimuth from the x axis towards the y axis,
        elevation above the horizon.
    arrival_azimuth_deg, arrival_elevation_deg
        Direction from which each path comes to the UE [m], likewise.
    direct
        1 for the direct path with nothing in its way, 0 for every other path [m].
    source
        How they were made, in one line.
    """

    base_station_m: Point
    carrier_hz: float
    along_m: Floats
    x_m: Floats
    y_m: Floats
    z_m: Floats
    first: NDArray[np.int64]
    delay_s: Floats
    gain_db: Floats
    phase_rad: Floats
    departure_azimuth_deg: Floats
    departure_elevation_deg: Floats
    arrival_azimuth_deg: Floats
    arrival_elevation_deg: Floats
    direct: Floats
    source: str = ""

    def __post_init__(self) -> None:
        n = len(self.along_m)
        if not 1 <= n <= MOST_POINTS:
            raise InputError("rays", f"have {n} points; must have 1 to {MOST_POINTS}")
        if self.first.shape != (n + 1,) or self.first[0] != 0 or np.any(np.diff(self.first) < 0):
            raise InputError("rays: first", "must rise from 0, one for each point and one for the end")
        counts = np.diff(self.first)
        if counts.max() > MOST_PATHS_OF_POINT or self.first[-1] > MOST_PATHS:
            point = int(counts.argmax())
            raise InputError(
                "rays", f"have {counts[point]} paths at point {point + 1}, {self.first[-1]} in all; must have at most"
                f" {MOST_PATHS_OF_POINT} and {MOST_PATHS}"
            )  # fmt: skip
        for ranges, length in ((POINT_RANGES, n), (PATH_RANGES, int(self.first[-1]))):
            for name, (least, most) in ranges.items():
                self._check(name, getattr(self, name), length, least, most)
        if self.along_m[0] != 0 or np.any(np.diff(self.along_m) <= 0):
            raise InputError("rays: along_m", "must start at 0 and rise strictly")
        if not LOWEST_CARRIER_HZ <= self.carrier_hz <= HIGHEST_CARRIER_HZ:
            rule = f"{digits(LOWEST_CARRIER_HZ)} to {digits(HIGHEST_CARRIER_HZ)}"
            raise InputError("rays: carrier_hz", f"is {digits(self.carrier_hz)}; must be from {rule}")

    def _check(self, name: str, values: Floats, length: int, least: float, most: float) -> None:
        if values.shape != (length,):
            raise InputError(f"rays: {name}", f"has {values.size} values; must have {length}")
        bad = np.flatnonzero(~((values >= least) & (values <= most)))
        if bad.size:
            at = int(bad[0])
            point = at if name in POINT_RANGES else int(np.searchsorted(self.first, at, side="right")) - 1
            problem = f"is {digits(values[at])} at point {point + 1}; must be from {digits(least)} to {digits(most)}"
            raise InputError(f"rays: {name}", problem, point)

    @property
    def position_m(self) -> Floats:
        """Position of each point [n, 3], m."""
        return np.stack([self.x_m, self.y_m, self.z_m], axis=-1)

    @property
    def path_point(self) -> NDArray[np.int64]:
        """Index of the point of each path [m]."""
        return np.repeat(np.arange(len(self.along_m)), np.diff(self.first))

    @property
    def los(self) -> NDArray[np.bool_]:
        """Whether each point has a direct path [n]."""
        return np.bincount(self.path_point, weights=self.direct, minlength=len(self.along_m)) > 0

    @property
    def received_db(self) -> Floats:
        """Sum of the gains of a point's paths, each [n], dB; -inf where there are none."""
        power = np.bincount(self.path_point, weights=10 ** (self.gain_db / 10), minlength=len(self.along_m))
        with np.errstate(divide="ignore"):
            return 10 * np.log10(power)
