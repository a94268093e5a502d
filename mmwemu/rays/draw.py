"""Map of rays: scene, route and received power."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mmwemu.core import figure
from mmwemu.rays.model import Floats, Rays

_MARGIN = 0.25
_LEAST_MARGIN_M = 20.0
_ABOVE_GROUND_M = 1.0
_MOST_TRIANGLES = 50_000


@figure.styled
def plot(rays: Rays, path: Path, surfaces_m: Floats | None = None, title: str = "") -> None:
    """Draw base station and route from above, the route coloured by power; below it, power and paths along the route.

    Parameters
    ----------
    rays
        What is drawn.
    path
        The picture.
    surfaces_m
        Triangles of the scene, the positions of their corners [n, 3, 3], m; None where there is no scene.
    title
        Above the map.

    Raises
    ------
    MmwemuError
        If the file cannot be written.
    """
    drawing, (above, below) = figure.new(6.5, 7.5, rows=2, height_ratios=[2.2, 1])
    x, y, z = rays.base_station_m
    (left, right), (low, high) = (_around(np.append(axis, at)) for axis, at in ((rays.x_m, x), (rays.y_m, y)))
    if surfaces_m is not None:
        _draw_surfaces(above, surfaces_m, (left, right), (low, high))
    lit = np.isfinite(rays.received_db)
    shown = above.scatter(
        rays.x_m[lit], rays.y_m[lit], c=rays.received_db[lit], s=10, cmap="viridis", zorder=3, label="UE route"
    )
    drawing.colorbar(shown, ax=above, label="received over sent power [dB]")
    if not lit.all():
        above.scatter(rays.x_m[~lit], rays.y_m[~lit], s=10, color=figure.RED, zorder=3, label="no path")
    label = f"base station, {z:g} m high"
    above.plot(x, y, marker="^", markersize=11, color="black", linestyle="", label=label, zorder=4)
    above.set(xlim=(left, right), ylim=(low, high), xlabel="x [m]", ylabel="y [m]", title=title, aspect="equal")
    above.legend(loc="best", fontsize=8, frameon=True)
    _draw_along(below, rays)
    figure.save(drawing, path)


def _around(values: Floats) -> tuple[float, float]:
    margin = max(_LEAST_MARGIN_M, _MARGIN * float(np.ptp(values)))
    return float(values.min() - margin), float(values.max() + margin)


def _draw_surfaces(axes: object, surfaces_m: Floats, x: tuple[float, float], y: tuple[float, float]) -> None:
    """Draw what stands above the ground and within view, the higher the darker."""
    from matplotlib.collections import PolyCollection

    top_m = surfaces_m[:, :, 2].max(axis=1)
    seen = top_m > top_m.min(initial=0.0) + _ABOVE_GROUND_M
    for axis, (low, high) in ((0, x), (1, y)):
        seen &= (surfaces_m[:, :, axis].max(axis=1) > low) & (surfaces_m[:, :, axis].min(axis=1) < high)
    order = np.flatnonzero(seen)[np.argsort(top_m[seen], kind="stable")][-_MOST_TRIANGLES:]
    polygons = list(surfaces_m[order][:, :, :2])
    collection = PolyCollection(polygons, array=top_m[order], cmap="Greys", zorder=1, linewidths=0.2)
    highest_m = top_m[order].max(initial=1.0)
    collection.set_clim(-0.4 * highest_m, 2.2 * highest_m)
    collection.set_edgecolor("face")
    axes.add_collection(collection)  # type: ignore[attr-defined]


def _draw_along(axes: object, rays: Rays) -> None:
    """Draw received power along the route, with and without a direct path, and the number of paths."""
    received_db = np.where(np.isfinite(rays.received_db), rays.received_db, np.nan)
    for seen, colour, label in ((True, figure.BLUE, "LOS"), (False, figure.ORANGE, "NLOS")):
        here = np.where(rays.los == seen, received_db, np.nan)
        axes.plot(rays.along_m, here, color=colour, label=label, marker=".", markersize=2)  # type: ignore[attr-defined]
    axes.set(xlabel="way along the route [m]", ylabel="power [dB]")  # type: ignore[attr-defined]
    paths = axes.twinx()  # type: ignore[attr-defined]
    paths.plot(rays.along_m, np.diff(rays.first), color=figure.GREY, linewidth=0.7, label="paths")
    paths.set(ylabel="paths")
    paths.grid(False)
    handles = [*axes.get_lines()[:2], paths.get_lines()[0]]  # type: ignore[attr-defined]
    axes.legend(handles=handles, loc="best", fontsize=8, frameon=True)  # type: ignore[attr-defined]
