"""Key figures of a pattern: pure functions."""

from __future__ import annotations

import numpy as np

from mmwemu.core.units import mbps
from mmwemu.pattern.model import Floats, Pattern


def step_lengths_s(pattern: Pattern) -> Floats:
    """Return the length of each step [n], s."""
    return np.diff(np.append(pattern.time_s, pattern.duration_s))


def mean_rate_bps(pattern: Pattern, rate_bps: Floats) -> float:
    """Return the mean of ``rate_bps`` [n] over one pass of the pattern, bit/s; inf if a step is unlimited."""
    return float(np.sum(rate_bps * step_lengths_s(pattern)) / pattern.duration_s)


def outage_s(pattern: Pattern, rate_bps: Floats) -> float:
    """Return the total time of rate 0 in one pass, s."""
    return float(step_lengths_s(pattern)[rate_bps == 0].sum())


KEY_FIGURES = ("method", "steps", "mean", "least", "most", "outages", "outage [s]")
"""The head of a table of `key_figures`."""


def key_figures(pattern: Pattern) -> tuple[str, ...]:
    """Return the key figures of the downlink as texts, rates in Mbit/s."""
    rate_bps = pattern.downlink.rate_bps
    conversion = pattern.meta.get("conversion")
    method = str(conversion.get("method", "")) if isinstance(conversion, dict) else ""
    outages = np.count_nonzero(np.diff((rate_bps == 0).astype(int), prepend=0) > 0)
    rates = (mean_rate_bps(pattern, rate_bps), float(rate_bps.min()), float(rate_bps.max()))
    return (
        method,
        str(len(pattern.time_s)),
        *(f"{mbps(value):.1f}" for value in rates),
        str(outages),
        f"{outage_s(pattern, rate_bps):.4g}",
    )


def summary(pattern: Pattern) -> dict[str, object]:
    """Return the key figures of a pattern, as ``mmwemu pattern show`` prints them."""
    directions = {"downlink": pattern.downlink, "uplink": pattern.uplink}
    return {
        "duration_s": pattern.duration_s,
        "steps": len(pattern.time_s),
        "outage": pattern.outage,
        "end": pattern.end,
        "mean_rate_bps": {name: mean_rate_bps(pattern, d.rate_bps) for name, d in directions.items()},
        "min_rate_bps": {name: float(d.rate_bps.min()) for name, d in directions.items()},
        "max_rate_bps": {name: float(d.rate_bps.max()) for name, d in directions.items()},
        "outage_s": {name: outage_s(pattern, d.rate_bps) for name, d in directions.items()},
        "source": dict(pattern.meta),
    }
