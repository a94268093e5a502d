"""Tables of two columns, time and rate, as in many public traces."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.text import check_lines, digits, printable, read_text, shown
from mmwemu.core.units import RATE_UNITS, TIME_UNITS, bps_per, seconds_per
from mmwemu.pattern.formats import packets
from mmwemu.pattern.formats.format import END, OUTAGE, Format, Option, Reading, Values
from mmwemu.pattern.formats.making import left_out
from mmwemu.pattern.model import Direction, End, Floats, Outage, Pattern

_LARGEST = 1e18
"""Number in a column, in any unit; sums and products of such numbers are finite."""

_GAP, _ALIKE = 1.5, 0.1
"""Rows are a gap apart at this many times the usual distance, and equally far apart within this share of it."""


@dataclass(frozen=True)
class ColumnsOptions:
    """Units of the columns and settings that the file does not contain."""

    time_unit: str = "s"
    rate_unit: str = "bps"
    outage: Outage = "hold"
    end: End = "loop"


def load(path: Path, options: ColumnsOptions) -> Pattern:
    """Read a table of two columns, split by comma, semicolon, tab or blanks; the first line may be a header.

    Times are shifted so that the first is 0. Rows of the same time, as loggers write them, become one step with their
    mean rate. The last step is as long as the median of the others. Both directions get the same rate.

    Raises
    ------
    InputError
        With file and line: no numbers, not two columns, time that runs backwards, or a number beyond its bounds.
    """
    return _pattern(path, _read(path), options)


@dataclass(frozen=True)
class _Table:
    """The rows of a file [n], times and rates in its own units, and the line of each."""

    time: Floats
    rate: Floats
    lines: list[int]


def _read(path: Path) -> _Table:
    rows: list[tuple[float, float]] = []
    row_lines: list[int] = []
    header_seen = False
    content = read_text(path)
    check_lines(content, str(path))
    for line, text in enumerate(content.split("\n"), 1):
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        fields = re.split(r"\s*[,;\t]\s*|\s+", text.strip())
        if len(fields) != 2:
            raise InputError(f"{path}: line {line}", f"has {len(fields)} columns; must be two, time and rate")
        try:
            row = float(fields[0]), float(fields[1])
        except ValueError:
            if rows or header_seen:
                raise InputError(f"{path}: line {line}", f"is {shown(text.strip())}; must be two numbers") from None
            header_seen = True
            continue
        if any(_LARGEST < abs(value) < math.inf for value in row):
            rule = f"must be two numbers from {digits(-_LARGEST)} to {digits(_LARGEST)}"
            raise InputError(f"{path}: line {line}", f"is {shown(text.strip())}; {rule}")
        rows.append(row)
        row_lines.append(line)
    table = np.array(rows).reshape(-1, 2)
    with np.errstate(invalid="ignore"):  # differences of infinite times
        runs_back = np.diff(table[:, 0], prepend=table[:1, 0]) < 0
    for bad, problem in (
        (~np.isfinite(table[:, 0]), "has a time that is not a finite number"),
        (runs_back, "has a time before that of the row above; sort the file"),
    ):
        if bad.any():
            raise InputError(f"{path}: line {row_lines[int(np.argmax(bad))]}", problem)
    return _Table(table[:, 0], table[:, 1], row_lines)


def _pattern(path: Path, table: _Table, options: ColumnsOptions) -> Pattern:
    times, first_rows, counts = np.unique(table.time, return_index=True, return_counts=True)
    if len(times) < 2:
        raise InputError(str(path), f"has {len(times)} times; at least 2 are needed")
    time_s = np.round((times - times[0]) * seconds_per(options.time_unit), 9)
    duration_s = round(float(time_s[-1] + np.median(np.diff(time_s))), 9)
    with np.errstate(invalid="ignore"):  # inf and -inf at the same time, whose mean is refused below
        rate_bps = np.add.reduceat(table.rate, first_rows) / counts * bps_per(options.rate_unit)
    nothing = np.zeros(len(time_s))
    both = Direction(rate_bps, nothing, nothing)
    meta = {"file": printable(path.name), "conversion": {"method": "columns", **_units(options)}}
    try:
        return Pattern(time_s, duration_s, both, both, options.outage, options.end, meta)
    except InputError as error:
        place = "" if error.row is None else f": line {table.lines[first_rows[error.row]]}"
        column = "rate" if error.where.endswith("rate_bps") else "time"
        raise InputError(f"{path}{place}: {column}", error.problem) from None


def _units(options: ColumnsOptions) -> dict[str, str]:
    return {"time_unit": options.time_unit, "rate_unit": options.rate_unit}


def read(path: Path, values: Values) -> Reading:
    """Read a table of two columns, and remark on units that nobody stated, repeated times and gaps; see `load`."""
    options = ColumnsOptions(
        values["time_unit"] or "s",
        values["rate_unit"] or "bps",
        cast(Outage, values["outage"]),
        cast(End, values["end"]),
    )
    table = _read(path)
    pattern = _pattern(path, table, options)
    remarks = _oddities(table, options.time_unit)
    if not (values["time_unit"] and values["rate_unit"]):
        remarks.append(f"the units are taken as {options.time_unit} and {options.rate_unit} "
                       "(pattern convert --time-unit, --rate-unit)")  # fmt: skip
    return Reading(pattern, tuple(remarks))


def _oddities(table: _Table, unit: str) -> list[str]:
    """Return a line on rows that repeat a time, and one on gaps, if most rows are equally far apart."""
    ahead = np.diff(table.time)
    repeats, apart = ahead == 0, ahead[ahead > 0]
    remarks = []
    if repeats.any():
        line = table.lines[int(np.argmax(repeats)) + 1]
        remarks.append(f"{int(repeats.sum())} rows repeat a time, first line {line}; the mean of its rows counts")
    usual = float(np.median(apart))
    gaps = ahead > _GAP * usual
    if gaps.any() and np.mean(np.isclose(apart, usual, rtol=_ALIKE)) > 0.5:
        worst = int(np.argmax(ahead))
        remarks.append(
            f"{int(gaps.sum())} gaps of {digits(float((ahead[gaps] - usual).sum()))} {unit} in all, the longest of "
            f"{digits(float(ahead[worst]) - usual)} {unit} before line {table.lines[worst + 1]}; "
            "the rate before them holds"
        )
    return remarks


def write(pattern: Pattern, path: Path, values: Values) -> Sequence[str]:
    """Write time and rate of the downlink.

    Raises
    ------
    MmwemuError
        If the file cannot be written.
    """
    time_unit, rate_unit = values["time_unit"] or "s", values["rate_unit"] or "bps"
    remarks = left_out(pattern, "columns", uplink=False)
    steps = np.diff(pattern.time_s)
    last_s = pattern.duration_s - pattern.time_s[-1]
    if len(steps) == 0 or not np.isclose(np.median(steps), last_s, atol=1e-9):
        remarks.append(f"columns cannot express the length of the last step, {last_s:g} s")
    with whole_file(path) as draft, draft.open("w", encoding="ascii") as file:
        file.write(f"time_{time_unit} rate_{rate_unit.replace('/', '_per_')}\n")
        rows = zip(pattern.time_s / seconds_per(time_unit), pattern.downlink.rate_bps / bps_per(rate_unit), strict=True)
        file.writelines(f"{time:.10g} {rate:.12g}\n" for time, rate in rows)
    return remarks


def looks_like(head: str) -> bool:
    """Return whether there are two columns of numbers, below at most one line of names, which are not of packets."""
    if packets.looks_like(head):
        return False
    lines = [line for line in head.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    rows = [re.split(r"\s*[,;\t]\s*|\s+", line.strip()) for line in lines]
    if not rows or any(len(row) != 2 for row in rows):
        return False
    return all(map(_is_number, rows[-1])) and sum(not all(map(_is_number, row)) for row in rows) <= 1


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


FORMAT = Format(
    "columns",
    "two columns, time and rate, with or without a header",
    (".txt", ".dat", ".tsv"),
    looks_like,
    read,
    write,
    (
        Option("time_unit", "Unit of the times.  [default: s]", choices=TIME_UNITS),
        Option("rate_unit", "Unit of the rates.  [default: bps]", choices=RATE_UNITS),
        OUTAGE,
        END,
    ),
)
