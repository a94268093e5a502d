"""Arithmetic on patterns: pure functions."""

from __future__ import annotations

import numpy as np

from mmwemu.pattern.model import Floats, Pattern


def step_lengths_s(pattern: Pattern) -> Floats:
    """Give how long each step lasts [n], s."""
    return np.diff(np.append(pattern.time_s, pattern.duration_s))


def mean_rate_bps(pattern: Pattern, rate_bps: Floats) -> float:
    """Give the mean over one pass of the pattern of ``rate_bps`` [n], bit/s; inf where a step is unlimited."""
    return float(np.sum(rate_bps * step_lengths_s(pattern)) / pattern.duration_s)


def outage_s(pattern: Pattern, rate_bps: Floats) -> float:
    """Give how long the rate is 0 in one pass, s."""
    return float(step_lengths_s(pattern)[rate_bps == 0].sum())


def summary(pattern: Pattern) -> dict[str, object]:
    """Describe a pattern with a few figures, as ``mmwemu pattern show`` prints them."""
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
