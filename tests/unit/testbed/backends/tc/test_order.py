"""What a process of its own is told to replay."""

import math

from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.backends.tc.order import decode, encode
from tests.patterns import make_pattern


def test_an_order_comes_through_whole():
    pattern = make_pattern([1e6, math.inf, 0], delay_s=0.01, loss=0.1, outage="drop", end="stop")
    settings = LinkSettings(pattern, start="now", start_at_s=0.2, seed=7)
    again, mode = decode(encode(settings, "netem-rate"))
    assert mode == "netem-rate"
    assert (again.start, again.start_at_s, again.seed, again.pattern.end, again.pattern.outage) == (
        "now", 0.2, 7, "stop", "drop",
    )  # fmt: skip
    assert again.pattern.uplink.rate_bps.tolist() == [1e6, math.inf, 0]
    assert again.pattern.downlink.loss.tolist() == [0.1] * 3
