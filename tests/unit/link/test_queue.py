import math

import pytest

from mmwemu.core.errors import InputError
from mmwemu.link.queue import Limit, limit
from mmwemu.link.settings import LinkSettings


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, Limit(1_500_000, 0)),
        ({"queue_bytes": 9000}, Limit(9000, 0)),
        ({"queue_packets": 100}, Limit(0, 100)),
        ({"queue_s": 0.05}, Limit(75_000, 0)),  # 12 Mbit/s in the mean
        ({"queue_bdp": 2.0}, Limit(90_000, 0)),  # times 2 * (11 + 4) ms
        ({"queue_s": 1e-6}, Limit(1500, 0)),
    ],
)
def test_sizes_become_bytes_or_packets(make_pattern, asked, expected):
    pattern = make_pattern([8e6, 16e6], delay_s=0.004)
    assert limit(LinkSettings(pattern, **asked), pattern.uplink) == expected


def test_a_time_at_an_unlimited_rate_is_no_size(make_pattern):
    pattern = make_pattern([8e6, math.inf])
    for name in ("queue_s", "queue_bdp"):
        with pytest.raises(InputError, match=f"link: {name}: needs a rate, and the pattern's is unlimited"):
            limit(LinkSettings(pattern, **{name: 1.0}), pattern.downlink)
