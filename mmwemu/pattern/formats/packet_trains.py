"""Packet trains as CellReplay records them: the base delay, and the rate of a short burst."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.bounds import LONGEST_DELAY_S, MOST_STEPS
from mmwemu.core.errors import InputError
from mmwemu.core.text import check_lines, read_text, shown
from mmwemu.core.units import ms
from mmwemu.pattern.formats.opportunities import LAST_MS, bits_per_ms
from mmwemu.pattern.formats.repeating import repeated
from mmwemu.pattern.model import Floats

OPPORTUNITY_BYTES = 1400
LEAST_LINES = 3
ROW = re.compile(r"[0-9]{1,12}(?: [0-9]{1,12}){2,}")
_MOST_DELAY_MS = int(ms(LONGEST_DELAY_S))


@dataclass(frozen=True)
class Trains:
    """Packet trains of one direction: begin [n], ms, base delay [n], ms, and rate of the train [n], bit/s."""

    path: Path
    begin_ms: NDArray[np.int64]
    delay_ms: NDArray[np.int64]
    rate_bps: Floats

    @property
    def period_ms(self) -> int:
        """When it starts again, ms."""
        return int(self.begin_ms[-1])


@dataclass(frozen=True)
class Course:
    """Values over time: the start of each step [n], ms, and its value [n]."""

    starts_ms: NDArray[np.int64]
    values: Floats

    def at(self, times_ms: NDArray[np.int64]) -> Floats:
        """Return the values that hold at times [n], ms."""
        found: Floats = self.values[np.searchsorted(self.starts_ms, times_ms, side="right") - 1]
        return found


def load(path: Path) -> Trains:
    """Read the packet trains of one direction.

    Raises
    ------
    InputError
        With file and line: what is no packet train, times that fall, or beyond the bounds of a pattern.
    """
    content = read_text(path)
    check_lines(content, str(path))
    rows = content.removesuffix("\n").split("\n")
    if len(rows) < LEAST_LINES:
        raise InputError(str(path), f"has {len(rows)} lines; must have at least {LEAST_LINES} packet trains")
    begin, delay, count, length = array("q"), array("q"), array("q"), array("q")
    for line, text in enumerate(rows, 1):
        if not ROW.fullmatch(text):
            rule = "must be time, delay and the times of a packet train, in whole ms, each split by one blank"
            raise InputError(f"{path}: line {line}", f"is {shown(text)}; {rule}")
        at, base, *train = map(int, text.split(" "))
        if begin and at < begin[-1]:
            raise InputError(f"{path}: line {line}", f"is at {at} ms after {begin[-1]} ms; times must not fall")
        if train != sorted(train):
            raise InputError(f"{path}: line {line}", "has a packet train whose times fall")
        if max(at, train[-1]) > LAST_MS or base > _MOST_DELAY_MS:
            raise InputError(
                f"{path}: line {line}", f"is beyond {LAST_MS} ms, or delays by more than {_MOST_DELAY_MS} ms"
            )
        for column, value in ((begin, at), (delay, base), (count, len(train)), (length, train[-1] + 1)):
            column.append(value)
    if begin[-1] == 0:
        raise InputError(f"{path}: line {len(rows)}", "ends the trace at 0 ms; it must last")
    whole = [np.array(column, dtype=np.int64) for column in (begin, delay, count, length)]
    # As with opportunities, the packet at t ms takes the millisecond before t.
    return Trains(path, whole[0], whole[1], whole[2] * bits_per_ms(OPPORTUNITY_BYTES) / whole[3])


def rates(trains: Trains, end_ms: int) -> Course:
    """Return the rate of each train until the next one begins, up to a time, bit/s."""
    return _again(trains, *_last_of_equal(trains.begin_ms, trains.rate_bps), end_ms)


def delays(trains: Trains, end_ms: int) -> Course:
    """Return the base delays up to a time, ms; as in CellReplay interpolated and cut to whole ms.

    Raises
    ------
    InputError
        If they change too often.
    """
    delay_ms, lengths = trains.delay_ms, np.diff(trains.begin_ms)
    changes = np.diff(delay_ms)
    levels = np.abs(changes)
    if levels.sum() > MOST_STEPS:
        raise InputError(
            str(trains.path), f"has {levels.sum()} changes of the delay by 1 ms; must be at most {MOST_STEPS}"
        )
    owner = np.repeat(np.arange(len(levels)), levels)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(levels) - levels, levels) + 1
    length, most = lengths[owner], levels[owner]
    rising = -(-number * length // most)
    falling = np.where(length > 0, (number - 1) * length // most + 1, 0)
    after = np.where(changes[owner] > 0, rising, falling)
    starts = np.append(0, trains.begin_ms[owner] + after)
    values = np.append(delay_ms[:1], delay_ms[owner] + np.sign(changes[owner]) * number).astype(np.float64)
    return _again(trains, *_last_of_equal(starts, values), end_ms)


def _last_of_equal(starts: NDArray[np.int64], values: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Return steps whose starts rise, from 0 on; of equal starts the last counts."""
    keep = np.append(np.diff(starts) > 0, True)
    starts, values = starts[keep], values[keep]
    starts[0] = 0
    return starts, values


def _again(trains: Trains, starts: NDArray[np.int64], values: Floats, end_ms: int) -> Course:
    """Repeat what comes before the end of the period."""
    inside = starts < trains.period_ms
    starts, rows = repeated(trains.path, starts[inside], trains.period_ms, end_ms)
    return Course(starts, values[inside][rows])
