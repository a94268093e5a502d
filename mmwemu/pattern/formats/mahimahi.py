"""Traces of Mahimahi's mm-link, one opportunity of 1500 bytes a line; see docs/formats/mahimahi.md."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.bounds import LONGEST_S, MOST_STEPS, MOST_TEXT_BYTES
from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.names import check_path
from mmwemu.core.text import read_text, shown
from mmwemu.core.units import ms
from mmwemu.pattern.formats.format import END, OUTAGE, Format, Option, Reading, Values
from mmwemu.pattern.formats.making import held, left_out, make, rates
from mmwemu.pattern.model import Floats, Pattern

OPPORTUNITY_BYTES = 1500
_BITS_PER_MS = OPPORTUNITY_BYTES * 8 * 1000.0
_MOST_DIGITS = 12
_LINE = re.compile(rf"[0-9]{{1,{_MOST_DIGITS}}}")
_LAST_MS = int(ms(LONGEST_S))


@dataclass(frozen=True)
class _Trace:
    """One direction: the milliseconds that have opportunities, counted from 0, how many each has, and the period."""

    path: Path
    at_ms: NDArray[np.int64]
    counts: NDArray[np.int64]
    period_ms: int

    def repeated(self, until_ms: int) -> _Trace:
        """Return the trace repeated as mm-link does until a time."""
        times = -(-until_ms // self.period_ms)
        if times * len(self.at_ms) > MOST_STEPS:
            problem = f"lasts {self.period_ms / 1e3:g} s, too short to be repeated for {until_ms / 1e3:g} s"
            raise InputError(str(self.path), problem)
        at_ms = (np.arange(times)[:, None] * self.period_ms + self.at_ms).ravel()
        kept = at_ms < until_ms
        return _Trace(self.path, at_ms[kept], np.tile(self.counts, times)[kept], until_ms)

    def steps(self) -> tuple[NDArray[np.int64], Floats]:
        """Return the start of each step [n], ms, and its rate [n], bit/s."""
        starts = np.union1d(np.append(self.at_ms, 0), self.at_ms + 1)
        starts = starts[starts < self.period_ms]
        rate_bps = np.zeros(len(starts))
        rate_bps[np.searchsorted(starts, self.at_ms)] = self.counts * _BITS_PER_MS
        keep = np.append(True, np.diff(rate_bps) != 0)
        return starts[keep], rate_bps[keep]


def read(path: Path, values: Values) -> Reading:
    """Read a trace; the uplink is the file named by ``uplink``, or that beside ``NAME.down`` called ``NAME.up``.

    An opportunity at t ms becomes a rate from t - 1 to t, so that a waiting packet leaves at t as in mm-link.

    Raises
    ------
    InputError
        With file and line: what is no millisecond, or a time that runs backwards.
    """
    down, remarks = _read_one(path), []
    beside = _partner(path)
    up = down
    if values["uplink"]:
        up = _read_one(check_path(values["uplink"]))
    elif beside is not None and beside.is_file():
        first, second = (down, _read_one(beside)) if path.suffix == ".down" else (_read_one(beside), down)
        down, up = first, second
        remarks.append(f"the {'uplink' if path.suffix == '.down' else 'downlink'} is {beside}")
    else:
        remarks.append("has one direction only; the uplink is the same (--uplink names another file)")
    longest_ms = max(down.period_ms, up.period_ms)
    for name, one in (("downlink", down), ("uplink", up)):
        if one.period_ms < longest_ms:
            remarks.append(f"the {name} starts again after {one.period_ms / 1e3:g} s, as in mm-link, until the other "
                           f"ends at {longest_ms / 1e3:g} s")  # fmt: skip
    (down_ms, down_bps), (up_ms, up_bps) = (
        (one if one.period_ms == longest_ms else one.repeated(longest_ms)).steps() for one in (down, up)
    )
    starts = np.union1d(down_ms, up_ms).astype(float)
    both = rates(held(starts, down_ms.astype(float), down_bps)), rates(held(starts, up_ms.astype(float), up_bps))
    if values["outage"] == "drop":
        remarks.append("each millisecond without an opportunity counts as an outage, which drops packets")
    pattern = make(path, (starts / 1e3, longest_ms / 1e3), both, values, {"method": "mahimahi"})
    return Reading(pattern, tuple(remarks))


def _partner(path: Path) -> Path | None:
    other = {".down": ".up", ".up": ".down"}.get(path.suffix)
    return path.with_suffix(other) if other else None


def _read_one(path: Path) -> _Trace:
    text = read_text(path)
    if not text.strip():
        raise InputError(str(path), "has no lines; at least one opportunity is needed")
    text = text.removesuffix("\n") + "\n"
    if not _are_milliseconds(text):
        for line, one in enumerate(text.split("\n"), 1):
            if not _LINE.fullmatch(one):
                raise InputError(f"{path}: line {line}", f"is {shown(one)}; must be a time in whole milliseconds")
    stamps = np.fromstring(text, dtype=np.int64, sep="\n")
    back = np.flatnonzero(np.diff(stamps) < 0)
    if back.size:
        problem = f"is {stamps[back[0] + 1]} after {stamps[back[0]]}; times must not fall"
        raise InputError(f"{path}: line {back[0] + 2}", problem)
    last = int(stamps[-1])
    if not 0 < last <= _LAST_MS:
        raise InputError(f"{path}: line {len(stamps)}", f"ends the trace at {last} ms; must be 1 to {_LAST_MS} ms")
    at_ms, counts = np.unique(np.maximum(stamps, 1) - 1, return_counts=True)
    return _Trace(path, at_ms, counts.astype(np.int64), last)


def _are_milliseconds(text: str) -> bool:
    """Return whether every line is one of `_LINE`, in a tenth of the time that a regular expression takes."""
    if not text.isascii():
        return False
    content = text.encode("ascii")
    if content.translate(None, b"0123456789\n"):
        return False
    ends = np.flatnonzero(np.frombuffer(content, dtype=np.uint8) == ord("\n"))
    lengths = np.diff(ends, prepend=-1) - 1
    return bool(((lengths >= 1) & (lengths <= _MOST_DIGITS)).all())


def write(pattern: Pattern, path: Path, _: Values) -> Sequence[str]:
    """Write ``NAME.down`` and, beside it, ``NAME.up``.

    Opportunities are rounded cumulatively: at any time they differ from the pattern by less than one.

    Raises
    ------
    InputError
        If the name does not end in .down, a rate is unlimited, or a file would be larger than can be read.
    """
    if path.suffix != ".down":
        raise InputError(str(path), "must end in .down; the uplink is written beside it, to a file that ends in .up")
    remarks = left_out(pattern, "mahimahi")
    remarks.append("rates are in opportunities of 1500 bytes at whole milliseconds")
    texts = []
    for name, rate_bps in (("downlink", pattern.downlink.rate_bps), ("uplink", pattern.uplink.rate_bps)):
        text, trailing_s = _text(pattern, rate_bps, f"{path}: {name}")
        texts.append(text)
        if trailing_s > 0:
            remarks.append(
                f"mahimahi cannot express that the {name} ends with {trailing_s:g} s without an opportunity; "
                "one at the end keeps the length"
            )
    with whole_file(path) as down, whole_file(path.with_suffix(".up")) as up:
        down.write_text(texts[0], encoding="ascii")
        up.write_text(texts[1], encoding="ascii")
    return remarks


def _text(pattern: Pattern, rate_bps: Floats, where: str) -> tuple[str, float]:
    """Return a direction's trace, and for how long it ends without an opportunity, s."""
    if np.isinf(rate_bps).any():
        raise InputError(where, "has an unlimited rate, which mahimahi cannot express; clip it first")
    edges_ms = ms(np.append(pattern.time_s, pattern.duration_s))
    sent = np.append(0.0, np.cumsum(rate_bps * np.diff(edges_ms))) / _BITS_PER_MS
    last_ms = max(1, round(edges_ms[-1]))
    total = int(sent[-1] + 1e-6)
    if (total + 1) * (len(str(last_ms)) + 1) > MOST_TEXT_BYTES:
        problem = f"makes {total} opportunities, a file larger than {MOST_TEXT_BYTES >> 20} MiB; cut the pattern"
        raise InputError(where, problem)
    # The k-th opportunity is due at the first whole millisecond at which k packets have been sent.
    packets = np.arange(1, total + 1) - 1e-6
    step = np.searchsorted(sent, packets) - 1
    due_ms = edges_ms[step] + (packets - sent[step]) * _BITS_PER_MS / rate_bps[step]
    stamps = np.clip(np.ceil(due_ms - 1e-6), 1, last_ms).astype(np.int64)
    end_ms = int(stamps[-1]) if total else 0
    if end_ms < last_ms:
        stamps = np.append(stamps, last_ms)
    trailing_s = (last_ms - end_ms) / 1e3 if rate_bps[-1] == 0 else 0.0
    return "".join(f"{stamp}\n" for stamp in stamps.tolist()), trailing_s


def looks_like(head: str) -> bool:
    """Return whether the lines are whole numbers that do not fall."""
    lines = head.removesuffix("\n").split("\n")
    if not all(map(_LINE.fullmatch, lines)):
        return False
    stamps = list(map(int, lines))
    return stamps == sorted(stamps)


FORMAT = Format(
    "mahimahi",
    "Mahimahi's mm-link: NAME.down and NAME.up",
    (".down", ".up"),
    looks_like,
    read,
    write,
    (Option("uplink", "File of the uplink.  [default: beside IN]"), OUTAGE, END),
)
