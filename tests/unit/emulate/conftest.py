import numpy as np
import pytest

from mmwemu.pattern.model import Direction, Pattern


@pytest.fixture
def make_pattern():
    """Give a maker of patterns with the same two directions."""

    def make(rates_bps, *, step_s=0.5, delay_s=0.0, loss=0.0, **options):
        n = len(rates_bps)
        direction = Direction(np.array(rates_bps, dtype=float), np.full(n, delay_s), np.full(n, loss))
        return Pattern(np.arange(n) * step_s, n * step_s, direction, direction, **options)

    return make
