"""Ray files of the public ns3-mmwave module: eight lines for each point of a straight route.

The lines are the number of paths, and for each path its delay [ns], power [dB], phase [rad], departure elevation and
azimuth, arrival elevation and azimuth [degrees]; numbers are parted by commas, and a comma may end a line.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.core.text import check_lines, read_text, shown
from mmwemu.core.units import NS_PER_S
from mmwemu.rays.model import MOST_POINTS, Floats

_LINES = 8
_COLUMNS = ("delay_s", "gain_db", "phase_rad", "departure_elevation_deg", "departure_azimuth_deg",
            "arrival_elevation_deg", "arrival_azimuth_deg")  # fmt: skip
_NAMES = ("delays", "powers", "phases", "departure elevations", "departure azimuths", "arrival elevations",
          "arrival azimuths")  # fmt: skip


@dataclass(frozen=True)
class Points:
    """The paths of each point as the file has them, delays in s.

    Attributes
    ----------
    first
        Index of the first path of each point, and the number of all paths [n + 1].
    columns
        One array [m] for each column of paths in `mmwemu.rays.model.Rays` but ``direct``.
    """

    first: np.ndarray[tuple[int], np.dtype[np.int64]]
    columns: dict[str, Floats]


def load(path: Path) -> Points:
    """Read a file.

    Raises
    ------
    InputError
        With the line and the rule that it breaks.
    """
    text = read_text(path)
    check_lines(text, str(path))
    lines = text.removesuffix("\n").split("\n")
    if len(lines) % _LINES:
        rule = f"must have {_LINES} for each point: a number of paths, {', '.join(_NAMES)}"
        raise InputError(str(path), f"has {len(lines)} lines; {rule}")
    n = len(lines) // _LINES
    if n > MOST_POINTS:
        raise InputError(str(path), f"has {n} points; must have at most {MOST_POINTS}")
    counts = np.array([_count(lines[i * _LINES], f"{path}: line {i * _LINES + 1}") for i in range(n)], dtype=np.int64)
    columns: dict[str, Floats] = {}
    for k, column in enumerate(_COLUMNS, 1):
        parts = [_numbers(lines, i * _LINES + k, int(counts[i]), _NAMES[k - 1], path) for i in range(n)]
        columns[column] = np.concatenate(parts)
    columns["delay_s"] = columns["delay_s"] / NS_PER_S
    return Points(np.concatenate([[0], np.cumsum(counts)]), columns)


def _count(line: str, where: str) -> int:
    text = line.strip().removesuffix(",")
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise InputError(where, f"is {shown(line)}; must be the number of paths of a point")
    return int(text)


def _numbers(lines: list[str], at: int, count: int, what: str, path: Path) -> Floats:
    text = lines[at].strip().removesuffix(",")
    try:
        values = np.array([float(cell) for cell in text.split(",")] if text else [], dtype=np.float64)
    except ValueError:
        values = np.full(count, np.nan)
    if len(values) != count or not np.all(np.isfinite(values)) or "_" in text:
        raise InputError(f"{path}: line {at + 1}", f"is {shown(lines[at])}; must be {count} {what}, parted by commas")
    return values
