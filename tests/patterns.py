"""Patterns for tests."""

from typing import Any

import numpy as np

from mmwemu.pattern.model import Direction, Pattern


def make_pattern(rates_bps: Any, *, step_s: float = 0.5, delay_s: Any = 0.0, loss: float = 0.0, effects: Any = None,
                 times_s: Any = None, **options: Any) -> Pattern:  # fmt: skip
    """Make a pattern with the same two directions; the last of ``times_s`` is its end."""
    n = len(rates_bps)
    more = {name: np.full(n, value) for name, value in (effects or {}).items()}
    delays_s = np.broadcast_to(np.asarray(delay_s, dtype=float), n).copy()
    direction = Direction(np.array(rates_bps, dtype=float), delays_s, np.full(n, loss), **more)
    edges_s = np.arange(n + 1) * step_s if times_s is None else np.asarray(times_s, dtype=float)
    return Pattern(edges_s[:-1], float(edges_s[-1]), direction, direction, **options)
