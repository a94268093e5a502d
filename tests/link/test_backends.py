"""Backends tun and tc over the same patterns: the bytes that come in every 100 ms."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from mmwemu.core.errors import MissingError
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern import library
from mmwemu.pattern.capacity import capacity_bytes
from mmwemu.pattern.convert import constant
from mmwemu.pattern.model import Direction
from mmwemu.testbed.backends.tc import tbf
from tests.testbeds import replaying

pytestmark = pytest.mark.link

SHAPES = ("s1-long-nlos", "s2-crossings", "s3-people-and-trees", "s4-outage")
BIN_S = 0.1
STEP_S = 0.005  # how near a bin a step is that shows in it
PACKET_BYTES = 1400
LEAST_PLAIN = 0.7  # of the bins must agree whatever late the links were


def scaled(name, peak_bps, duration_s):
    """Give a shipped pattern with the highest rate and the length that are asked for."""
    pattern = library.load(f"{name}.mmwave")
    time_scale = duration_s / pattern.duration_s
    rates_bps = pattern.downlink.rate_bps * peak_bps / pattern.downlink.rate_bps.max()
    direction = Direction(rates_bps, pattern.downlink.delay_s, pattern.downlink.loss)
    time_s = pattern.time_s * time_scale
    return replace(pattern, time_s=time_s, duration_s=duration_s, downlink=direction, uplink=direction, end="hold")


@contextmanager
def both(ask):
    """Give testbeds of both backends, with a server each."""
    first = LinkSettings(constant(1e6, 1.0), delay_s=0.0)
    with replaying(first, backend="tun") as tun, replaying(first, backend="tc") as tc:
        for testbed in (tun, tc):
            ask(testbed.server, "udp_flood", wait=False)
        yield tun, tc


@pytest.fixture(scope="module")
def testbeds(ask):
    try:
        with both(ask) as opened:
            yield opened
    except MissingError as error:
        pytest.skip(str(error))


def delivered(ask, testbed, settings, peak_bps):
    """Return the bytes of each bin of a flood that is always more than the link carries, and how late it was, s."""
    testbed.start(settings)
    words = (1.15 * peak_bps, PACKET_BYTES, settings.pattern.duration_s, BIN_S)
    bins = np.array(ask(testbed.client, "udp_bins", *words).split(), dtype=float)
    frame = testbed.telemetry()
    number = ((frame["time_s"] + 2 * settings.delay_s) / BIN_S).astype(int)
    return bins, frame["lateness_s"].groupby(number).max().reindex(range(len(bins)), fill_value=0.0).to_numpy()


def bins_of_steps(settings, count):
    """Say which bins a step of the rate falls into, or next to, as they are seen at the client [n_bin]."""
    seen_s = np.append(settings.pattern.time_s, settings.pattern.duration_s) + 2 * settings.delay_s
    around = np.floor((seen_s[:, None] + [-STEP_S, STEP_S]) / BIN_S).astype(int)
    return np.isin(np.arange(count), around)


def assert_agreement(ask, testbeds, settings, peak_bps):
    """Compare the bins of both backends: 2 %, a packet, at steps a bucket, and what lateness moved to the next bin."""
    pattern = settings.pattern
    possible_bytes = capacity_bytes(pattern, pattern.downlink, np.array([0, pattern.duration_s]))[0]
    (tun, tun_late_s), (tc, tc_late_s) = (delivered(ask, testbed, settings, peak_bps) for testbed in testbeds)
    off = np.abs(tun - tc) - PACKET_BYTES - 0.02 * np.maximum(tun, tc)
    off -= np.where(bins_of_steps(settings, len(tun)), tbf.bucket_bytes(peak_bps), 0)
    late_s = tun_late_s + tc_late_s
    # What comes late is missing in the bin before the one that it comes in, where its lateness is told.
    late_s = np.maximum(late_s, np.append(late_s[1:], 0.0))
    shares = f"tun {tun.sum() / possible_bytes:.1%}, tc {tc.sum() / possible_bytes:.1%}"
    print(f"{shares}, late by {late_s.max() * 1e3:.1f} ms, {(off <= 0).mean():.0%} of the bins agree plainly")
    assert (off <= 0).mean() > LEAST_PLAIN
    assert (off - late_s * peak_bps / 8).max() <= 0
    assert [tun.sum(), tc.sum()] == pytest.approx([possible_bytes] * 2, rel=0.02)


@pytest.mark.parametrize("name", SHAPES)
def test_tun_and_tc_deliver_the_same(testbeds, ask, name):
    settings = LinkSettings(scaled(name, 80e6, 3.0), delay_s=0.0, queue_bytes=500_000)
    assert_agreement(ask, testbeds, settings, 80e6)


@pytest.fixture(scope="module")
def _needs_netem(testbeds):
    try:
        testbeds[1].start(LinkSettings(constant(1e6, 1.0), delay_s=0.011))
    except MissingError as error:
        pytest.skip(str(error))


@pytest.mark.netem
@pytest.mark.usefixtures("_needs_netem")
@pytest.mark.parametrize("name", SHAPES)
def test_tun_and_tc_with_netem_deliver_the_same(testbeds, ask, name):
    settings = LinkSettings(scaled(name, 20e6, 3.0), delay_s=0.011, queue_bytes=100_000)
    assert_agreement(ask, testbeds, settings, 20e6)
