"""Key figures of rays."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmwemu.rays.model import Rays


def of(rays: Rays) -> dict[str, Any]:
    """Return key figures by name; ranges are lists of the lowest, the middle and the highest value of the points."""
    counts = np.diff(rays.first)
    lit = counts > 0
    return {
        "source": rays.source,
        "base_station_m": list(rays.base_station_m),
        "carrier_hz": rays.carrier_hz,
        "points": len(rays.along_m),
        "length_m": float(rays.along_m[-1]),
        "largest_step_m": float(np.diff(rays.along_m).max()) if len(rays.along_m) > 1 else None,
        "paths_of_a_point": [int(counts.min()), float(np.median(counts)), int(counts.max())],
        "points_without_paths": int((~lit).sum()),
        "los_share": float(rays.los.mean()),
        "los_changes": int(np.count_nonzero(np.diff(rays.los.astype(int)))),
        "received_db": np.quantile(rays.received_db[lit], (0.0, 0.5, 1.0)).tolist() if lit.any() else None,
    }
