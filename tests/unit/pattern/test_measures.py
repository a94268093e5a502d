import numpy as np
import pytest

from mmwemu.pattern import measures
from mmwemu.pattern.model import Direction, Pattern


@pytest.fixture
def pattern():
    """Give 1 s at 8 Mbit/s, 2 s of outage and 1 s at 4 Mbit/s; the uplink has half of it and no outage."""
    down, up = np.array([8e6, 0.0, 4e6]), np.array([4e6, 1e6, 2e6])
    nothing = np.zeros(3)
    directions = Direction(down, nothing, nothing), Direction(up, nothing, nothing)
    return Pattern(np.array([0.0, 1.0, 3.0]), 4.0, *directions, outage="drop", end="hold", meta={"rat": "lte"})


def test_key_figures_of_a_pattern(pattern):
    assert measures.summary(pattern) == {
        "duration_s": 4.0,
        "steps": 3,
        "outage": "drop",
        "end": "hold",
        "mean_rate_bps": {"downlink": 3e6, "uplink": 2e6},
        "min_rate_bps": {"downlink": 0.0, "uplink": 1e6},
        "max_rate_bps": {"downlink": 8e6, "uplink": 4e6},
        "outage_s": {"downlink": 2.0, "uplink": 0.0},
        "source": {"rat": "lte"},
    }


def test_the_last_step_lasts_to_the_end(pattern):
    assert measures.step_lengths_s(pattern).tolist() == [1.0, 2.0, 1.0]


def test_an_unlimited_step_makes_the_mean_unlimited(pattern):
    assert measures.mean_rate_bps(pattern, np.array([1.0, np.inf, 0.0])) == np.inf
