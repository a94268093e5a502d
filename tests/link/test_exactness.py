"""How exact a real link is, packet by packet."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from mmwemu.link.check import check
from mmwemu.link.settings import LinkSettings
from tests.link import measures
from tests.testbeds import replaying

pytestmark = pytest.mark.link
LONG = pytest.mark.long

MTU_BYTES = 1500


@pytest.mark.parametrize(
    "rate_bps", [1e6, pytest.param(10e6, marks=LONG), 100e6, pytest.param(500e6, marks=LONG), 1000e6]
)
def test_the_long_run_rate_is_right_within_a_percent(rate_bps):
    """The rates between are as those beside them, and each takes 4 s."""
    assert np.abs(measures.rate_errors(rate_bps)).max() < 0.01


@pytest.mark.parametrize("slot_s", [0.0, 0.001])
def test_never_more_than_the_integral_and_a_packet_with_steps_each_10_ms(tmp_path, slot_s):
    assert measures.excess_bytes(tmp_path, slot_s) <= MTU_BYTES + 1


def test_a_full_queue_drains_within_25_ms_after_a_step_up(tmp_path):
    size_bytes, after_s = measures.drain_s(tmp_path)
    assert size_bytes > 118_000
    assert 0.009 < after_s < 0.025


@pytest.mark.parametrize(
    ("outage_s", "kind"),
    [
        (0.01, "hold"),
        (0.1, "drop"),
        (1.0, "hold"),
        (1.0, "drop"),
        *(pytest.param(*values, marks=LONG) for values in ((0.01, "drop"), (0.1, "hold"), (10.0, "hold"))),
    ],
)
def test_the_first_byte_comes_within_5_ms_after_an_outage(tmp_path, outage_s, kind):
    """The longest takes its 10 s; two of the short ones are as their neighbours."""
    after_s, any_lost = measures.first_after_outage_s(tmp_path, outage_s, kind)
    assert 0 <= after_s < 0.005
    assert any_lost == (kind == "drop")


def test_delays_are_right_within_a_fifth_of_a_millisecond(tmp_path):
    errors_s = measures.delay_errors_s(tmp_path)
    assert len(errors_s) > 10_000 and errors_s.min() >= 0
    assert np.median(errors_s) < 0.0002
    assert np.quantile(errors_s, 0.99) < 0.001


def test_repetitions_start_at_the_same_phase_within_a_millisecond():
    phases_s = measures.phases_s(30)
    assert phases_s.min() >= 0
    assert np.quantile(phases_s, 0.9) < 0.001  # a busy machine holds up the sender's clock too, now and then


@pytest.mark.parametrize("algorithm", ["cubic", "reno"])
def test_nothing_is_reordered_while_rate_and_delay_change(pattern, ask, tmp_path, algorithm):
    random = np.random.default_rng(5)
    steps = pattern(random.uniform(1e6, 200e6, 200), step_s=0.005, delay_s=random.uniform(0, 0.03, 200))
    with measures.logged(LinkSettings(steps, delay_s=0.002), tmp_path) as (testbed, packets):
        testbed.set_congestion_control(algorithm)
        ask(testbed.server, "tcp_source", wait=False)
        ask(testbed.client, "tcp_goodput", 0.5, 2)
        frame = testbed.telemetry()
        both = [packets(direction) for direction in ("downlink", "uplink")]
    assert frame["reordered_packets"].sum() == 0
    for one in both:
        assert len(one) > 100
        assert one["delivery_s"].dropna().is_monotonic_increasing


def test_a_run_in_which_the_emulator_was_stopped_is_not_valid(pattern, ask):
    # As when the machine is suspended.
    with replaying(LinkSettings(pattern([10e6]))) as testbed:
        ask(testbed.server, "tcp_source", wait=False)
        with ThreadPoolExecutor() as pool:
            client = pool.submit(ask, testbed.client, "tcp_goodput", 0, 1.5)
            while testbed.telemetry()["delivered_packets"].sum() < 100:
                time.sleep(0.02)
            os.kill(testbed.sandboxes[0].pid, signal.SIGSTOP)
            time.sleep(0.7)
            os.kill(testbed.sandboxes[0].pid, signal.SIGCONT)
            assert float(client.result()) > 0
        result = check(testbed.telemetry())
    assert not result.valid
    assert result.lateness_max_s > 0.6
    assert any("the machine was too busy" in reason for reason in result.reasons)
