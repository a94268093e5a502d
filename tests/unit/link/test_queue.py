import math
from dataclasses import replace

import pytest

from mmwemu.core.errors import InputError
from mmwemu.link.queue import Queue, resolve
from mmwemu.link.settings import LinkSettings
from tests.patterns import make_pattern


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, Queue("drop-tail", 1_500_000, 0)),
        ({"queue_bytes": 9000}, Queue("drop-tail", 9000, 0)),
        ({"queue_packets": 100}, Queue("drop-tail", 0, 100)),
        ({"queue_s": 0.05}, Queue("drop-tail", 75_000, 0)),  # 12 Mbit/s in the mean
        ({"queue_bdp": 2.0}, Queue("drop-tail", 90_000, 0)),  # times 2 * (11 + 4) ms
        ({"queue_s": 1e-6}, Queue("drop-tail", 1500, 0)),
    ],
)
def test_sizes_become_bytes_or_packets(asked, expected):
    pattern = make_pattern([8e6, 16e6], delay_s=0.004)
    assert resolve(LinkSettings(pattern, **asked), "uplink") == expected


def test_each_direction_has_the_size_of_its_own_rate():
    slow = make_pattern([8e6]).uplink
    pattern = replace(make_pattern([80e6]), uplink=slow)
    settings = LinkSettings(pattern, queue_s=0.1, aqm="codel")
    assert resolve(settings, "downlink") == Queue("codel", 1_000_000, 0)
    assert resolve(settings, "uplink") == Queue("codel", 100_000, 0)


def test_a_time_at_an_unlimited_rate_is_no_size():
    pattern = make_pattern([8e6, math.inf])
    for name in ("queue_s", "queue_bdp"):
        with pytest.raises(InputError, match=f"link: {name}: needs a rate, and the pattern's is unlimited"):
            resolve(LinkSettings(pattern, **{name: 1.0}), "downlink")
        with pytest.raises(InputError, match=f"link: uplink_{name}: needs a rate, and the pattern's is unlimited"):
            resolve(LinkSettings(pattern, **{f"uplink_{name}": 1.0}), "uplink")


@pytest.mark.parametrize(
    ("asked", "uplink"),
    [
        ({}, Queue("drop-tail", 0, 7)),
        ({"uplink_queue_bytes": 9000}, Queue("drop-tail", 9000, 0)),
        ({"uplink_queue_packets": 100}, Queue("drop-tail", 0, 100)),
        ({"uplink_queue_s": 0.1}, Queue("drop-tail", 100_000, 0)),
        ({"uplink_queue_bdp": 2.0}, Queue("drop-tail", 44_000, 0)),  # of 8 Mbit/s times 2 * 11 ms
        ({"uplink_aqm": "pie"}, Queue("pie", 0, 7)),
        ({"uplink_aqm": "pie", "uplink_queue_bytes": 9000}, Queue("pie", 9000, 0)),
    ],
)
def test_the_uplink_may_have_a_queue_of_its_own(asked, uplink):
    settings = LinkSettings(make_pattern([8e6]), queue_packets=7, **asked)
    assert resolve(settings, "uplink") == uplink
    assert resolve(settings, "downlink") == Queue("drop-tail", 0, 7)
