"""A replay in simulated time against qdiscs in memory."""

import numpy as np
import pytest

from mmwemu.link.check import check
from mmwemu.link.replay import resolve
from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.backends.tc import samples
from mmwemu.testbed.backends.tc import tbf as plan
from mmwemu.testbed.backends.tc.replayer import Replayer
from mmwemu.testbed.backends.tc.rtnetlink import Counters
from tests.patterns import make_pattern


class FluidQdiscs:
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


def run(settings, qdiscs, duration_s, late_s=lambda: 0.0, mode="tbf"):
    rows = []
    replayer = Replayer(resolve(settings), mode, qdiscs, rows.append, with_netem=False)
    qdiscs.advance(100.0)
    replayer.begin(100.0)
    while replayer.next_s < 100.0 + duration_s:
        qdiscs.advance(replayer.next_s + late_s())
        replayer.poll(qdiscs.now_s)
    qdiscs.advance(100.0 + duration_s)
    replayer.sample(qdiscs.now_s)
    return replayer, np.array(rows)


@pytest.mark.parametrize("rates_bps", [[100e6, 50e6], [1e6, 2e6, 4e6], [20e6, 0, 80e6]])
def test_the_integral_holds_over_steps_of_10_ms(rates_bps):
    settings = LinkSettings(make_pattern(rates_bps, step_s=0.01), delay_s=0.0, start="now")
    qdiscs = FluidQdiscs()
    clock = np.random.default_rng(1)
    replayer, rows = run(settings, qdiscs, 3.0, lambda: clock.exponential(0.0001))
    assert qdiscs.sent[0] * 1500 == pytest.approx(np.mean(rates_bps) / 8 * 3.0, rel=0.01)
    assert 0 < np.median(replayer.lateness_s) < 0.001
    frame = samples.to_frame(rows, resolve(settings))
    assert check(frame).device_drops == 0
    assert frame["delivered_bytes"].sum() == pytest.approx(sum(qdiscs.sent) * 1500, abs=8000, rel=0.001)


def test_a_step_that_changes_nothing_is_skipped_and_a_rise_wakes():
    settings = LinkSettings(make_pattern([1e6, 1e6, 1e6, 5e6], step_s=0.1, end="hold"), delay_s=0.0, start="now")
    qdiscs = FluidQdiscs()
    run(settings, qdiscs, 1.0)
    own = plan.shape(1e6, 1_500_000), plan.shape(5e6, 1_500_000)
    downlink = [(round(s - 100, 3), tbf in own, wake) for s, direction, tbf, wake in qdiscs.changes if direction == 0]
    # A rate that makes up for the bucket's filling, then the step's own.
    assert downlink == [(0.0, False, True), (0.06, True, True), (0.3, False, True), (0.31, True, True)]


def test_outages_hold_or_lose():
    for outage, setting in (("hold", plan.hold), ("drop", plan.lose)):
        settings = LinkSettings(make_pattern([1e6, 0], step_s=0.1, outage=outage), delay_s=0.0, start="now")
        qdiscs = FluidQdiscs()
        run(settings, qdiscs, 0.15)
        assert qdiscs.changes[-1][2] == setting(1_500_000)


def test_lateness_is_logged_and_skipped_steps_are_not_made_up_one_by_one():
    settings = LinkSettings(make_pattern([1e6, 2e6, 3e6, 4e6], step_s=0.01, end="hold"), delay_s=0.0, start="now")
    qdiscs = FluidQdiscs()
    late_s = iter([0.0155, *[0.0] * 100])
    replayer, rows = run(settings, qdiscs, 0.1, lambda: next(late_s))
    assert replayer.lateness_s == pytest.approx([0.0, 0.005, 0.0], abs=1e-5)
    assert rows[1:, 1].max() == pytest.approx(0.015, abs=1e-5)


class CountedQdiscs:
    """Qdiscs whose counters the test sets, and that write down all they are told."""

    def __init__(self):
        self.now_s = 100.0
        self.of_netem = [Counters(0, 0, 0, 0, 0)] * 2
        self.of_tbf = [Counters(0, 0, 0, 0, 0)] * 2
        self.installed, self.netems, self.tbfs = [], [], []
        self.read_s = []

    def install(self, direction, netem, tbf):
        self.installed.append((netem, tbf))

    def set_netem(self, direction, netem):
        self.netems.append((direction, netem.step.delay_s))

    def set_tbf(self, direction, tbf, *, wake):
        self.tbfs.append((round(self.now_s - 100, 6), direction, tbf, wake))

    def refresh(self):
        self.read_s.append(round(self.now_s - 100, 6))
        return self.now_s

    def counters(self, direction):
        return self.of_netem[direction], self.of_tbf[direction]


def replayer_of(qdiscs, pattern, rows=None, *, mode="tbf", with_netem=False, **options):
    replay = resolve(LinkSettings(pattern, **({"delay_s": 0.0, "start": "now"} | options)))
    return Replayer(replay, mode, qdiscs, (rows if rows is not None else []).append, with_netem=with_netem)


def poll(replayer, qdiscs, *times_s):
    for time_s in times_s:
        qdiscs.now_s = 100.0 + time_s
        replayer.poll(qdiscs.now_s)


def test_until_it_begins_packets_wait_and_nothing_is_due():
    qdiscs, rows = CountedQdiscs(), []
    replayer = replayer_of(qdiscs, make_pattern([8e6]), rows)
    assert qdiscs.installed == [(None, plan.hold(1_500_000))] * 2
    assert (replayer.begun, replayer.next_s) == (False, np.inf)
    replayer.poll(100.0)
    replayer.sample(100.0)
    assert rows == [] and qdiscs.tbfs == []
    replayer.begin(100.0)
    assert replayer.begun


def test_mode_netem_rate_has_netems_only_whose_limit_is_their_default():
    qdiscs = CountedQdiscs()
    replayer = replayer_of(qdiscs, make_pattern([8e6, 16e6], delay_s=0.02), mode="netem-rate")
    assert replayer.limit_packets == 1000
    (down, tbf), _ = qdiscs.installed
    assert (down.rate_bytes_ps, down.limit_packets, down.step.delay_s, tbf) == (1_000_000, 1000, 0.02, None)
    replayer.begin(100.0)
    poll(replayer, qdiscs, 0.5)
    assert len(qdiscs.netems) == 2 and qdiscs.tbfs == []


def test_a_netem_above_changes_with_the_delay_alone():
    qdiscs = CountedQdiscs()
    pattern = make_pattern([8e6, 16e6, 16e6], delay_s=[0.0, 0.0, 0.03], end="hold")
    replayer = replayer_of(qdiscs, pattern, with_netem=True, delay_s=0.011)
    assert qdiscs.installed[0][0].step.delay_s == 0.011
    assert qdiscs.installed[0][0].limit_packets == replayer.limit_packets > 1000
    replayer.begin(100.0)
    poll(replayer, qdiscs, 0.5)
    assert qdiscs.netems == []
    poll(replayer, qdiscs, 1.0)
    assert qdiscs.netems == [(0, pytest.approx(0.041)), (1, pytest.approx(0.041))]


def test_samples_are_due_each_10_ms_and_steps_are_prepared_half_a_millisecond_before():
    qdiscs, rows = CountedQdiscs(), []
    replayer = replayer_of(qdiscs, make_pattern([8e6, 16e6], step_s=0.025), rows)
    due_s = []
    replayer.begin(100.0)
    while len(due_s) < 8:
        due_s.append(round(replayer.next_s - 100, 6))
        poll(replayer, qdiscs, due_s[-1])
    assert due_s == [0.01, 0.02, 0.0245, 0.025, 0.03, 0.04, 0.0495, 0.05]
    assert [round(row[0], 6) for row in rows] == [0, 0.01, 0.02, 0.03, 0.04, 0.05]
    # The counters are read before a step, so that only its settings are to be made at its time.
    assert qdiscs.read_s == [0, 0.01, 0.02, 0.0245, 0.03, 0.04, 0.0495, 0.05]
    assert rows[0] == [0.0, 100.0, *[0.0] * 14]


def test_a_replay_that_starts_in_the_pattern_has_its_steps_earlier():
    qdiscs = CountedQdiscs()
    replayer = replayer_of(qdiscs, make_pattern([8e6, 16e6, 24e6], step_s=0.05), start_at_s=0.06)
    replayer.begin(100.0)
    # The second step ends in 40 ms.
    poll(replayer, qdiscs, 0.005, 0.01, 0.02, 0.03)
    assert replayer.next_s == pytest.approx(100.0395)
    poll(replayer, qdiscs, 0.0395, 0.04)
    downlink = [(time_s, tbf.rate_bytes_ps) for time_s, direction, tbf, _ in qdiscs.tbfs if direction == 0]
    assert downlink == [(0.0, 2_000_000), (0.04, 3_000_000)]
    assert replayer.lateness_s == pytest.approx([0.0, 0.0], abs=1e-6)


def test_a_sample_tells_drops_by_their_cause():
    qdiscs, rows = CountedQdiscs(), []
    pattern = make_pattern([8e6, 0.0, 8e6], step_s=0.02, outage="drop", end="hold")
    replayer = replayer_of(qdiscs, pattern, rows, with_netem=True)
    replayer.begin(100.0)
    # Of 7 packets that netem lost, 2 were tbf's, for its queue was full.
    qdiscs.of_netem[0], qdiscs.of_tbf[0] = Counters(0, 0, 7, 0, 0), Counters(15_000, 10, 2, 3000, 2)
    poll(replayer, qdiscs, 0.01)
    assert rows[-1] == [pytest.approx(0.01), pytest.approx(0, abs=1e-6), 15_000, 10, 2, 0, 5, 3000, 2, *[0] * 7]
    poll(replayer, qdiscs, 0.02)
    qdiscs.of_netem[0], qdiscs.of_tbf[0] = Counters(0, 0, 17, 0, 0), Counters(15_000, 10, 8, 3000, 2)
    poll(replayer, qdiscs, 0.03)
    assert rows[-1][2:9] == [15_000, 10, 2, 6, 9, 3000, 2]
    qdiscs.of_tbf[1] = Counters(1500, 1, 0, 0, 0)
    qdiscs.now_s = 100.033
    replayer.sample(100.033)
    assert (rows[-1][0], rows[-1][9:11]) == (pytest.approx(0.033), [1500, 1])
    # There is nothing new at the same time.
    replayer.sample(100.033)
    assert len(rows) == 5


def test_lateness_of_steps_is_told_with_the_next_sample_and_then_forgotten():
    qdiscs, rows = CountedQdiscs(), []
    replayer = replayer_of(qdiscs, make_pattern([8e6, 16e6, 8e6, 16e6], step_s=0.025, end="hold"), rows)
    replayer.begin(100.0)
    poll(replayer, qdiscs, 0.01, 0.02, 0.0245, 0.028, 0.03, 0.043)
    assert replayer.lateness_s == pytest.approx([0.0, 0.003], abs=1e-6)
    assert [row[1] for row in rows[1:]] == pytest.approx([0, 0, 0.003, 0.003], abs=1e-6)
    # The sample of 50 ms, not that of 40 ms again.
    assert replayer.next_s == pytest.approx(100.0495)


def test_only_a_qdisc_with_waiting_packets_that_held_or_was_slower_is_woken():
    woken = {}
    for backlog in (0, 2):
        qdiscs = CountedQdiscs()
        replayer = replayer_of(qdiscs, make_pattern([8e6, 80e6, 8e6], step_s=0.02, end="hold"))
        qdiscs.of_tbf[0] = Counters(0, 0, 0, 1500 * backlog, backlog)
        replayer.begin(100.0)
        poll(replayer, qdiscs, 0.01, 0.0195, 0.02, 0.03, 0.0395, 0.04)
        woken[backlog] = [(time_s, wake) for time_s, direction, _, wake in qdiscs.tbfs if direction == 0]
    assert woken[0] == [(0.0, False), (0.02, False), (0.04, False)]
    assert woken[2] == [(0.0, True), (0.02, True), (0.04, False)]


def test_the_first_correction_lasts_to_the_second_sample():
    qdiscs = CountedQdiscs()
    qdiscs.of_tbf[0] = Counters(0, 0, 0, 90_000, 60)
    replayer = replayer_of(qdiscs, make_pattern([8e6, 16e6], step_s=0.355, end="hold"))
    replayer.begin(100.0)
    assert qdiscs.tbfs[0][2].rate_bytes_ps * 8 == pytest.approx(8e6 - 2 * 1600 * 8 / 0.02, abs=100)
    # A step half-way between two samples has 15 ms.
    for time_s in np.arange(1, 36) / 100:
        qdiscs.of_tbf[0] = Counters(round(1e6 * time_s), 0, 0, 90_000, 60)
        poll(replayer, qdiscs, time_s)
    qdiscs.of_tbf[0] = Counters(354_500, 0, 0, 90_000, 60)
    poll(replayer, qdiscs, 0.3545, 0.355)
    time_s, _, tbf, _ = [change for change in qdiscs.tbfs if change[1] == 0][-1]
    assert (time_s, tbf.rate_bytes_ps * 8) == (0.355, pytest.approx(16e6 - 2 * 1600 * 8 / 0.015, rel=0.02))


def test_a_replay_that_starts_in_the_pattern_is_prepared_for_its_steps():
    qdiscs = CountedQdiscs()
    replayer = replayer_of(qdiscs, make_pattern([8e6, 16e6, 24e6], step_s=0.05), start_at_s=0.065)
    replayer.begin(100.0)
    poll(replayer, qdiscs, 0.01, 0.02, 0.03, 0.0344, 0.0345, 0.035)
    assert qdiscs.read_s == [0, 0.01, 0.02, 0.03, 0.0345]
    # A step that nothing prepared reads them itself.
    poll(replayer, qdiscs, 0.04, 0.05, 0.06, 0.07, 0.08, 0.0851)
    assert qdiscs.read_s[5:] == [0.04, 0.05, 0.06, 0.07, 0.08, 0.0851]


def test_the_same_rate_set_again_wakes_nobody():
    qdiscs = CountedQdiscs()
    qdiscs.of_tbf[0] = Counters(0, 0, 0, 90_000, 60)
    replayer = replayer_of(qdiscs, make_pattern([8e6]))
    replayer.begin(100.0)
    poll(replayer, qdiscs, 0.01)
    for time_s, sent_bytes in ((0.02, 20_000), (0.03, 26_000)):  # then 4 kB less than it may be: a bucket is owed
        qdiscs.of_tbf[0] = Counters(sent_bytes, 20, 0, 90_000, 60)
        poll(replayer, qdiscs, time_s)
    downlink = [(time_s, tbf.rate_bytes_ps == 1_000_000, wake) for time_s, way, tbf, wake in qdiscs.tbfs if way == 0]
    assert downlink == [(0.0, False, True), (0.02, True, True), (0.03, True, False)]
