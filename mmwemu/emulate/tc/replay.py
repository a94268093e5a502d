"""One replay: which settings are due, what was sent, what is written down. No clock and no socket in here."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

from mmwemu.emulate.link import MTU_BYTES, LinkSettings, TcMode
from mmwemu.emulate.tc import plan
from mmwemu.emulate.tc.ledger import MOST_BUCKETS, Ledger
from mmwemu.emulate.tc.netem import STUDY_LIMIT_PACKETS, Netem, limit_packets, netem_above, netem_alone
from mmwemu.emulate.tc.plan import Tbf
from mmwemu.emulate.tc.rtnetlink import Counters
from mmwemu.emulate.tc.samples import ROW
from mmwemu.emulate.tc.timeline import Span, Step, Timeline, coarsen
from mmwemu.emulate.telemetry import BIN_S

N_DIRECTION = 2
_ROUNDING_S = 1e-7  # what is due at a time is due although the sum of two floats falls short of it
_NO_PACKETS = Counters(0, 0, 0, 0, 0)


class Port(Protocol):
    """The qdiscs of both directions, numbered 0 for downlink and 1 for uplink."""

    def install(self, direction: int, netem: Netem | None, tbf: Tbf | None) -> None:
        """Put new qdiscs in the place of the old; what was in them is gone."""

    def set_netem(self, direction: int, netem: Netem) -> None:
        """Change delay and loss."""

    def set_tbf(self, direction: int, tbf: Tbf, *, wake: bool) -> None:
        """Change the rate; ``wake`` where the qdisc may sleep past the change."""

    def counters(self, direction: int) -> tuple[Counters, Counters]:
        """Give what netem and tbf have counted (the same twice where there is only one), as of the last `refresh`."""

    def refresh(self) -> None:
        """Read all counters."""


class _Lane:
    """What one direction is set to, and its account."""

    def __init__(self, queue_bytes: int) -> None:
        self.queue_bytes = queue_bytes
        self.ledger = Ledger()
        self.netem: Netem | None = None
        self.tbf: Tbf | None = None
        self.asked_bps = math.nan
        self.bucket_bytes = 0.0
        self.outage_drops = 0
        self.loses = False
        self.before = _NO_PACKETS

    def most_bytes(self, sent_bytes: int, now: Counters) -> float:
        """Give what may be owed since ``before``: the more the surer it is that packets waited all the time."""
        if not self.before.backlog_bytes or not now.backlog_bytes:
            return 0.0
        return self.bucket_bytes * (MOST_BUCKETS if self.before.backlog_bytes > sent_bytes else 1)


class Replay:
    """A pattern on its way.

    Parameters
    ----------
    settings, mode
        What to replay, and how.
    port
        The qdiscs.
    with_netem
        Whether there is a netem above the tbf.
    write
        Takes each row of samples; see `mmwemu.emulate.tc.samples`.
    """

    def __init__(
        self,
        settings: LinkSettings,
        mode: TcMode,
        port: Port,
        write: Callable[[Sequence[float]], None],
        *,
        with_netem: bool,
    ) -> None:
        self._settings, self._mode, self._port, self._write = settings, mode, port, write
        self._with_netem = with_netem or mode == "netem-rate"
        self._timeline = Timeline(coarsen(settings.pattern))
        self._lanes = [_Lane(size_bytes) for size_bytes in plan.queue_bytes(settings)]
        self.lateness_s: list[float] = []
        self._epoch_s = math.nan
        self._span: Span | None = None
        self._sampled_s = 0.0
        self._next_sample_s = BIN_S
        self._row_lateness_s = 0.0
        self.limit_packets = STUDY_LIMIT_PACKETS if mode == "netem-rate" else limit_packets(settings)
        for direction in range(N_DIRECTION):
            self._install(direction)

    @property
    def begun(self) -> bool:
        """Whether the pattern's time runs."""
        return not math.isnan(self._epoch_s)

    @property
    def next_s(self) -> float:
        """When `poll` is due next, on the caller's clock, s; inf before the beginning."""
        if self._span is None:
            return math.inf
        return self._epoch_s + min(self._next_sample_s, self._span.end_s - self._settings.start_at_s)

    def begin(self, now_s: float) -> None:
        """Let the pattern's time start."""
        self._epoch_s = now_s
        self._port.refresh()
        for direction, lane in enumerate(self._lanes):
            lane.before = self._port.counters(direction)[1]
        self._write([0.0, now_s, *[0.0] * (ROW - 2)])  # what waits already has come in the first bin
        self.poll(now_s)

    def poll(self, now_s: float) -> None:
        """Do what is due."""
        if not self.begun:
            return
        time_s = now_s - self._epoch_s + _ROUNDING_S
        span = self._timeline.span(time_s + self._settings.start_at_s)
        stepped = self._span is None or span.begin_s > self._span.begin_s
        if time_s < self._next_sample_s and not stepped:
            return
        self._port.refresh()
        due_s = self._next_sample_s
        if stepped:
            begin_s = max(span.begin_s - self._settings.start_at_s, 0.0)
            due_s = min(due_s, begin_s)
            self.lateness_s.append(time_s - begin_s)
        self._settle(time_s)
        if time_s > self._sampled_s:
            self._sample(time_s, max(time_s - due_s, 0.0))
        while self._next_sample_s <= time_s:
            self._next_sample_s += BIN_S
        if stepped:
            self._span = span
            for direction in range(N_DIRECTION):
                lasts_s = self._timeline.lasts_s(direction, span, time_s + self._settings.start_at_s)
                self._set(direction, self._timeline.step(direction, span.number), lasts_s)
        else:
            for direction in range(N_DIRECTION):
                self._pay(direction)

    def sample(self, now_s: float) -> None:
        """Write down what has been counted up to now."""
        if self.begun and now_s - self._epoch_s > self._sampled_s:
            self._port.refresh()
            self._settle(now_s - self._epoch_s)
            self._sample(now_s - self._epoch_s, 0.0)

    def _install(self, direction: int) -> None:
        """Put qdiscs in place; a tbf holds until the beginning, so that the first packet meets the first step."""
        lane = self._lanes[direction]
        step = self._timeline.step(direction, 0)
        if self._mode == "tbf":
            lane.tbf = plan.hold(lane.queue_bytes)
        if self._with_netem:
            lane.netem = self._netem(step)
        self._port.install(direction, lane.netem, lane.tbf)

    def _set(self, direction: int, step: Step, lasts_s: float) -> None:
        lane = self._lanes[direction]
        if self._with_netem:
            netem = self._netem(step)
            if netem != lane.netem:
                self._port.set_netem(direction, netem)
                lane.netem = netem
        lane.loses = step.rate_bps == 0 and self._settings.pattern.outage == "drop"
        if lane.tbf is None or step.rate_bps == lane.asked_bps:
            return
        before, lane.tbf = lane.tbf, self._tbf(lane, step, lasts_s)
        lane.asked_bps = step.rate_bps
        sleepy = before.burst_bytes == 0 or before.rate_bytes_ps < lane.tbf.rate_bytes_ps
        self._port.set_tbf(direction, lane.tbf, wake=sleepy and lane.before.backlog_packets > 0)

    def _pay(self, direction: int) -> None:
        """Within a step, give a bucket that is owed."""
        lane = self._lanes[direction]
        if lane.tbf is not None and lane.asked_bps > 0 and lane.ledger.owed_bytes > lane.bucket_bytes + MTU_BYTES:
            self._port.set_tbf(direction, lane.tbf, wake=False)

    def _netem(self, step: Step) -> Netem:
        if self._mode == "netem-rate":
            return netem_alone(step, self._settings)
        return netem_above(step, self._settings, self.limit_packets)

    def _tbf(self, lane: _Lane, step: Step, lasts_s: float) -> Tbf:
        queue_bytes = lane.queue_bytes
        if lane.loses:
            return plan.lose(queue_bytes)
        if step.rate_bps == 0:
            return plan.hold(queue_bytes)
        lane.bucket_bytes = plan.bucket_bytes(step.rate_bps)
        busy = lane.before.backlog_bytes > 0
        gift_bytes = min(lane.bucket_bytes, lane.before.backlog_bytes) if busy else 0.0
        rate_bps = lane.ledger.rate_bps(step.rate_bps, lasts_s, gift_bytes)
        return plan.shape(rate_bps, queue_bytes) if rate_bps > 0 else plan.hold(queue_bytes)

    def _settle(self, time_s: float) -> None:
        """Enter what was sent since the last sample into the accounts."""
        start_at_s = self._settings.start_at_s
        for direction, lane in enumerate(self._lanes):
            now = self._port.counters(direction)[1]
            capacity_bytes = self._timeline.capacity_bytes(direction, self._sampled_s + start_at_s, time_s + start_at_s)
            sent_bytes = now.bytes - lane.before.bytes
            lane.ledger.settle(sent_bytes, capacity_bytes, lane.most_bytes(sent_bytes, now))
            if lane.loses:
                lane.outage_drops += now.drops - lane.before.drops
            lane.before = now

    def _sample(self, time_s: float, lateness_s: float) -> None:
        row = [time_s, lateness_s]
        for direction, lane in enumerate(self._lanes):
            netem, tbf = self._port.counters(direction)
            queue_drops = tbf.drops - lane.outage_drops
            loss_drops = netem.drops - tbf.drops
            row += [tbf.bytes, tbf.packets, queue_drops, lane.outage_drops, loss_drops]
            row += [tbf.backlog_bytes, tbf.backlog_packets]
        self._sampled_s = time_s
        self._write(row)
