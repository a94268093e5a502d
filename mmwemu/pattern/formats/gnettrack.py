"""Logs of G-NetTrack, a monitor of mobile networks for Android, as CSV; see docs/formats/gnettrack.md."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.errors import InputError
from mmwemu.core.text import check_lines, read_text, shown
from mmwemu.core.units import bps_per
from mmwemu.pattern.formats.format import END, OUTAGE, Format, Option, Reading, Values
from mmwemu.pattern.formats.making import make, rates
from mmwemu.pattern.model import Floats

_COLUMNS = ("Timestamp", "DL_bitrate", "UL_bitrate")
_STAMP = re.compile(r"[0-9]{4}\.[0-9]{2}\.[0-9]{2}_[0-9]{2}\.[0-9]{2}\.[0-9]{2}")
_NUMBER = re.compile(r"[0-9]{1,12}(\.[0-9]*)?")
_MISSING = "-"
_ROW_S = 1


@dataclass(frozen=True)
class _Log:
    """The rows of a log: line, second and both rates in kbit/s, NaN where they are missing, one each [n]."""

    lines: NDArray[np.int64]
    second: NDArray[np.int64]
    rate_kbps: Floats


def read(path: Path, values: Values) -> Reading:
    """Read the bit rates of both directions; what is repeated, missing or absent is told, and filled as ``gaps`` says.

    Raises
    ------
    InputError
        With file, line and field: a row or value of another form, or a time that runs backwards.
    """
    log = _read(path)
    remarks = []
    seconds, first, counts = np.unique(log.second, return_index=True, return_counts=True)
    lines = log.lines[first]
    if repeated := len(log.second) - len(seconds):
        line = lines[np.argmax(counts > 1)] + 1
        remarks.append(f"{repeated} rows repeat a second, first line {line}; the mean of its rows counts")
    known = ~np.isnan(log.rate_kbps)
    for i, name in enumerate(_COLUMNS[1:]):
        if missing := int((~known[:, i]).sum()):
            line = log.lines[np.argmin(known[:, i])]
            remarks.append(f"{missing} values of {name} are missing, first in line {line}; {_filling(values)}")
    sums = np.add.reduceat(np.where(known, log.rate_kbps, 0.0), first)
    numbers = np.add.reduceat(known.astype(float), first)
    mean_kbps = np.divide(sums, numbers, out=np.full(sums.shape, np.nan), where=numbers > 0)
    both = ~np.isnan(mean_kbps).any(axis=1)
    if not both.any():
        raise InputError(str(path), "has no second with both rates")
    if begin := int(np.argmax(both)):
        remarks.append(f"{begin} seconds before line {lines[begin]} lack a rate and are left out")
    seconds, lines, mean_kbps = seconds[begin:], lines[begin:], mean_kbps[begin:]
    ahead_s = np.diff(seconds)
    if (ahead_s > _ROW_S).any():
        worst = int(np.argmax(ahead_s))
        remarks.append(
            f"{int((ahead_s > _ROW_S).sum())} gaps of {int((ahead_s - _ROW_S).sum())} s in all, the longest of "
            f"{int(ahead_s[worst]) - _ROW_S} s before line {lines[worst + 1]}; {_filling(values)}"
        )
    if values["gaps"] == "outage":
        seconds, lines, mean_kbps = _with_outages(seconds, lines, mean_kbps)
    down, up = (rates(_held(mean_kbps[:, i]) * bps_per("kbit/s")) for i in (0, 1))
    times = (seconds - seconds[0]).astype(float)
    conversion = {"method": "gnettrack", "gaps": values["gaps"]}
    pattern = make(path, (times, times[-1] + _ROW_S), (down, up), values, conversion, lines.tolist())
    return Reading(pattern, tuple(remarks))


def _filling(values: Values) -> str:
    if values["gaps"] == "outage":
        return "the rate there is 0"
    return "the rate before them holds (--gaps outage: rate 0)"


def _held(rate: Floats) -> Floats:
    """Return rates with the last one before them for those that are missing."""
    last = np.maximum.accumulate(np.where(np.isnan(rate), 0, np.arange(len(rate))))
    result: Floats = rate[last]
    return result


def _with_outages(
    seconds: NDArray[np.int64], lines: NDArray[np.int64], rate: Floats
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """Return the steps with rate 0 for what is missing, and with a step of 0 at the begin of each gap."""
    before = np.flatnonzero(np.diff(seconds) > _ROW_S)
    place = before + 1
    return (
        np.insert(seconds, place, seconds[before] + _ROW_S),
        np.insert(lines, place, lines[before]),
        np.insert(np.nan_to_num(rate), place, 0.0, axis=0),
    )


def _read(path: Path) -> _Log:
    text = read_text(path)
    check_lines(text, str(path))
    header, *rows = text.removesuffix("\n").split("\n")
    names = header.split(",")
    for name in _COLUMNS:
        if names.count(name) != 1:
            times = "no" if name not in names else "more than one"
            raise InputError(f"{path}: line 1", f"has {times} column {name}; G-NetTrack's logs have one")
    places = [names.index(name) for name in _COLUMNS]
    lines, seconds, kbps = [], [], []
    for line, row in enumerate(rows, 2):
        if not row:
            continue
        cells = row.split(",")
        if len(cells) != len(names):
            raise InputError(f"{path}: line {line}", f"has {len(cells)} fields where the header has {len(names)}")
        stamp, *found = (cells[place] for place in places)
        lines.append(line)
        seconds.append(_second(stamp, f"{path}: line {line}: Timestamp"))
        kbps.append([
            _rate(text, f"{path}: line {line}: {name}") for text, name in zip(found, _COLUMNS[1:], strict=True)
        ])  # fmt: skip
        if len(seconds) > 1 and seconds[-1] < seconds[-2]:
            raise InputError(f"{path}: line {line}: Timestamp", f"is {stamp}, before that of the row above; sort it")
    if not lines:
        raise InputError(str(path), "has no rows below its header")
    return _Log(np.array(lines), np.array(seconds), np.array(kbps))


def _second(text: str, where: str) -> int:
    try:
        if not _STAMP.fullmatch(text):
            raise ValueError
        return int((datetime.strptime(text, "%Y.%m.%d_%H.%M.%S") - datetime(1970, 1, 1)).total_seconds())
    except ValueError:
        raise InputError(where, f"is {shown(text)}; must be a time such as 2019.12.16_13.40.04") from None


def _rate(text: str, where: str) -> float:
    if text == _MISSING:
        return np.nan
    if not _NUMBER.fullmatch(text):
        raise InputError(where, f"is {shown(text)}; must be a rate in kbit/s, or - for none")
    return float(text)


def looks_like(head: str) -> bool:
    """Return whether the first line has the columns that are read."""
    return set(_COLUMNS) <= set(head.partition("\n")[0].split(","))


FORMAT = Format(
    "gnettrack",
    "drives and walks measured with G-NetTrack",
    (".csv",),
    looks_like,
    read,
    None,
    (Option("gaps", "Seconds without a rate.", "hold", ("hold", "outage")), OUTAGE, END),
)
