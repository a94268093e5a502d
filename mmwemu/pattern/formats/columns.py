"""Tables of two columns, time and rate, as in many public traces."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.core.text import check_lines, printable, read_text, shown
from mmwemu.core.units import bps_per, seconds_per
from mmwemu.pattern.model import Direction, End, Outage, Pattern

# In units of the file, which may count microseconds since 1970; sums of such numbers stay finite.
_LATEST, _FASTEST = 1e18, 1e18


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
        With file and line: no numbers, not two columns, time that runs backwards, or a negative or NaN rate.
    """
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
            rows.append((float(fields[0]), float(fields[1])))
        except ValueError:
            if rows or header_seen:
                raise InputError(f"{path}: line {line}", f"is {shown(text.strip())}; must be two numbers") from None
            header_seen = True
            continue
        row_lines.append(line)
    table = np.array(rows).reshape(-1, 2)
    for bad, problem in (
        (~(np.abs(table[:, 0]) <= _LATEST), f"has a time that is not a number of at most {_LATEST:g}"),
        (np.isfinite(table[:, 1]) & (np.abs(table[:, 1]) > _FASTEST), f"has a rate of more than {_FASTEST:g}"),
        (np.diff(table[:, 0], prepend=table[:1, 0]) < 0, "has a time before that of the row above; sort the file"),
    ):
        if bad.any():
            raise InputError(f"{path}: line {row_lines[int(np.argmax(bad))]}", problem)
    times, first_rows, counts = np.unique(table[:, 0], return_index=True, return_counts=True)
    if len(times) < 2:
        raise InputError(str(path), f"has {len(times)} times; at least 2 are needed")
    time_s = np.round((times - times[0]) * seconds_per(options.time_unit), 9)
    rate_bps = np.add.reduceat(table[:, 1], first_rows) / counts * bps_per(options.rate_unit)
    nothing = np.zeros(len(time_s))
    both = Direction(rate_bps, nothing, nothing)
    meta = {"file": printable(path.name), "conversion": {"method": "columns", **_units(options)}}
    try:
        duration_s = round(float(time_s[-1] + np.median(np.diff(time_s))), 9)
        return Pattern(time_s, duration_s, both, both, options.outage, options.end, meta)
    except InputError as error:
        place = "" if error.row is None else f": line {row_lines[first_rows[error.row]]}"
        raise InputError(f"{path}{place}: rate", error.problem) from None


def _units(options: ColumnsOptions) -> dict[str, str]:
    return {"time_unit": options.time_unit, "rate_unit": options.rate_unit}
