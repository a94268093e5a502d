"""What one direction's tbf is set to when; sizes in bytes of packets that wait all the time."""

import math

import pytest

from mmwemu.testbed.backends.tc import tbf as plan
from mmwemu.testbed.backends.tc.rtnetlink import Counters
from mmwemu.testbed.backends.tc.shaper import Shaper

QUEUE_BYTES = 100_000
BUCKET_BYTES = 5000  # of 80 Mbit/s
RATE_BPS = 80e6


@pytest.fixture
def shaper():
    shaper = Shaper(QUEUE_BYTES)
    shaper.settle(waiting(0), 0, 0.01)
    return shaper


def waiting(sent_bytes):
    return Counters(sent_bytes, 0, 0, 90_000, 60)


def take(shaper, tbf):
    if tbf is not None:
        shaper.tbf = tbf
    return tbf


def rate_bps(tbf):
    return tbf.rate_bytes_ps * 8


def test_a_short_step_makes_up_for_the_filling_of_the_bucket(shaper):
    tbf = shaper.step(RATE_BPS, 0.01, 0.01, drops=False)
    assert rate_bps(tbf) == pytest.approx(RATE_BPS - BUCKET_BYTES * 8 / 0.01)
    assert tbf.burst_bytes == plan.bucket_bytes(rate_bps(tbf))


def test_a_long_step_makes_up_for_two_fillings_and_then_has_its_own_rate(shaper):
    own = plan.shape(RATE_BPS, QUEUE_BYTES)
    first = take(shaper, shaper.step(RATE_BPS, math.inf, 0.005, drops=False))
    assert rate_bps(first) == pytest.approx(RATE_BPS - 2 * BUCKET_BYTES * 8 / 0.015, rel=1e-6)
    assert shaper.sample() is None
    assert take(shaper, shaper.sample()) == own
    shaper.settle(waiting(100_000), 100_000, 0.01)
    assert shaper.sample() is None
    shaper.settle(waiting(180_000), 90_000, 0.01)  # a late wake-up lost 10 kB
    assert shaper.sample() == own


def test_packets_behind_a_tbf_that_slept_too_long_are_late_and_made_up_for(shaper):
    own = plan.shape(RATE_BPS, QUEUE_BYTES)
    take(shaper, shaper.step(RATE_BPS, math.inf, 0.0, drops=False))
    shaper.settle(waiting(80_000), 90_000, 0.009)
    assert shaper.lateness_s == pytest.approx((10_000 - BUCKET_BYTES - 1500) / 10e6)
    shaper.settle(waiting(160_000), 120_000, 0.012)
    assert shaper.lateness_s == pytest.approx((50_000 - BUCKET_BYTES - 1500) / 10e6)
    assert shaper.sample() is None
    faster = take(shaper, shaper.sample())
    assert rate_bps(faster) == pytest.approx(RATE_BPS + (50_000 - 2 * BUCKET_BYTES) * 8 / 0.02, rel=1e-6)
    shaper.settle(waiting(240_000), 40_000, 0.004)
    assert shaper.sample() is None
    assert take(shaper, shaper.sample()) == own


def test_capacity_that_packets_may_not_have_waited_for_makes_nobody_late(shaper):
    take(shaper, shaper.step(RATE_BPS, math.inf, 0.0, drops=False))
    shaper.settle(waiting(95_000), 200_000, 0.02)  # more was sent than waited before: the queue may have been empty
    assert shaper.lateness_s == 0


def test_what_is_owed_in_an_outage_makes_nobody_later(shaper):
    take(shaper, shaper.step(RATE_BPS, 0.01, 0.01, drops=False))
    shaper.settle(waiting(10_000), 90_000, 0.009)
    take(shaper, shaper.step(0.0, 0.05, 0.01, drops=False))
    before_s = shaper.lateness_s
    shaper.settle(waiting(10_000), 0, 0.01)
    assert shaper.lateness_s == before_s == pytest.approx((80_000 - BUCKET_BYTES - 1500) / 10e6)


def test_what_was_sent_too_much_is_made_up_for_even_if_it_takes_long(shaper):
    take(shaper, shaper.step(RATE_BPS, math.inf, 0.01, drops=False))
    shaper.settle(waiting(600_000), 100_000, 0.01)  # a step that came 50 ms late
    assert shaper.sample() is None
    assert take(shaper, shaper.sample()) == plan.hold(QUEUE_BYTES)
    shaper.settle(waiting(600_000), 480_000, 0.01)
    assert shaper.sample() is None
    assert rate_bps(shaper.sample()) < RATE_BPS


def test_outages_and_no_limit(shaper):
    assert shaper.step(0.0, 0.01, 0.01, drops=False) == plan.hold(QUEUE_BYTES)
    assert shaper.step(0.0, math.inf, 0.01, drops=False) is None
    assert shaper.sample() is None
    assert shaper.step(math.inf, 0.01, 0.01, drops=False) == plan.shape(math.inf, QUEUE_BYTES)
    assert shaper.sample() is None
    assert shaper.step(0.0, 0.01, 0.01, drops=True) == plan.lose(QUEUE_BYTES)
    shaper.settle(Counters(0, 0, 7, 90_000, 60), 0, 0.01)
    assert shaper.outage_drops == 7
    assert shaper.step(RATE_BPS, 0.01, 0.01, drops=True).burst_bytes > 1500


def test_a_slow_long_step_is_not_held_for_its_bucket():
    shaper = Shaper(QUEUE_BYTES)
    shaper.settle(waiting(0), 0, 0.01)
    assert rate_bps(shaper.step(1e6, math.inf, 0.01, drops=False)) >= 0.49e6


def test_without_waiting_packets_a_change_gives_nothing_away():
    shaper = Shaper(QUEUE_BYTES)
    shaper.settle(Counters(0, 0, 0, 2000, 2), 0, 0.01)
    assert rate_bps(shaper.step(RATE_BPS, 0.01, 0.01, drops=False)) == pytest.approx(RATE_BPS - 2000 * 8 / 0.01)
    idle = Shaper(QUEUE_BYTES)
    idle.settle(Counters(0, 0, 0, 0, 0), 0, 0.01)
    assert rate_bps(idle.step(RATE_BPS, 0.01, 0.01, drops=False)) == RATE_BPS


@pytest.mark.parametrize(
    ("before", "now", "sent", "buckets"),
    [
        (90_000, 90_000, 1000, None),  # more waited than was sent: packets waited all the time, and all is owed
        (1000, 90_000, 1000, 1),
        (1001, 90_000, 1000, None),
        (0, 90_000, 1000, 0),
        (90_000, 0, 1000, 0),
    ],
)
def test_a_link_owes_what_packets_certainly_waited_for_and_else_a_bucket(before, now, sent, buckets):
    shaper = Shaper(QUEUE_BYTES)
    shaper.settle(Counters(0, 0, 0, before, 1), 0, 0.01)
    shaper.step(RATE_BPS, math.inf, 0.01, drops=False)
    shaper.settle(Counters(sent, 1, 0, now, 1), 1_000_000, 0.01)
    assert shaper._balance.owed_bytes == (999_000 if buckets is None else buckets * BUCKET_BYTES)


def test_a_long_step_is_set_again_when_it_owes_a_bucket_and_a_packet(shaper):
    take(shaper, shaper.step(RATE_BPS, math.inf, 0.0, drops=False))
    shaper.sample()
    own = take(shaper, shaper.sample())
    slack_bytes = BUCKET_BYTES + 1500
    shaper.settle(waiting(0), slack_bytes, 0.01)
    assert shaper.sample() is None
    shaper.settle(waiting(0), 1, 0.01)
    assert shaper.sample() == own
    # What is owed is not made up for as long as another rate is set.
    shaper.tbf = plan.hold(QUEUE_BYTES)
    assert shaper.sample() is None


def test_a_correction_goes_on_while_a_bucket_and_a_packet_are_sent_too_much():
    own = plan.shape(RATE_BPS, QUEUE_BYTES)
    for too_much, ends in ((BUCKET_BYTES + 1499, True), (BUCKET_BYTES + 1500, False)):
        other = Shaper(QUEUE_BYTES)
        other.settle(waiting(0), 0, 0.01)
        other.step(RATE_BPS, math.inf, 0.0, drops=False)
        assert other.sample() is None
        other.settle(waiting(100_000 + too_much), 100_000, 0.01)
        assert (other.sample() == own) is ends


def test_a_slow_step_is_corrected_over_as_many_samples_as_leave_it_half_its_rate():
    shaper = Shaper(QUEUE_BYTES)
    shaper.settle(waiting(0), 0, 0.01)
    # Two fillings of 1600 bytes at half of 1 Mbit/s take 51.2 ms, so 6 samples; the first comes in 4 ms.
    first = shaper.step(1e6, math.inf, 0.004, drops=False)
    assert rate_bps(first) == pytest.approx(1e6 - 2 * 1600 * 8 / 0.054, abs=8)
    assert [shaper.sample() for _ in range(5)] == [None] * 5
    assert shaper.sample() == plan.shape(1e6, QUEUE_BYTES)


def test_only_what_an_outage_drops_counts_as_its_drops(shaper):
    def drops(count):
        return Counters(0, 0, count, 90_000, 60)

    shaper.step(0.0, 0.01, 0.01, drops=False)
    shaper.settle(drops(3), 0, 0.01)
    assert shaper.outage_drops == 0
    shaper.step(RATE_BPS, 0.01, 0.01, drops=True)
    shaper.settle(drops(5), 0, 0.01)
    shaper.step(0.0, 0.01, 0.01, drops=True)
    shaper.settle(drops(9), 0, 0.01)
    shaper.settle(drops(10), 0, 0.01)
    assert shaper.outage_drops == 5


def test_before_its_first_step_a_shaper_waits():
    assert Shaper(QUEUE_BYTES).wait() == plan.hold(QUEUE_BYTES)
    assert Shaper(QUEUE_BYTES).sample() is None


def test_before_its_first_step_a_shaper_owes_nothing():
    shaper = Shaper(QUEUE_BYTES)
    shaper.settle(waiting(0), 0, 0.01)
    shaper.settle(waiting(0), 1_000_000, 0.01)
    assert shaper._balance.owed_bytes == 0
