"""Live text view of a link: rate, queue and delay of the last seconds."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click
import numpy as np

from mmwemu.core.units import mbps, ms
from mmwemu.link.replay import Replay
from mmwemu.link.telemetry import BIN_S
from mmwemu.pattern.capacity import capacity_bytes
from mmwemu.pattern.model import Floats

if TYPE_CHECKING:
    import pandas as pd

SLOT_S = 0.1
LINES = 6
_SLOT_BINS = round(SLOT_S / BIN_S)
_MOST_SLOTS = 1000
_RATE_LINES = 3
_LABEL_WIDTH, _VALUE_WIDTH = 6, 15
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_BLUE, _GREY, _ORANGE, _RED = 33, 240, 208, 160  # of a terminal's 256 colours
_LONGEST_S = 10.0


@dataclass(frozen=True)
class Slot:
    """A tenth of a second of one direction.

    Attributes
    ----------
    capacity_bps, delivered_bps
        Mean rates of the pattern and of delivered packets.
    queue_bytes
        Longest queue.
    delay_s
        Delay of a packet that arrives at the end of the slot: core link, queue and access link; inf beyond 10 s.
    """

    capacity_bps: float
    delivered_bps: float
    queue_bytes: float
    delay_s: float


class History:
    """The last slots of both directions."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._slots: dict[str, deque[Slot]] = {name: deque(maxlen=_MOST_SLOTS) for name in ("downlink", "uplink")}
        self._sums = dict.fromkeys(self._slots, 0.0)
        self.time_s = 0.0
        """End of the last complete slot; the next telemetry begins here."""

    def add(self, telemetry: pd.DataFrame) -> None:
        """Add telemetry from ``time_s`` on; an incomplete last slot is ignored and must be passed again."""
        n_slot = len(telemetry) // 2 // _SLOT_BINS
        for direction, slots in self._slots.items():
            part = telemetry[telemetry["direction"] == direction].sort_values("time_s")
            for i in range(n_slot):
                bins = part.iloc[i * _SLOT_BINS : (i + 1) * _SLOT_BINS]
                delivered_bytes = float(bins["delivered_bytes"].sum())
                end_s = self.time_s + (i + 1) * SLOT_S
                self._sums[direction] += delivered_bytes
                slots.append(
                    Slot(
                        capacity_bps=float(bins["capacity_bytes"].sum()) * 8 / SLOT_S,
                        delivered_bps=delivered_bytes * 8 / SLOT_S,
                        queue_bytes=float(bins["queue_max_bytes"].max()),
                        delay_s=self._delay_s(direction, end_s, float(bins["queue_bytes"].iloc[-1])),
                    )
                )
        self.time_s += n_slot * SLOT_S

    def draw(self, width: int) -> list[str]:
        """Return `LINES` lines of ``width`` columns for the direction that has carried more bytes so far."""
        direction = max(self._sums, key=lambda name: self._sums[name])
        slots = list(self._slots[direction])[-max(1, width - _LABEL_WIDTH - _VALUE_WIDTH) :]
        now = slots[-1] if slots else Slot(0.0, 0.0, 0.0, math.nan)
        most_bps = max((s.capacity_bps for s in slots if math.isfinite(s.capacity_bps)), default=0.0)
        most_bps = max(most_bps, *(s.delivered_bps for s in slots), 1.0) if slots else 1.0
        most_bytes = max((s.queue_bytes for s in slots), default=0.0)
        finite_s = [s.delay_s for s in slots if math.isfinite(s.delay_s)]
        most_s = max(finite_s, default=0.0)
        title = f" {direction} {self.time_s:.1f} s " if slots else " waits for the first packet "
        rate = _areas([s.delivered_bps / most_bps for s in slots], [s.capacity_bps / most_bps for s in slots])
        numbers = {"Mbit/s": most_bps, "allowed": now.capacity_bps, "came": now.delivered_bps}
        values = [f"{mbps(number):.4g} {what}" for what, number in numbers.items()]
        lines = [click.style(f"──{title}".ljust(width, "─")[:width], fg=_GREY)]
        for i, (label, area) in enumerate(zip(("rate", "", ""), rate, strict=True)):
            lines.append(_line(label, area, len(slots), values[i], width))
        queue = _row([s.queue_bytes / most_bytes if most_bytes else 0.0 for s in slots], _ORANGE)
        lines.append(_line("queue", queue, len(slots), f"{now.queue_bytes / 1e3:.4g} kB", width))
        delay = _row([min(1.0, s.delay_s / most_s) if most_s else 0.0 for s in slots], _RED)
        text = f"{ms(now.delay_s):.1f} ms" if math.isfinite(now.delay_s) else f"> {_LONGEST_S:g} s" if slots else ""
        lines.append(_line("delay", delay, len(slots), text, width))
        return lines

    def _delay_s(self, direction: str, time_s: float, queue_bytes: float) -> float:
        replay = self._replay
        pattern = replay.pattern
        settings = pattern.downlink if direction == "downlink" else pattern.uplink
        ahead = np.arange(round(_LONGEST_S / BIN_S) + 1, dtype=np.float64)
        edges_s: Floats = time_s + replay.start_at_s + ahead * BIN_S
        served: Floats = np.cumsum(capacity_bytes(pattern, settings, edges_s), dtype=np.float64)
        if served[-1] < queue_bytes:
            return math.inf
        i = int(np.argmax(served >= queue_bytes))
        before, after = float(served[i - 1]) if i else 0.0, float(served[i])
        # The rate is assumed constant within a bin.
        share = (queue_bytes - before) / (after - before) if before < after < math.inf else 0.0
        wait_s = (i + share) * BIN_S
        at_s = float(edges_s[0]) + wait_s
        if pattern.end == "loop":
            at_s %= pattern.duration_s
        step = max(0, int(np.searchsorted(pattern.time_s, at_s, side="right")) - 1)
        return float(replay.delay_s + wait_s + settings.delay_s[step])


def _line(label: str, graph: str, n_slot: int, value: str, width: int) -> str:
    room = " " * max(0, width - _LABEL_WIDTH - _VALUE_WIDTH - n_slot)
    return f"{label:<{_LABEL_WIDTH}}{room}{graph} {value:<{_VALUE_WIDTH - 1}}"


def _row(shares: Sequence[float], colour: int) -> str:
    return click.style("".join(_EIGHTHS[math.ceil(min(1.0, share) * 8)] for share in shares), fg=colour)


def _areas(front: Sequence[float], back: Sequence[float]) -> list[str]:
    """Return the lines, from the top, of two overlapping areas; ``front`` and ``back`` are shares of the height."""
    lines = []
    for line in reversed(range(_RATE_LINES)):
        cells = []
        for near, far in zip(front, back, strict=True):
            near_eighths, far_eighths = (
                round(8 * min(1.0, max(0.0, min(1.0, share) * _RATE_LINES - line))) for share in (near, far)
            )
            if far_eighths == 8 and near_eighths < 8:
                cells.append(click.style(_EIGHTHS[near_eighths], fg=_BLUE, bg=_GREY))
            elif near_eighths >= far_eighths or near_eighths > 0:
                cells.append(click.style(_EIGHTHS[near_eighths], fg=_BLUE))
            else:
                cells.append(click.style(_EIGHTHS[far_eighths], fg=_GREY))
        lines.append("".join(cells))
    return lines
