"""Lists of delivery opportunities, one a line, as Mahimahi's mm-link and CellReplay read them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.bounds import LONGEST_S, MOST_TEXT_BYTES
from mmwemu.core.errors import InputError
from mmwemu.core.text import read_text, shown
from mmwemu.core.units import ms
from mmwemu.pattern.formats.repeating import repeated
from mmwemu.pattern.model import Floats, Pattern

LAST_MS = int(ms(LONGEST_S))
_MOST_DIGITS = 12
_DIGITS = re.compile(r"[0-9\n]+")
_LINE = re.compile(rf"[0-9]{{1,{_MOST_DIGITS}}}")


@dataclass(frozen=True)
class Opportunities:
    """One direction.

    Attributes
    ----------
    path
        The file.
    at_ms, counts
        The milliseconds that have opportunities, counted from 0 [n], and how many each has [n].
    period_ms
        When it starts again, ms.
    size_bytes
        The packet that an opportunity lets pass, bytes.
    """

    path: Path
    at_ms: NDArray[np.int64]
    counts: NDArray[np.int64]
    period_ms: int
    size_bytes: int

    def steps(self, until_ms: int) -> tuple[NDArray[np.int64], Floats]:
        """Return the start of each step [n_step], ms, and its rate [n_step], bit/s, up to a time not before the period.

        Raises
        ------
        InputError
            If there are too many of them.
        """
        starts = np.union1d(np.append(self.at_ms, 0), self.at_ms + 1)
        starts = starts[starts < self.period_ms]
        rate_bps = np.zeros(len(starts))
        rate_bps[np.searchsorted(starts, self.at_ms)] = self.counts * bits_per_ms(self.size_bytes)
        starts, rate_bps = _joined(starts, rate_bps)
        starts, rows = repeated(self.path, starts, self.period_ms, until_ms)
        return _joined(starts, rate_bps[rows])


def bits_per_ms(size_bytes: int) -> float:
    """Return the rate of one opportunity a millisecond, bit/s."""
    return size_bytes * 8 * 1000.0


def _joined(starts: NDArray[np.int64], values: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Return steps without those that change nothing."""
    keep = np.append(True, np.diff(values) != 0)
    return starts[keep], values[keep]


def load(path: Path, size_bytes: int) -> Opportunities:
    """Read the opportunities of one direction; one at t ms lets a packet pass that has waited since t - 1.

    Raises
    ------
    InputError
        With file and line: what is no millisecond, or a time that runs backwards.
    """
    text = read_text(path)
    if not text.strip():
        raise InputError(str(path), "has no lines; at least one opportunity is needed")
    stamps = _stamps(text.removesuffix("\n") + "\n", path)
    back = np.flatnonzero(np.diff(stamps) < 0)
    if back.size:
        problem = f"is {stamps[back[0] + 1]} after {stamps[back[0]]}; times must not fall"
        raise InputError(f"{path}: line {back[0] + 2}", problem)
    last = int(stamps[-1])
    if not 0 < last <= LAST_MS:
        raise InputError(f"{path}: line {len(stamps)}", f"ends the trace at {last} ms; must be 1 to {LAST_MS} ms")
    firsts = np.flatnonzero(np.diff(np.maximum(stamps, 1), prepend=0))
    at_ms = np.maximum(stamps[firsts], 1) - 1
    return Opportunities(path, at_ms, np.diff(firsts, append=len(stamps)), last, size_bytes)


def _stamps(text: str, path: Path) -> NDArray[np.int64]:
    """Return the whole numbers of lines that have one each, in a few times the memory of the text."""
    ends = np.flatnonzero(np.frombuffer(text.encode(), np.uint8) == ord("\n"))
    lengths = np.diff(ends, prepend=-1) - 1
    if not _DIGITS.fullmatch(text) or lengths.min() < 1 or lengths.max() > _MOST_DIGITS:
        for line, found in enumerate(re.finditer(r"([^\n]*)\n", text), 1):
            if not _LINE.fullmatch(found[1]):
                raise InputError(f"{path}: line {line}", f"is {shown(found[1])}; must be a time in whole milliseconds")
    return np.fromstring(text, np.int64, sep="\n")


def text_of(pattern: Pattern, rate_bps: Floats, size_bytes: int, where: str) -> tuple[str, float]:
    """Return a direction's list, and for how long it ends without an opportunity, s.

    Opportunities are rounded cumulatively: at any time they differ from the pattern by less than one.

    Raises
    ------
    InputError
        If a rate is unlimited, or a file would be larger than can be read.
    """
    if np.isinf(rate_bps).any():
        raise InputError(where, "has an unlimited rate, which a list of opportunities cannot express; clip it first")
    edges_ms = ms(np.append(pattern.time_s, pattern.duration_s))
    bits = bits_per_ms(size_bytes)
    sent = np.append(0.0, np.cumsum(rate_bps * np.diff(edges_ms))) / bits
    last_ms = max(1, round(edges_ms[-1]))
    total = int(sent[-1] + 1e-6)
    if (total + 1) * (len(str(last_ms)) + 1) > MOST_TEXT_BYTES:
        problem = f"makes {total} opportunities, a file larger than {MOST_TEXT_BYTES >> 20} MiB; cut the pattern"
        raise InputError(where, problem)
    # The k-th opportunity is due at the first whole millisecond at which k packets have been sent.
    packets = np.arange(1, total + 1) - 1e-6
    step = np.searchsorted(sent, packets) - 1
    due_ms = edges_ms[step] + (packets - sent[step]) * bits / rate_bps[step]
    stamps = np.clip(np.ceil(due_ms - 1e-6), 1, last_ms).astype(np.int64)
    end_ms = int(stamps[-1]) if total else 0
    if end_ms < last_ms:
        stamps = np.append(stamps, last_ms)
    trailing_s = (last_ms - end_ms) / 1e3 if rate_bps[-1] == 0 else 0.0
    return "".join(f"{stamp}\n" for stamp in stamps.tolist()), trailing_s
