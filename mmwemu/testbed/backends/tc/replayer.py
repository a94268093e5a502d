"""One replay by backend tc: the settings that are due, the bytes sent, the samples. No clock and no socket in here."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

from mmwemu.link.replay import Replay
from mmwemu.link.telemetry import BIN_S
from mmwemu.testbed.backends.tc.netem import DEFAULT_LIMIT_PACKETS, Netem, limit_packets, netem_above, netem_alone
from mmwemu.testbed.backends.tc.rtnetlink import Counters
from mmwemu.testbed.backends.tc.samples import ROW
from mmwemu.testbed.backends.tc.shaper import Shaper
from mmwemu.testbed.backends.tc.support import TcMode
from mmwemu.testbed.backends.tc.tbf import Tbf
from mmwemu.testbed.backends.tc.timeline import Span, Step, Timeline, coarsen

N_DIRECTION = 2
PREPARE_S = 0.0005
_ROUNDING_S = 1e-7  # the sum of two floats may fall short of the time at which something is due


class QdiscPair(Protocol):
    """The qdiscs of both directions, numbered 0 for downlink and 1 for uplink."""

    def install(self, direction: int, netem: Netem | None, tbf: Tbf | None) -> None:
        """Put new qdiscs in the place of the old; what was in them is gone."""

    def set_netem(self, direction: int, netem: Netem) -> None:
        """Change delay and loss."""

    def set_tbf(self, direction: int, tbf: Tbf, *, wake: bool) -> None:
        """Change the rate; ``wake`` where the qdisc may sleep past the change."""

    def counters(self, direction: int) -> tuple[Counters, Counters]:
        """Return the counters of netem and tbf (the same twice without netem), as of the last `refresh`."""

    def refresh(self) -> float:
        """Read all counters; return when they had these values, on the caller's clock, s."""


class Replayer:
    """A pattern on its way.

    Parameters
    ----------
    replay, mode
        What to replay, and how.
    qdiscs
        Those of both directions.
    with_netem
        Whether there is a netem above the tbf.
    write
        Takes each row of samples; see `mmwemu.testbed.backends.tc.samples`.
    """

    def __init__(
        self,
        replay: Replay,
        mode: TcMode,
        qdiscs: QdiscPair,
        write: Callable[[Sequence[float]], None],
        *,
        with_netem: bool,
    ) -> None:
        self._replay, self._mode, self._qdiscs, self._write = replay, mode, qdiscs, write
        self._with_netem = with_netem or mode == "netem-rate"
        self._timeline = Timeline(coarsen(replay.pattern))
        self._shapers = [Shaper(queue.size_bytes) for queue in (replay.downlink, replay.uplink)]
        self.lateness_s: list[float] = []
        self._epoch_s = math.nan
        self._span: Span | None = None
        self._sampled_s = 0.0
        self._next_sample_s = BIN_S
        self._counted_s = 0.0
        self._late_s = 0.0
        self._prepared = False
        self.limit_packets = DEFAULT_LIMIT_PACKETS if mode == "netem-rate" else limit_packets(replay)
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
        step_s = self._span.end_s - self._replay.start_at_s
        if not self._prepared:
            step_s -= PREPARE_S
        return self._epoch_s + min(self._next_sample_s, step_s)

    def begin(self, now_s: float) -> None:
        """Let the pattern's time start."""
        self._epoch_s = now_s
        self._qdiscs.refresh()
        for direction, shaper in enumerate(self._shapers):
            shaper.before = self._qdiscs.counters(direction)[1]
        self._write([0.0, now_s, *[0.0] * (ROW - 2)])  # what waits already has come in the first bin
        self._prepared = True
        self.poll(now_s)

    def poll(self, now_s: float) -> None:
        """Set the qdiscs and take the samples that are due.

        Shortly before a step the balances are settled, so that only the settings remain to be done at its time.
        """
        if not self.begun:
            return
        time_s = now_s - self._epoch_s + _ROUNDING_S
        span = self._timeline.span(time_s + self._replay.start_at_s)
        late_s = 0.0
        if self._span is None or span.begin_s > self._span.begin_s:
            late_s = time_s - max(span.begin_s - self._replay.start_at_s, 0.0)
            self._step(span, time_s, late_s)
        elif not self._prepared and time_s >= span.end_s - self._replay.start_at_s - PREPARE_S:
            self._count()
            self._prepared = True
        if time_s >= self._next_sample_s:
            late_s = max(late_s, time_s - self._next_sample_s)
            counted_s = self._count()
            self._sample(counted_s, late_s)
            while self._next_sample_s <= counted_s + _ROUNDING_S:
                self._next_sample_s += BIN_S
            for direction, shaper in enumerate(self._shapers):
                self._set_tbf(direction, shaper.sample())
        else:
            self._late_s = max(self._late_s, late_s)

    def sample(self, now_s: float) -> None:
        """Write down what has been counted up to now."""
        if self.begun and now_s - self._epoch_s > self._sampled_s:
            self._sample(self._count(), 0.0)

    def _step(self, span: Span, time_s: float, late_s: float) -> None:
        if not self._prepared:
            self._count()
        self._span, self._prepared = span, False
        self.lateness_s.append(late_s)
        for direction, shaper in enumerate(self._shapers):
            step = self._timeline.step(direction, span.number)
            if self._with_netem and (netem := self._netem(step)) != shaper.netem:
                self._qdiscs.set_netem(direction, netem)
                shaper.netem = netem
            if shaper.tbf is not None:
                lasts_s = self._timeline.lasts_s(direction, span, time_s + self._replay.start_at_s)
                to_sample_s = max(self._next_sample_s - time_s, 0.0)
                drops = self._replay.pattern.outage == "drop"
                self._set_tbf(direction, shaper.step(step.rate_bps, lasts_s, to_sample_s, drops=drops))

    def _set_tbf(self, direction: int, tbf: Tbf | None) -> None:
        shaper = self._shapers[direction]
        before = shaper.tbf
        if tbf is None or before is None:
            return
        sleepy = before.burst_bytes == 0 or before.rate_bytes_ps < tbf.rate_bytes_ps
        self._qdiscs.set_tbf(direction, tbf, wake=sleepy and shaper.before.backlog_packets > 0)
        shaper.tbf = tbf

    def _install(self, direction: int) -> None:
        """Put qdiscs in place; a tbf holds until the beginning, so that the first packet meets the first step."""
        shaper = self._shapers[direction]
        step = self._timeline.step(direction, 0)
        if self._mode == "tbf":
            shaper.tbf = shaper.wait()
        if self._with_netem:
            shaper.netem = self._netem(step)
        self._qdiscs.install(direction, shaper.netem, shaper.tbf)

    def _netem(self, step: Step) -> Netem:
        if self._mode == "netem-rate":
            return netem_alone(step, self._replay)
        return netem_above(step, self._replay, self.limit_packets)

    def _count(self) -> float:
        """Read the counters and settle the balances; return the time of that since the epoch, s."""
        time_s = max(self._qdiscs.refresh() - self._epoch_s, self._counted_s)
        start_at_s = self._replay.start_at_s
        for direction, shaper in enumerate(self._shapers):
            capacity_bytes = self._timeline.capacity_bytes(direction, self._counted_s + start_at_s, time_s + start_at_s)
            shaper.settle(self._qdiscs.counters(direction)[1], capacity_bytes, time_s - self._counted_s)
        self._counted_s = time_s
        return time_s

    def _sample(self, time_s: float, late_s: float) -> None:
        row = [time_s, max(late_s, self._late_s, *(shaper.lateness_s for shaper in self._shapers))]
        for direction, shaper in enumerate(self._shapers):
            netem, tbf = self._qdiscs.counters(direction)
            queue_drops = tbf.drops - shaper.outage_drops
            loss_drops = netem.drops - tbf.drops
            row += [tbf.bytes, tbf.packets, queue_drops, shaper.outage_drops, loss_drops]
            row += [tbf.backlog_bytes, tbf.backlog_packets]
            shaper.lateness_s = 0.0
        self._sampled_s, self._late_s = time_s, 0.0
        self._write(row)
