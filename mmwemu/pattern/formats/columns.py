"""Tables of two columns, time and rate, as in many public traces."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.text import check_lines, digits, printable, read_text, shown
from mmwemu.core.units import RATE_UNITS, TIME_UNITS, bps_per, seconds_per
from mmwemu.pattern.formats.format import END, OUTAGE, Format, Option, Reading, Values
from mmwemu.pattern.formats.making import left_out
from mmwemu.pattern.model import Direction, End, Floats, Outage, Pattern

_LARGEST = 1e18
"""Number in a column, in any unit; sums and products of such numbers are finite."""


_GAP, _SPACING, _EVENLY = 1.5, 0.01, 0.9
"""A gap is so many usual steps; rows are evenly spaced where so many of them are within 1 % of the usual step."""


@dataclass(frozen=True)
class _Rows:
    """The rows: time and rate of each [n_row, 2], and its line [n_row]."""

    table: Floats
    lines: Sequence[int]


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
    return _pattern(path, _rows(path), options)


def _pattern(path: Path, rows: _Rows, options: ColumnsOptions) -> Pattern:
    times, first_rows, counts = np.unique(rows.table[:, 0], return_index=True, return_counts=True)
    if len(times) < 2:
        raise InputError(str(path), f"has {len(times)} times; at least 2 are needed")
    time_s = np.round((times - times[0]) * seconds_per(options.time_unit), 9)
    duration_s = round(float(time_s[-1] + np.median(np.diff(time_s))), 9)
    with np.errstate(invalid="ignore"):  # inf and -inf at the same time, whose mean is refused below
        rate_bps = np.add.reduceat(rows.table[:, 1], first_rows) / counts * bps_per(options.rate_unit)
    nothing = np.zeros(len(time_s))
    both = Direction(rate_bps, nothing, nothing)
    meta = {"file": printable(path.name), "conversion": {"method": "columns", **_units(options)}}
    try:
        return Pattern(time_s, duration_s, both, both, options.outage, options.end, meta)
    except InputError as error:
        place = "" if error.row is None else f": line {rows.lines[first_rows[error.row]]}"
        column = "rate" if error.where.endswith("rate_bps") else "time"
        raise InputError(f"{path}{place}: {column}", error.problem) from None


def _rows(path: Path) -> _Rows:
    values, lines = array("d"), array("q")
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
            if lines or header_seen:
                raise InputError(f"{path}: line {line}", f"is {shown(text.strip())}; must be two numbers") from None
            header_seen = True
            continue
        if any(_LARGEST < abs(value) < math.inf for value in row):
            rule = f"must be two numbers from {digits(-_LARGEST)} to {digits(_LARGEST)}"
            raise InputError(f"{path}: line {line}", f"is {shown(text.strip())}; {rule}")
        values.extend(row)
        lines.append(line)
    table = np.array(values).reshape(-1, 2)
    with np.errstate(invalid="ignore"):  # differences of infinite times
        runs_back = np.diff(table[:, 0], prepend=table[:1, 0]) < 0
    for bad, problem in (
        (~np.isfinite(table[:, 0]), "has a time that is not a finite number"),
        (runs_back, "has a time before that of the row above; sort the file"),
    ):
        if bad.any():
            raise InputError(f"{path}: line {lines[int(np.argmax(bad))]}", problem)
    return _Rows(table, lines)


def _odd(rows: _Rows, options: ColumnsOptions) -> list[str]:
    """Return repeated times and, where all but few rows are evenly spaced, gaps between them."""
    found = []
    times, first_rows, counts = np.unique(rows.table[:, 0], return_index=True, return_counts=True)
    if repeated := len(rows.table) - len(times):
        line = rows.lines[int(first_rows[np.argmax(counts > 1)])] + 1
        found.append(f"{repeated} rows repeat a time, first line {line}; the mean of its rows counts")
    steps = np.diff(times)
    usual = float(np.median(steps))
    gaps = steps > _GAP * usual
    if gaps.any() and np.mean(np.abs(steps - usual) <= _SPACING * usual) >= _EVENLY:
        worst = int(np.argmax(steps))
        found.append(
            f"{int(gaps.sum())} gaps between rows {digits(usual)} {options.time_unit} apart, the longest of "
            f"{digits(float(steps[worst]))} {options.time_unit} before line {rows.lines[int(first_rows[worst + 1])]}; "
            "the rate before them holds"
        )
    return found


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
    rows = _rows(path)
    pattern = _pattern(path, rows, options)
    remarks = []
    if not (values["time_unit"] and values["rate_unit"]):
        remarks.append(f"the units are taken as {options.time_unit} and {options.rate_unit} "
                       "(pattern convert --time-unit, --rate-unit)")  # fmt: skip
    remarks += _odd(rows, options)
    return Reading(pattern, tuple(remarks))


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
    """Return whether there are two columns of numbers, below at most one line of names."""
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
