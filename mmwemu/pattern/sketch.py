"""A pattern reduced to columns of equal length, and small pictures of it: for a terminal, and as SVG."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mmwemu.core import figure
from mmwemu.core.units import mbps
from mmwemu.pattern.measures import step_lengths_s
from mmwemu.pattern.model import Floats, Pattern

BLOCKS = "▁▂▃▄▅▆▇█│└─"
"""What pictures in text have beyond ASCII."""
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_HALVES = " .#"
_LABEL = 9
_SVG_COLUMNS = 240
_SVG_HEIGHT = 60


@dataclass(frozen=True)
class Columns:
    """Mean rate of each column [n], bit/s, its share of outage [n], and the rate at the top of the picture, bit/s."""

    rate_bps: Floats
    outage: Floats
    top_bps: float


def columns(pattern: Pattern, rate_bps: Floats, n: int) -> Columns:
    """Return ``n`` columns of the rate of one direction, over one pass of the pattern.

    Unlimited rates are drawn as high as the highest other rate. The top is the highest mean of a column.
    """
    finite = rate_bps[np.isfinite(rate_bps)]
    drawn = np.minimum(rate_bps, float(finite.max(initial=0.0)) or 1.0)
    edges = np.linspace(0.0, pattern.duration_s, n + 1)
    times = np.append(pattern.time_s, pattern.duration_s)

    def means(values: Floats) -> Floats:
        integral = np.append(0.0, np.cumsum(values * step_lengths_s(pattern)))
        found: Floats = np.diff(np.interp(edges, times, integral)) / np.diff(edges)
        return found

    heights = np.maximum(means(drawn), 0.0)
    return Columns(heights, means((rate_bps == 0).astype(np.float64)), float(heights.max()) or 1.0)


def in_text(pattern: Pattern, rate_bps: Floats, width: int, height: int, *, blocks: bool) -> list[str]:
    """Return a picture of one direction's rate in characters.

    Parameters
    ----------
    pattern, rate_bps
        The pattern, and the rate of the direction [n_step].
    width, height
        Characters in a line, at least 40, and lines above the axis.
    blocks
        Whether the block elements of Unicode may be used; else ASCII alone.
    """
    bar, corner, line, levels = ("│", "└", "─", _EIGHTHS) if blocks else ("|", "+", "-", _HALVES)
    found = columns(pattern, rate_bps, width - _LABEL - 2)
    top = next(text for digits in (4, 3) if len(text := f"{mbps(found.top_bps):.{digits}g}") <= _LABEL)
    steps = len(levels) - 1
    filled = np.ceil(found.rate_bps / found.top_bps * height * steps - 1e-9).astype(int)
    lines = []
    for row in range(height - 1, -1, -1):
        cells = "".join(levels[level] for level in np.clip(filled - row * steps, 0, steps).tolist())
        lines.append(f"{top if row == height - 1 else '':>{_LABEL}} {bar}{cells}".rstrip())
    axis = "".join("x" if share else line for share in (found.outage > 1e-9).tolist())
    lines.append(f"{'0':>{_LABEL}} {corner}{axis}")
    end = f"{pattern.duration_s:g} s"
    lines.append(f"{'':{_LABEL + 2}}{'0 s':<{len(axis) - len(end)}}{end}")
    return lines


def in_svg(pattern: Pattern) -> str:
    """Return a picture of the downlink's rate as SVG; outages are red."""
    found = columns(pattern, pattern.downlink.rate_bps, _SVG_COLUMNS)
    heights = (_SVG_HEIGHT * (1 - found.rate_bps / found.top_bps)).round(1)
    path = f"M0 {_SVG_HEIGHT}" + "".join(f"V{height:g}H{x}" for x, height in enumerate(heights.tolist(), 1))
    edges = np.flatnonzero(np.diff(np.concatenate([[0], found.outage > 0.5, [0]])))
    boxes = "".join(
        f'<rect x="{start}" width="{stop - start}" height="{_SVG_HEIGHT}" fill="{figure.RED}" opacity="0.3"/>\n'
        for start, stop in edges.reshape(-1, 2).tolist()
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SVG_COLUMNS} {_SVG_HEIGHT}" '
        f'width="{_SVG_COLUMNS}" height="{_SVG_HEIGHT}">\n'
        f'{boxes}<path d="{path}V{_SVG_HEIGHT}Z" fill="{figure.BLUE}" opacity="0.85"/>\n'
        f'<path d="M0 {_SVG_HEIGHT}H{_SVG_COLUMNS}" stroke="{figure.GREY}"/>\n</svg>\n'
    )
