"""Rays of known geometry: the direct path, and one that a wall mirrors."""

import numpy as np

from mmwemu.core.units import LIGHT_MPS
from mmwemu.rays.model import PATH_RANGES, Rays
from mmwemu.scenario.model import MmwaveRadio, Scenario, Waypoint

BASE_M = (0.0, 0.0, 10.0)


def walk(start_m=(60.0, -5.0, 1.5), end_m=(60.0, 5.0, 1.5), duration_s=2.0, carrier_hz=28e9):
    """Return a scenario without boxes: a straight walk at constant speed."""
    return Scenario(
        name="walk",
        duration_s=duration_s,
        base_station_m=BASE_M,
        route=(Waypoint(0.0, start_m), Waypoint(duration_s, end_m)),
        mmwave=MmwaveRadio(carrier_hz=carrier_hz),
    )


def path(source_m, ue_m, carrier_hz, loss_db=0.0, mirrored=False):
    """Return the columns of a path in free space from ``source_m``, for the mirror image of the base station in x."""
    away = np.subtract(ue_m, source_m)
    length_m = np.sqrt(away @ away)
    delay_s = length_m / LIGHT_MPS
    out = away / length_m
    leaves = out * (-1, 1, 1) if mirrored else out
    return {
        "delay_s": delay_s,
        "gain_db": -20 * np.log10(4 * np.pi * carrier_hz * delay_s) - loss_db,
        "phase_rad": -2 * np.pi * (carrier_hz * delay_s % 1) + np.pi * mirrored,
        "departure_azimuth_deg": np.degrees(np.arctan2(leaves[1], leaves[0])),
        "departure_elevation_deg": np.degrees(np.arcsin(leaves[2])),
        "arrival_azimuth_deg": np.degrees(np.arctan2(-out[1], -out[0])),
        "arrival_elevation_deg": np.degrees(np.arcsin(-out[2])),
        "direct": float(not mirrored and loss_db == 0),
    }


def make(scenario=None, step_m=0.1, hidden=lambda along_m: False, wall_x_m=None, loss_db=6.0):
    """Return the rays of a walk: the direct path except where it is hidden, and that by a wall at ``wall_x_m``."""
    scenario = scenario or walk()
    start, end = (np.array(w.position_m) for w in scenario.route)
    length_m = float(np.linalg.norm(end - start))
    along_m = np.linspace(0, length_m, round(length_m / step_m) + 1)
    where = start + np.outer(along_m / length_m, end - start)
    base, carrier_hz = np.array(scenario.base_station_m), scenario.mmwave.carrier_hz
    points = []
    for way, ue in zip(along_m, where, strict=True):
        points.append([] if hidden(way) else [path(base, ue, carrier_hz)])
        if wall_x_m is not None:
            image = base * (-1, 1, 1) + (2 * wall_x_m, 0, 0)
            points[-1].append(path(image, ue, carrier_hz, loss_db, mirrored=True))
    paths = [one for point in points for one in point]
    columns = {name: np.array([one[name] for one in paths], dtype=float) for name in PATH_RANGES}
    first = np.concatenate([[0], np.cumsum([len(point) for point in points])]).astype(np.int64)
    x_m, y_m, z_m = where.T.copy()
    return Rays(scenario.base_station_m, carrier_hz, along_m, x_m, y_m, z_m, first, source="made", **columns)


def eight_lines(rays):
    """Write rays as the public ns3-mmwave module reads them: phases rise with the delay, lines end in a comma."""
    names = ("gain_db", "phase_rad", "departure_elevation_deg", "departure_azimuth_deg", "arrival_elevation_deg",
             "arrival_azimuth_deg")  # fmt: skip
    lines = []
    for first, end in zip(rays.first, rays.first[1:], strict=False):
        columns = [rays.delay_s[first:end] * 1e9, *(getattr(rays, name)[first:end] for name in names)]
        columns[2] = -columns[2]
        lines.append(str(end - first))
        lines += ["".join(f"{value:.9g}," for value in values) for values in columns]
    return "\n".join(lines) + "\n"
