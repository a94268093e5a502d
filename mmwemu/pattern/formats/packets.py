"""Packet traces: a row for each packet with its time and size, Parquet or text; see docs/formats/packet-trace.md."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mmwemu.core.bounds import LONGEST_S, SHORTEST_STEP_S
from mmwemu.core.errors import InputError
from mmwemu.core.text import digits, shown
from mmwemu.core.units import NS_PER_S, TIME_UNITS, ms, seconds_per
from mmwemu.pattern.formats.format import END, OUTAGE, Format, Option, Reading, Values
from mmwemu.pattern.formats.making import make, rates
from mmwemu.pattern.formats.packet_counts import ACCESS_LINK, DIRECTION, LINK, PacketCounts
from mmwemu.pattern.formats.packet_rows import PARQUET, Rows

# The first that a file has; departure_s is that of mmwemu's own packets.
_TIMES = ("time_s", "departure_s", "time", "timestamp")
_SIZES = ("size_bytes", "size", "length")


def read(path: Path, values: Values) -> Reading:
    """Read a packet trace: the bytes of each window make its rate.

    Raises
    ------
    InputError
        With file and row: no such column, a value that is no number, a size below 0, or times too far apart.
    """
    window_ns = _window_ns(values["window_ms"])
    unit_ns = seconds_per(values["time_unit"] or "s") * NS_PER_S
    with Rows(path) as rows:
        time = _column(path, rows.names, "time", values["time_column"], _TIMES, 0)
        size = _column(path, rows.names, "size", values["size_column"], _SIZES, 1)
        optional = [name for name in (DIRECTION, LINK) if name in rows.names and name not in (time, size)]
        counts = PacketCounts(time, size, unit_ns, window_ns)
        for chunk in rows.chunks([time, size, *optional]):
            try:
                counts.add(chunk)
            except InputError as error:
                raise InputError(f"{path}: {error.where}", error.problem) from None
    try:
        return _reading(path, values, counts, both=DIRECTION in optional)
    except InputError as error:
        where = error.where if error.where.startswith(str(path)) else f"{path}: {error.where}"
        raise InputError(where, error.problem) from None


def _window_ns(text: str) -> int:
    try:
        window_s = float(text) / 1e3
    except ValueError:
        window_s = np.nan
    if not SHORTEST_STEP_S <= window_s <= LONGEST_S:
        least, most = digits(ms(SHORTEST_STEP_S)), digits(ms(LONGEST_S))
        raise InputError("--window-ms", f"is {shown(text)}; must be a number from {least} to {most} ms")
    return round(window_s * NS_PER_S)


def _column(path: Path, names: Sequence[str], what: str, asked: str, known: Sequence[str], place: int) -> str:
    """Return the column that the option names, else the first known one, else that at its place without a header."""
    if asked:
        found = [asked] if asked in names else []
    elif names[0] == "f0":
        found = list(names[place : place + 1])
    else:
        found = [name for name in known if name in names]
    if not found:
        wanted = shown(asked) if asked else f"of a {what} ({', '.join(known)}); name it with --{what}-column"
        raise InputError(str(path), f"has no column {wanted}")
    if list(names).count(found[0]) > 1:
        raise InputError(str(path), f"has more than one column {shown(found[0])}")
    return found[0]


def _reading(path: Path, values: Values, counts: PacketCounts, *, both: bool) -> Reading:
    down, up = counts.down, counts.up
    filled = [one for one in (down, up) if len(one.size_bytes)]
    if not filled:
        raise InputError(str(path), "has no packet with a time and a size")
    for one in (down, up) if both else (down,):
        one.cover(min(bins.first for bins in filled), max(bins.last for bins in filled))
    directions = rates(down.rate_bps()), rates(up.rate_bps() if both else down.rate_bps())
    remarks = _remarks(counts, both=both)
    starts_s = np.arange(len(down.size_bytes)) * down.window_ns / NS_PER_S
    same = np.ones(len(starts_s) - 1, dtype=bool)
    for direction in directions:
        same &= np.diff(direction.rate_bps) == 0
    keep = np.append(True, ~same)
    duration_s = len(starts_s) * down.window_ns / NS_PER_S
    both_kept = tuple(rates(direction.rate_bps[keep].round()) for direction in directions)
    conversion = {"method": "packets", "window_ms": digits(ms(down.window_ns / NS_PER_S))}
    pattern = make(path, (starts_s[keep].round(9), duration_s), (both_kept[0], both_kept[1]), values, conversion)
    return Reading(pattern, tuple(remarks))


def _remarks(counts: PacketCounts, *, both: bool) -> list[str]:
    remarks = []
    window_ms = ms(counts.down.window_ns / NS_PER_S)
    if counts.without:
        remarks.append(f"{counts.without} of {counts.rows} rows have no time or no size, and are left out")
    if counts.other_links:
        share = f"{counts.other_links} of {counts.rows} rows"
        remarks.append(f"{share} are of other links than {ACCESS_LINK}, and are left out")
    if not both:
        remarks.append("has no column direction; the uplink is the same")
    for name, bins in (("downlink", counts.down), ("uplink", counts.up)) if both else (("pattern", counts.down),):
        if empty := int((bins.size_bytes == 0).sum()):
            windows = f"{empty} of {len(bins.size_bytes)} windows of {digits(window_ms)} ms"
            remarks.append(f"{windows} have no packet; the {name} has an outage there")
    return remarks


def looks_like(head: str) -> bool:
    """Return whether a file is Parquet, or its first line names a time and a size."""
    if head.startswith(PARQUET):
        return True
    names = set(head.partition("\n")[0].replace(";", ",").replace("\t", ",").replace(" ", ",").split(","))
    return bool(names & set(_TIMES)) and bool(names & set(_SIZES))


FORMAT = Format(
    "packets",
    "a row for each packet, time and size: Parquet or text",
    (".parquet",),
    looks_like,
    read,
    None,
    (
        Option("window_ms", "Length of a step, ms.", "10"),
        Option("time_column", f"Column of times.  [default: the first of {', '.join(_TIMES)}]"),
        Option("size_column", f"Column of sizes in bytes.  [default: the first of {', '.join(_SIZES)}]"),
        Option("time_unit", "Unit of the times.  [default: s]", choices=TIME_UNITS),
        OUTAGE,
        END,
    ),
)
