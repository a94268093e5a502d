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
