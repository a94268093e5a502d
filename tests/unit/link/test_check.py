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
