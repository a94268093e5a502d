"""Backend tc without a kernel: settings, steps in time, the account of a bucket, a replay against a port in memory."""

import math
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.emulate.backend import open_testbed
from mmwemu.emulate.check import check
from mmwemu.emulate.link import LinkSettings
from mmwemu.emulate.missing import missing_error
from mmwemu.emulate.schedule import capacity_bytes
from mmwemu.emulate.tc import netem, plan, samples
from mmwemu.emulate.tc.ledger import Ledger
from mmwemu.emulate.tc.order import decode, encode
from mmwemu.emulate.tc.port import starts
from mmwemu.emulate.tc.replay import Replay
from mmwemu.emulate.tc.rtnetlink import Counters
from mmwemu.emulate.tc.timeline import Step, Timeline, coarsen
from mmwemu.pattern.convert import constant
from mmwemu.pattern.model import Direction, PacketEvent, Pattern


def make_pattern(rates_bps, step_s=0.1, delay_s=0.0, loss=0.0, **options):
    n = len(rates_bps)
    direction = Direction(np.array(rates_bps, dtype=float), np.full(n, delay_s), np.full(n, loss))
    return Pattern(np.arange(n) * step_s, n * step_s, direction, direction, **options)


# Settings


def test_the_bucket_takes_a_packet_and_half_a_millisecond():
    assert plan.bucket_bytes(1e6) == plan.bucket_bytes(0) == 1600
    assert plan.bucket_bytes(100e6) == 6250
    assert plan.bucket_bytes(math.inf) == plan.bucket_bytes(plan.UNLIMITED_BPS)


def test_a_rate_becomes_bytes_per_second():
    assert plan.shape(80e6, 50_000) == plan.Tbf(10_000_000, 5000, 50_000)
    assert plan.shape(math.inf, 50_000).rate_bytes_ps == 4_000_000_000 < 2**32
    assert plan.shape(1.0, 50_000).rate_bytes_ps == 1


def test_a_held_tbf_takes_packets_and_can_send_none():
    held = plan.hold(50_000)
    fills_ns = held.buffer_ticks * 64
    assert fills_ns * held.rate_bytes_ps >= 1500e9  # a packet of MTU is let in
    assert fills_ns * held.rate_bytes_ps < held.packet_bytes * 1e9  # and never out
    losing = plan.lose(50_000)
    assert losing.buffer_ticks * 64 * losing.rate_bytes_ps < 20e9  # no packet is let in


def test_the_limit_covers_delay_and_queue_in_the_smallest_packets():
    settings = LinkSettings(make_pattern([100e6, 10e6], delay_s=0.009), delay_s=0.011, queue_bytes=64_000)
    assert netem.limit_packets(settings) == math.ceil((100e6 / 8 * 0.020 + 64_000) / 64)
    assert netem.limit_packets(replace(settings, pattern=constant(1e6, 1.0), queue_bytes=1500)) == 1000
    assert netem.limit_packets(replace(settings, pattern=constant(math.inf, 1.0))) > 20_000


def test_what_needs_netem_is_named():
    plain = LinkSettings(make_pattern([1e6]), delay_s=0.0)
    assert plan.needs_netem(plain, "tbf") == ""
    assert plan.needs_netem(plain, "netem-rate") == "the rate"
    assert plan.needs_netem(replace(plain, delay_s=0.011), "tbf") == "a delay of 11 ms"
    assert plan.needs_netem(replace(plain, pattern=make_pattern([1e6], delay_s=0.1)), "tbf") == "the pattern's delay"
    assert plan.needs_netem(replace(plain, pattern=make_pattern([1e6], loss=0.1)), "tbf") == "the pattern's loss"
    reordered = replace(plain.pattern.downlink, reordering=np.array([0.1]))
    pattern = replace(plain.pattern, downlink=reordered)
    assert plan.needs_netem(replace(plain, pattern=pattern), "tbf") == "the pattern's reordering"
    error = missing_error("netem", "a delay of 11 ms")
    assert error.exit_code == 3
    for words in ("no netem", "a delay of 11 ms", "sudo modprobe sch_netem", "--backend tun", "--delay-ms 0"):
        assert words in str(error)


def test_netem_alone_loses_all_in_an_outage_and_refuses_to_hold():
    settings = LinkSettings(make_pattern([0.0], outage="drop"), delay_s=0.01)
    assert netem.netem_alone(Step(0.0, gilbert_p=0.1), settings) == netem.Netem(Step(0.0, 0.01, 1.0), 1000, 0)
    assert netem.netem_alone(Step(8e6, 0.005, 0.1), settings) == netem.Netem(Step(0.0, 0.015, 0.1), 1000, 1_000_000)
    plan.refuse(settings, "netem-rate")
    held = replace(settings, pattern=make_pattern([1e6, 0.0]))
    plan.refuse(held, "tbf")
    with pytest.raises(InputError, match="netem alone cannot hold packets in an outage; use --tc-mode tbf"):
        plan.refuse(held, "netem-rate")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"aqm": "codel"}, "drop as codel does, its queue is drop-tail"),
        ({"slot_s": 1e-3}, "release packets in slots"),
        ({"queue_packets": 100}, "count its queue in packets, only in bytes or time"),
        ({"pattern": make_pattern([1e6], packets=(PacketEvent("uplink", 1, "lose"),))}, "tell packets by number"),
    ],
)
def test_what_the_kernel_cannot_do_is_refused_by_name(asked, words):
    settings = replace(LinkSettings(make_pattern([1e6]), delay_s=0.0), **asked)
    with pytest.raises(InputError, match=f"backend tc: cannot {words}; use --backend tun"):
        plan.refuse(settings, "tbf")


def test_queues_in_time_become_bytes():
    settings = LinkSettings(make_pattern([8e6]), delay_s=0.01, queue_s=0.1)
    assert plan.queue_bytes(settings) == (100_000, 100_000)
    assert plan.queue_bytes(replace(settings, queue_s=None, queue_bdp=1.0)) == (20_000, 20_000)


def test_a_packets_share_of_wrong_bits_is_that_of_a_full_one():
    assert netem.Netem(Step(0.0, bit_error=1e-6), 1, 0).corruption == pytest.approx(1 - (1 - 1e-6) ** 12_000)
    assert netem.Netem(Step(0.0, bit_error=1.0), 1, 0).corruption == 1


@pytest.mark.parametrize(
    ("backend", "mode", "words"),
    [
        ("nosuch", "tbf", "backend: is 'nosuch'"),
        ("tc", "nosuch", "tc-mode: is"),
        ("tun", "netem-rate", "add"),
    ],
)
def test_unknown_backends_and_modes_are_refused(backend, mode, words):
    with pytest.raises(InputError, match=words), open_testbed(LinkSettings(constant(1e6, 1.0)), None, backend, mode):
        pass


# Time


def test_short_steps_are_joined_and_others_stay():
    whole = make_pattern([1e6, 3e6], step_s=0.01)
    assert coarsen(whole) is whole
    joined = coarsen(make_pattern([1e6, 3e6, 5e6, 7e6, 9e6], step_s=0.005, delay_s=0.1))
    assert joined.time_s.tolist() == [0, 0.010]
    assert joined.downlink.rate_bps == pytest.approx([2e6, 7e6])
    assert joined.uplink.delay_s == pytest.approx([0.1, 0.1])
    assert coarsen(make_pattern([1e6], step_s=0.001)).duration_s == 0.001


@given(st.lists(st.tuples(st.floats(0.0005, 0.03), st.floats(0, 1e9)), min_size=1, max_size=40))
def test_joining_keeps_the_integral_and_the_least_length(steps):
    lengths_s, rates_bps = np.array(steps).T
    edges_s = np.concatenate(([0.0], np.cumsum(lengths_s)))
    one = Direction(rates_bps, np.zeros(len(steps)), np.zeros(len(steps)))
    pattern = Pattern(edges_s[:-1], edges_s[-1], one, one, end="hold")
    joined = coarsen(pattern)
    ends_s = np.append(joined.time_s, joined.duration_s)
    assert len(joined.time_s) == 1 or np.diff(ends_s).min() > 0.0099
    assert capacity_bytes(joined, joined.downlink, ends_s) == pytest.approx(
        capacity_bytes(pattern, pattern.downlink, ends_s), abs=1e-3
    )


def test_steps_over_all_time():
    loop = Timeline(make_pattern([1e6, 2e6], end="loop"))
    assert (loop.span(0.0).number, loop.span(0.15).number, loop.span(0.25).number) == (0, 1, 0)
    assert (loop.span(1.25).begin_s, loop.span(1.25).end_s) == pytest.approx((1.2, 1.3))
    hold = Timeline(make_pattern([1e6, 2e6], end="hold"))
    assert (hold.span(0.15).end_s, hold.span(5.0).begin_s, hold.step(0, hold.span(5.0).number).rate_bps) == (
        math.inf,
        0.1,
        2e6,
    )
    stop = Timeline(make_pattern([1e6, 2e6], end="stop"))
    assert stop.span(0.15).end_s == pytest.approx(0.2)
    assert stop.step(1, stop.span(0.3).number) == Step(0.0)


def test_a_rate_lasts_until_another():
    steps = Timeline(make_pattern([1e6, 1e6, 2e6], step_s=0.04, end="loop"))
    assert steps.lasts_s(0, steps.span(0.0), 0.0) == pytest.approx(0.08)
    assert steps.lasts_s(0, steps.span(0.05), 0.05) == pytest.approx(0.03)
    assert steps.lasts_s(0, steps.span(0.21), 0.21) == pytest.approx(0.03)
    same = Timeline(make_pattern([1e6, 1e6], step_s=0.01, end="loop"))
    assert same.lasts_s(1, same.span(0.0), 0.0) == math.inf


# The account


def test_a_gift_and_a_debt_are_made_up_in_the_next_step():
    ledger = Ledger()
    assert ledger.rate_bps(8e6, 0.01, 1600) == pytest.approx(8e6 - 1600 * 8 / 0.01)
    ledger.settle(12_000, 10_000, 1600)
    assert ledger.rate_bps(8e6, 0.01, 0) == pytest.approx(8e6 - 2000 * 8 / 0.01)
    assert ledger.rate_bps(1e6, 0.01, 1600) == 0
    ledger.settle(0, 3000, 1600)
    assert ledger.rate_bps(8e6, 0.01, 0) == pytest.approx(8e6 + 1000 * 8 / 0.01)


def test_capacity_that_nobody_used_is_not_owed_nor_is_an_old_rest():
    ledger = Ledger()
    ledger.settle(0, 10_000, 0)
    assert ledger.owed_bytes == 0
    ledger.settle(0, 10_000, 1600)
    assert ledger.owed_bytes == 1600
    assert ledger.rate_bps(1e6, 0.01, 0) == pytest.approx(2e6)
    ledger.settle(10_000, math.inf, 1600)
    assert ledger.owed_bytes == 0
    assert ledger.rate_bps(math.inf, 0.01, 1600) == math.inf
    assert ledger.rate_bps(1e6, math.inf, 1600) == 1e6


# A replay in simulated time


class FluidPort:
    """A tbf that always has packets of MTU to send: a change fills its bucket, a late look loses tokens."""

    def __init__(self):
        self.now_s = 0.0
        self.tbf = [None, None]
        self.tokens = [0.0, 0.0]
        self.sent = [0, 0]
        self.seen = [0, 0]
        self.changes = []
        self.netems = []

    def install(self, direction, netem, tbf):
        self.tbf[direction], self.sent[direction] = tbf, 0
        self.netems.append(netem)

    def set_netem(self, direction, netem):
        self.netems.append(netem)

    def set_tbf(self, direction, tbf, *, wake):
        self.changes.append((self.now_s, direction, tbf, wake))
        self.tbf[direction], self.tokens[direction] = tbf, tbf.burst_bytes

    def advance(self, to_s):
        for i, tbf in enumerate(self.tbf):
            if tbf.burst_bytes > 1500:
                self.tokens[i] += tbf.rate_bytes_ps * (to_s - self.now_s)
                packets = int(self.tokens[i] // 1500)
                self.tokens[i] = self.tokens[i] - packets * 1500
                self.sent[i] += packets
        self.now_s = to_s

    def refresh(self):
        self.seen = list(self.sent)
        return self.now_s

    def counters(self, direction):
        sent = self.seen[direction]
        return (Counters(sent * 1500, sent, 0, 30_000, 20),) * 2


def run(settings, port, duration_s, late_s=lambda: 0.0, mode="tbf"):
    rows = []
    replay = Replay(settings, mode, port, rows.append, with_netem=False)
    port.advance(100.0)
    replay.begin(100.0)
    while replay.next_s < 100.0 + duration_s:
        port.advance(replay.next_s + late_s())
        replay.poll(port.now_s)
    port.advance(100.0 + duration_s)
    replay.sample(port.now_s)
    return replay, np.array(rows)


@pytest.mark.parametrize("rates_bps", [[100e6, 50e6], [1e6, 2e6, 4e6], [20e6, 0, 80e6]])
def test_the_integral_holds_over_steps_of_10_ms(rates_bps):
    settings = LinkSettings(make_pattern(rates_bps, step_s=0.01), delay_s=0.0, start="now")
    port = FluidPort()
    clock = np.random.default_rng(1)
    replay, rows = run(settings, port, 3.0, lambda: clock.exponential(0.0001))
    assert port.sent[0] * 1500 == pytest.approx(np.mean(rates_bps) / 8 * 3.0, rel=0.01)
    assert 0 < np.median(replay.lateness_s) < 0.001
    frame = samples.to_frame(rows, settings)
    assert check(frame).device_drops == 0
    assert frame["delivered_bytes"].sum() == pytest.approx(sum(port.sent) * 1500, abs=8000, rel=0.001)


def test_a_step_that_changes_nothing_is_skipped_and_a_rise_wakes():
    settings = LinkSettings(make_pattern([1e6, 1e6, 1e6, 5e6], end="hold"), delay_s=0.0, start="now")
    port = FluidPort()
    run(settings, port, 1.0)
    own = plan.shape(1e6, 1_500_000), plan.shape(5e6, 1_500_000)
    downlink = [(round(s - 100, 3), tbf in own, wake) for s, direction, tbf, wake in port.changes if direction == 0]
    # A rate that makes up for the bucket's filling, then the step's own.
    assert downlink == [(0.0, False, True), (0.06, True, True), (0.3, False, True), (0.31, True, True)]


def test_outages_hold_or_lose():
    for outage, setting in (("hold", plan.hold), ("drop", plan.lose)):
        settings = LinkSettings(make_pattern([1e6, 0], outage=outage), delay_s=0.0, start="now")
        port = FluidPort()
        run(settings, port, 0.15)
        assert port.changes[-1][2] == setting(1_500_000)


def test_lateness_is_logged_and_skipped_steps_are_not_made_up_one_by_one():
    settings = LinkSettings(make_pattern([1e6, 2e6, 3e6, 4e6], step_s=0.01, end="hold"), delay_s=0.0, start="now")
    port = FluidPort()
    late_s = iter([0.0155, *[0.0] * 100])
    replay, rows = run(settings, port, 0.1, lambda: next(late_s))
    assert replay.lateness_s == pytest.approx([0.0, 0.005, 0.0], abs=1e-5)
    assert rows[1:, 1].max() == pytest.approx(0.015, abs=1e-5)


# Telemetry


def test_rows_become_bins_and_dropped_bytes_are_not_invented():
    settings = LinkSettings(make_pattern([8e6]), delay_s=0.0, start="now")
    rows = np.zeros((4, samples.ROW))
    rows[:, 0] = [0.0, 0.01, 0.0205, 0.0305]
    rows[:, 1] = [0.0, 0.0001, 0.0005, 0.0005]
    delivered, packets, queue_drops = 2, 3, 4
    rows[:, delivered] = [0, 10_000, 20_500, 30_500]
    rows[:, packets] = [0, 10, 20.5, 30.5]
    rows[:, queue_drops] = [0, 0, 0, 3]
    rows[:, 2 + 5] = [30_000, 30_000, 30_000, 30_000]
    frame = samples.to_frame(rows, settings)
    down = frame[frame["direction"] == "downlink"].reset_index()
    assert down["time_s"].tolist() == pytest.approx([0, 0.01, 0.02])
    assert down["delivered_bytes"].tolist() == pytest.approx([10_000] * 3)
    assert down["capacity_bytes"].tolist() == pytest.approx([10_000] * 3)
    assert down["backlogged"].tolist() == [True] * 3
    assert not frame.loc[frame["direction"] == "uplink", "backlogged"].any()
    assert down["dropped_queue_packets"].sum() > 2.5
    assert down["dropped_queue_bytes"].iloc[0] == 0 and math.isnan(down["dropped_queue_bytes"].iloc[2])
    assert down["dropped_device_packets"].isna().all()
    assert check(frame).valid
    assert len(samples.to_frame(rows[:0], settings)) == len(samples.to_frame(rows[:1], settings)) == 0


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


def packet(protocol, flags=0, data_bytes=0):
    tcp = struct.pack(">HHIIBBHHH", 1, 2, 0, 0, 5 << 4, flags, 0, 0, 0)
    total = 20 + 20 + data_bytes
    return struct.pack(">BBHHHBBHII", 0x45, 0, total, 0, 0, 64, protocol, 0, 0, 0) + tcp + bytes(data_bytes)


def test_the_first_packet_is_one_that_opens_or_carries_or_is_not_tcp():
    syn, ack, fin, reset = 0x02, 0x10, 0x01, 0x04
    assert starts(packet(17)) and starts(packet(6, syn)) and starts(packet(6, ack, 1))
    assert not any(starts(packet(6, flags)) for flags in (ack, ack | fin, reset))
