import math
from dataclasses import replace

import numpy as np
import pytest

from mmwemu.link.check import LinkCheck, Tolerance, check, combine
from mmwemu.link.replay import resolve
from mmwemu.link.settings import LinkSettings
from mmwemu.link.telemetry import RECORD, to_frame
from tests.patterns import make_pattern

N_BIN = 200
BIN_BYTES = 125_000  # 100 Mbit/s


@pytest.fixture
def make_frame():
    """Give a maker of telemetry of a downlink of 100 Mbit/s that is always busy, and what to change in it."""

    def make(rate_bps=100e6, **columns):
        records = np.zeros((N_BIN, 2), RECORD)
        records["delivered_bytes"][:, 0] = BIN_BYTES
        records["backlogged"][:, 0] = 1
        records["lateness_max_ns"][:, 0] = 200_000
        frame = to_frame(records, resolve(LinkSettings(make_pattern([rate_bps]))))
        down = frame["direction"] == "downlink"
        for name, values in columns.items():
            frame.loc[down, name] = values
        return frame

    return make


def test_a_link_that_does_what_it_should_is_valid(make_frame):
    result = check(make_frame())
    assert result.valid and result.reasons == ()
    assert result.delivered_ratio == pytest.approx(1)
    assert result.excess_bytes <= 1500
    assert (result.lateness_p99_s, result.lateness_max_s) == (0.0002, 0.0002)


def test_one_standstill_voids_a_run_whatever_came_in_it(make_frame):
    late_s = np.full(N_BIN, 0.0002)
    late_s[100] = 2.0
    frame = make_frame(lateness_s=late_s)
    frame.loc[frame["time_s"] == 1.0, "delivered_bytes"] = 0
    result = check(frame, Tolerance(capacity=1.0))
    assert result.reasons == (
        "the link stood still for 2.0 s (0.5 s are allowed): the machine or the link was stopped",
    )
    late_s[100] = 0.4
    assert check(make_frame(lateness_s=late_s)).valid


def test_nothing_delivered_is_valid(make_frame):
    result = check(make_frame(delivered_bytes=0, backlogged=False, lateness_s=0.0))
    assert result.valid and math.isnan(result.delivered_ratio)
    assert check(make_frame().iloc[:0]).valid


def test_a_link_that_is_too_slow_is_seen(make_frame):
    result = check(make_frame(delivered_bytes=int(BIN_BYTES * 0.97)))
    assert not result.valid
    assert result.reasons == (
        "97.0% of what the pattern allows came through while packets waited (2% off are allowed)",
    )


def test_what_the_application_did_not_send_is_not_missed(make_frame):
    assert check(make_frame(delivered_bytes=1000, backlogged=False)).valid


def test_what_was_lost_by_the_pattern_counts_as_served(make_frame):
    delivered = np.full(N_BIN, int(BIN_BYTES * 0.8))
    for cause in ("dropped_loss_bytes", "damaged_bytes"):
        assert check(make_frame(delivered_bytes=delivered, **{cause: BIN_BYTES - delivered})).valid


def test_a_link_that_is_too_fast_is_seen_even_when_it_is_not_backlogged(make_frame):
    result = check(make_frame(delivered_bytes=int(BIN_BYTES * 1.03), backlogged=False))
    assert not result.valid
    assert result.excess_bytes == pytest.approx(N_BIN * BIN_BYTES * 0.03, abs=5)


def test_a_burst_is_seen(make_frame):
    delivered = np.zeros(N_BIN)
    delivered[100] = 4 * BIN_BYTES
    result = check(make_frame(delivered_bytes=delivered, backlogged=False))
    # Four bins in one: one is its own, one may have been due in the bin before.
    assert result.reasons == ("250000 bytes more came through than the pattern allows",)


def test_one_stall_of_the_machine_is_no_fault_of_the_link(make_frame):
    delivered = np.full(N_BIN, BIN_BYTES)
    delivered[50:54] = 0  # 40 ms without the processor, and then all at once
    delivered[54] = 5 * BIN_BYTES
    lateness_s = np.full(N_BIN, 0.0002)
    lateness_s[54] = 0.040
    result = check(make_frame(delivered_bytes=delivered, lateness_s=lateness_s))
    assert result.excess_bytes <= 1500
    assert result.lateness_max_s == 0.040
    # It is judged by the share of bytes that came late, here 2.5 %.
    assert [reason.split(" came")[0] for reason in result.reasons] == ["1 % of the bytes"]
    assert check(make_frame(delivered_bytes=delivered, lateness_s=lateness_s), Tolerance(lateness_p99_s=0.05)).valid


def test_packets_lost_at_the_devices_are_seen(make_frame):
    frame = make_frame()
    frame.loc[7, "dropped_device_packets"] = 3
    result = check(frame)
    assert result.reasons == ("3 packets were lost at the devices, not in the link",)
    assert result.device_drops == 3


def test_an_unlimited_link_has_no_integral_to_compare_with(make_frame):
    result = check(make_frame(rate_bps=np.inf, delivered_bytes=10**9, backlogged=False))
    assert result.valid and result.excess_bytes == 0


def found(**changes):
    nothing = LinkCheck(True, (), math.nan, 0.0, 0.0, 0.0, 0)
    return replace(nothing, **changes)


def test_the_check_of_one_link_is_its_own():
    one = found(valid=False, reasons=("late",))
    assert combine({"access link 1": one}) is one


def test_several_links_are_valid_if_all_are_and_reasons_name_the_link():
    good = found(delivered_ratio=0.99, excess_bytes=10.0, lateness_p99_s=0.001, lateness_max_s=0.002, device_drops=1)
    bad = found(
        valid=False, reasons=("late", "lost"), delivered_ratio=0.5, excess_bytes=5.0, lateness_p99_s=0.02,
        lateness_max_s=0.001, device_drops=2,
    )  # fmt: skip
    both = combine({"access link 1": good, "core link": bad})
    assert both == LinkCheck(False, ("core link: late", "core link: lost"), 0.99, 10.0, 0.02, 0.002, 3)
    assert combine({"access link 1": bad, "core link": good}).delivered_ratio == 0.5
    assert combine({"access link 1": good, "access link 2": good}).valid


def short_of(missing_bytes):
    """Return the bytes of each bin where so many of the whole are missing."""
    missing = np.zeros(N_BIN)
    whole, rest = divmod(round(missing_bytes), BIN_BYTES)
    missing[:whole], missing[whole] = BIN_BYTES, rest
    return BIN_BYTES - missing


def test_bytes_may_miss_two_per_cent_two_packets_and_what_was_late_at_the_end(make_frame):
    # 25 MB in all; two packets of 1500 bytes; 0.2 ms of a bin of 10 ms.
    allowed = 500_000 + 3000 + 2500
    assert check(make_frame(delivered_bytes=short_of(allowed - 1))).valid
    result = check(make_frame(delivered_bytes=short_of(allowed + 1)))
    assert [reason.split(" of what")[0] for reason in result.reasons] == ["98.0%"]
    # Too much is as wrong as too little.
    tolerance = Tolerance(excess_bytes=math.inf)
    for more, valid in ((allowed - 1, True), (allowed + 1, False)):
        assert check(make_frame(delivered_bytes=2 * BIN_BYTES - short_of(more)), tolerance).valid is valid


def test_each_stretch_with_waiting_packets_has_ends_of_its_own(make_frame):
    backlogged = np.ones(N_BIN, bool)
    backlogged[[60, 120]] = False
    allowed = 0.02 * 198 * BIN_BYTES + 3 * (3000 + 2500)
    for missing, valid in ((allowed - 1, True), (allowed + 1, False)):
        assert check(make_frame(delivered_bytes=short_of(missing), backlogged=backlogged)).valid is valid
    assert check(make_frame(backlogged=backlogged)).delivered_ratio == pytest.approx(1)


def test_the_end_of_a_stretch_is_as_uncertain_as_the_next_bin_is_late_but_by_a_bin_at_most(make_frame):
    backlogged, late_s = np.arange(N_BIN) < 100, np.full(N_BIN, 0.0002)
    for lateness_s, share in ((0.004, 0.4), (0.02, 1.0)):
        late_s[100] = lateness_s
        allowed = 0.02 * 100 * BIN_BYTES + 3000 + share * BIN_BYTES
        for missing, valid in ((allowed - 1, True), (allowed + 1, False)):
            frame = make_frame(delivered_bytes=short_of(missing), backlogged=backlogged, lateness_s=late_s)
            assert check(frame).valid is valid


def test_two_packets_beyond_the_integral_are_allowed(make_frame):
    delivered = np.zeros(N_BIN)
    # Its own bin, and the one before, since packets were 0.2 ms late.
    for burst, valid in ((2 * BIN_BYTES + 3000, True), (2 * BIN_BYTES + 3001, False)):
        delivered[100] = burst
        assert check(make_frame(delivered_bytes=delivered, backlogged=False)).valid is valid


def test_the_excess_of_a_stretch_adds_up_over_its_bins(make_frame):
    delivered = np.zeros(N_BIN)
    delivered[100:110] = BIN_BYTES + 1000
    # Ten bins in excess, of which one may have been due before.
    assert check(make_frame(delivered_bytes=delivered, backlogged=False)).excess_bytes == pytest.approx(0)
    delivered[100:110] = 2 * BIN_BYTES
    assert check(make_frame(delivered_bytes=delivered, backlogged=False)).excess_bytes == pytest.approx(9 * BIN_BYTES)


def test_a_bin_is_as_late_as_those_after_it_say(make_frame):
    delivered, late_s = np.full(N_BIN, BIN_BYTES), np.full(N_BIN, 0.0002)
    delivered[-5:] = 0, 0, 0, 4 * BIN_BYTES, BIN_BYTES
    late_s[-1] = 0.04
    assert check(make_frame(delivered_bytes=delivered, lateness_s=late_s)).excess_bytes == pytest.approx(0, abs=1e-6)


def test_an_unlimited_stretch_and_what_was_due_in_it_are_not_compared(make_frame):
    capacities, delivered = np.full(N_BIN, float(BIN_BYTES)), np.full(N_BIN, BIN_BYTES)
    capacities[50:60] = np.inf
    delivered[50:61] = 9 * BIN_BYTES  # the last of them 0.2 ms late
    result = check(make_frame(capacity_bytes=capacities, delivered_bytes=delivered))
    assert result.excess_bytes == 0
    delivered[61] = 3 * BIN_BYTES
    result = check(make_frame(capacity_bytes=capacities, delivered_bytes=delivered, backlogged=False))
    assert result.excess_bytes == pytest.approx(BIN_BYTES)


def test_limits_of_lateness_are_allowed_themselves(make_frame):
    assert check(make_frame(lateness_s=0.005)).valid
    assert not check(make_frame(lateness_s=0.0051)).valid
    late_s = np.full(N_BIN, 0.0002)
    late_s[100] = 0.5
    assert check(make_frame(lateness_s=late_s)).valid


def test_one_per_cent_of_the_bytes_may_be_late(make_frame):
    late_s = np.full(N_BIN, 0.0002)
    late_s[100:102] = 0.03  # two bins of 200
    assert check(make_frame(lateness_s=late_s)).lateness_p99_s == 0.0002
    late_s[102] = 0.02
    result = check(make_frame(lateness_s=late_s))
    assert (result.lateness_p99_s, result.lateness_max_s) == (0.02, 0.03)
    assert result.reasons == (
        "1 % of the bytes came more than 20.0 ms late (5 ms are allowed): the machine was too busy",
    )


def test_a_single_packet_lost_at_the_devices_is_one_too_many(make_frame):
    frame = make_frame()
    frame.loc[7, "dropped_device_packets"] = 1
    assert not check(frame).valid


def test_both_directions_count(make_frame):
    frame = make_frame()
    up = frame["direction"] == "uplink"
    # The uplink delivers half of its 100 Mbit/s while packets wait, so three quarters of the whole.
    frame.loc[up, ["delivered_bytes", "backlogged"]] = (BIN_BYTES // 2, True)
    assert check(frame).delivered_ratio == pytest.approx(0.75)
    frame.loc[up, "delivered_bytes"] = 2 * BIN_BYTES
    assert check(frame).excess_bytes == pytest.approx(N_BIN * BIN_BYTES)


def test_what_comes_in_an_outage_is_too_much_and_has_no_ratio(make_frame):
    result = check(make_frame(rate_bps=0.0))
    assert [reason.partition(" ")[2] for reason in result.reasons] == [
        "bytes more came through than the pattern allows"
    ]
    assert math.isnan(result.delivered_ratio)
    # Half a byte in all the time is a capacity.
    assert check(make_frame(rate_bps=2.0)).delivered_ratio == pytest.approx(N_BIN * BIN_BYTES / 0.5)
    assert len(check(make_frame(rate_bps=2.0)).reasons) == 2


def test_the_first_bin_has_none_before_it(make_frame):
    delivered = np.zeros(N_BIN)
    delivered[1] = 4 * BIN_BYTES
    assert check(make_frame(delivered_bytes=delivered)).excess_bytes == pytest.approx(2 * BIN_BYTES)
    delivered[:2] = 4 * BIN_BYTES, 0
    assert check(make_frame(delivered_bytes=delivered)).excess_bytes == pytest.approx(3 * BIN_BYTES)


def test_the_uncertain_bin_at_the_end_is_the_largest_of_its_stretch(make_frame):
    backlogged, late_s = np.arange(N_BIN) < 100, np.full(N_BIN, 0.0002)
    capacities = np.full(N_BIN, float(BIN_BYTES))
    capacities[50], late_s[100] = 2 * BIN_BYTES, 0.02
    # One bin of capacity more, of which nothing came.
    allowed = 0.02 * 101 * BIN_BYTES + 3000 + 2 * BIN_BYTES - BIN_BYTES
    for missing, valid in ((allowed - 1, True), (allowed + 1, False)):
        frame = make_frame(
            delivered_bytes=short_of(missing), backlogged=backlogged, lateness_s=late_s, capacity_bytes=capacities
        )
        assert check(frame).valid is valid


def test_what_was_on_time_itself_may_have_been_due_before_what_came_late(make_frame):
    delivered, late_s = np.full(N_BIN, BIN_BYTES), np.zeros(N_BIN)
    delivered[:2], late_s[2] = (0, 2 * BIN_BYTES), 0.02
    assert check(make_frame(delivered_bytes=delivered, lateness_s=late_s)).excess_bytes == pytest.approx(0, abs=1e-6)
    late_s[2] = 0.0
    frame = make_frame(delivered_bytes=delivered, lateness_s=late_s)
    assert check(frame).excess_bytes == pytest.approx(BIN_BYTES)
