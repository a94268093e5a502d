"""Trace files of TheaterQ, a queueing discipline that replays them; see docs/formats/theaterq.md."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.names import check_path
from mmwemu.core.text import shown
from mmwemu.core.units import NS_PER_S, from_ns
from mmwemu.pattern.formats.format import END, OUTAGE, Format, Option, Reading, Values
from mmwemu.pattern.formats.making import left_out, make, same_directions
from mmwemu.pattern.formats.repeating import repeated
from mmwemu.pattern.formats.theaterq_trace import (
    ALL,
    EXTENDED,
    FORMS,
    LEAST_BPS,
    NUMBER,
    SIMPLE,
    US_PER_S,
    Trace,
    load,
    odd,
)  # fmt: skip
from mmwemu.pattern.model import Direction, Floats, Pattern

_KEEP_ORDER = 1
_LIMIT = re.compile(r"[0-9]{1,9}")


def read(path: Path, values: Values) -> Reading:
    """Read a trace; the uplink is the file named by ``uplink``, or NAME.uplink beside NAME.

    Raises
    ------
    InputError
        With file, line and field: what is no entry, or beyond the bounds of a pattern.
    """
    down, remarks = load(path), []
    beside = _beside(path)
    if values["uplink"]:
        up = load(check_path(values["uplink"]))
    elif beside.is_file():
        up = load(beside)
        remarks.append(f"the uplink is {beside}")
    else:
        up = down
        remarks.append("has one direction only; the uplink is the same (--uplink names another file)")
    longest_us = max(down.period_us, up.period_us)
    for name, one in (("downlink", down), ("uplink", up)):
        if one.period_us < longest_us:
            remarks.append(f"the {name} starts again after {one.period_us / US_PER_S:g} s until the other ends")
        if name == "downlink" or one is not down:
            remarks += [f"{name}: {remark}" for remark in odd(one)]
    rows = {}
    for name, one in (("downlink", down), ("uplink", up)):
        starts_us = np.append(0, one.ends_us[:-1])
        rows[name] = repeated(one.path, starts_us, one.period_us, longest_us)
    starts = np.union1d(rows["downlink"][0], rows["uplink"][0])
    found = {
        name: (row[np.searchsorted(begin, starts, side="right") - 1], one)
        for (name, (begin, row)), one in zip(rows.items(), (down, up), strict=True)
    }
    both = (_direction(*found["downlink"]), _direction(*found["uplink"]))
    lines = down.lines[found["downlink"][0]]
    times = (starts / US_PER_S, longest_us / US_PER_S)
    pattern = make(path, times, both, values, {"method": "theaterq"}, lines.tolist())
    return Reading(pattern, tuple(remarks))


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.stem}.uplink{path.suffix}")


def _direction(rows: NDArray[np.intp], trace: Trace) -> Direction:
    def column(name: str, scale: float) -> Floats:
        return trace.fields[name][rows] / scale if name in trace.fields else np.zeros(len(rows))

    rate = trace.fields["RATE"][rows].astype(np.float64)
    rate[(rate >= 0) & (rate < LEAST_BPS)] = 0.0
    return Direction(
        np.where(rate < 0, np.inf, rate),
        from_ns(column("LATENCY", 1.0)),
        column("LOSS", ALL),
        jitter_s=from_ns(column("JITTER", 1.0)),
        duplication=column("DUP_PROB", ALL),
    )


def write(pattern: Pattern, path: Path, values: Values) -> Sequence[str]:
    """Write the downlink, and beside it the uplink where it differs.

    The simple form serves where delay never changes and there is neither jitter nor duplication; else the extended
    one, in which ROUTE_ID keeps the order of packets.

    Raises
    ------
    InputError
        If the limit cannot be one.
    """
    limit = values["limit"]
    if not _LIMIT.fullmatch(limit):
        raise InputError("--limit", f"is {shown(limit)}; must be a number of packets, 0 for no limit")
    remarks = left_out(pattern, "theaterq", can=("delay_s", "loss", "jitter_s", "duplication", "end"))
    directions = {path: pattern.downlink}
    if not same_directions(pattern):
        directions[_beside(path)] = pattern.uplink
        remarks.append(f"{_beside(path)} is its uplink")
    slow = [((one.rate_bps > 0) & (one.rate_bps < LEAST_BPS)).any() for one in directions.values()]
    if any(slow):
        remarks.append(f"theaterq counts whole bytes a second; rates below {LEAST_BPS} bit/s hold packets")
    remarks.append(f"start it with cont {'LOOP' if pattern.end == 'loop' else 'HOLD'}")
    texts = {file: _text(pattern, one, int(limit)) for file, one in directions.items()}
    extended = ",".join(EXTENDED)
    remarks += [
        f"{file} is in the extended form: ingest EXTENDED" for file in texts if texts[file].startswith(extended)
    ]
    with ExitStack() as stack:
        for file, text in texts.items():
            stack.enter_context(whole_file(file)).write_text(text, encoding="ascii")
    return remarks


def _text(pattern: Pattern, one: Direction, limit: int) -> str:
    edges_us = np.floor(np.append(pattern.time_s, pattern.duration_s) * US_PER_S + 0.5)
    rate_bps = np.where(np.isinf(one.rate_bps), -1.0, one.rate_bps)
    nothing = np.zeros(len(rate_bps))
    columns: dict[str, Floats] = {
        "KEEP": np.diff(edges_us),
        "LATENCY": one.delay_s * NS_PER_S,
        "JITTER": one.jitter_s * NS_PER_S,
        "RATE": rate_bps,
        "LOSS": one.loss * ALL,
        "LIMIT": nothing + limit,
        "DUP_PROB": one.duplication * ALL,
        "DUP_DELAY": nothing,
        "ROUTE_ID": nothing + _KEEP_ORDER,
        "QUEUE_ID": nothing,
    }
    extended = one.jitter_s.any() or one.duplication.any() or np.ptp(one.delay_s) > 0
    names = EXTENDED if extended else SIMPLE
    rows = np.rint(np.column_stack([columns[name] for name in names])).astype(np.int64).tolist()
    if pattern.end == "stop":  # the last entry is held
        rows.append([{"KEEP": 1, "RATE": 0}.get(name, value) for name, value in zip(names, rows[-1], strict=True)])
    return "\n".join([",".join(names), *(",".join(map(str, row)) for row in rows)]) + "\n"


def looks_like(head: str) -> bool:
    """Return whether all lines that begin with a digit have the fields of one of the two forms."""
    rows = [line.split(",") for line in head.split("\n") if re.match("[0-9]", line)]
    return bool(rows) and all(len(row) in FORMS and all(map(NUMBER.fullmatch, row)) for row in rows)


FORMAT = Format(
    "theaterq",
    "TheaterQ's trace files, simple and extended",
    (".theaterq",),
    looks_like,
    read,
    write,
    (
        Option("uplink", "File of the uplink.  [default: beside IN]"),
        Option("limit", "Packets in the queue of what is written.", "1000"),
        OUTAGE,
        END,
    ),
)
