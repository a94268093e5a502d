"""mmwemu's own pattern file: a TOML head in comment lines, then CSV; see docs/formats/pattern.md."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np
import tomli_w

from mmwemu.core.bounds import LONGEST_DELAY_S, LONGEST_S, MOST_STEPS
from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.tables import Table
from mmwemu.core.text import check_lines, read_text, shown
from mmwemu.pattern.formats.format import Format, Reading, Values
from mmwemu.pattern.model import (
    OPTIONAL,
    Action,
    Direction,
    DirectionName,
    End,
    Floats,
    Outage,
    PacketEvent,
    Pattern,
)

VERSION = 1
_REQUIRED = ("time_s", "downlink_rate_bps", "uplink_rate_bps")
_OPTIONAL = tuple(f"{direction}_{key}" for key in OPTIONAL for direction in get_args(DirectionName))


def save(pattern: Pattern, path: Path) -> None:
    """Write a pattern; equal patterns give equal bytes.

    Raises
    ------
    MmwemuError
        If the file cannot be written; no partial file remains.
    """
    with whole_file(path) as draft:
        draft.write_text(dumps(pattern), encoding="utf-8")


def dumps(pattern: Pattern) -> str:
    """Return the file text of a pattern, without columns that are 0 in all steps."""
    head: dict[str, Any] = {
        "format": VERSION,
        "duration_s": pattern.duration_s,
        "outage": pattern.outage,
        "end": pattern.end,
    }
    if pattern.packets:
        head["packets"] = [{k: v for k, v in asdict(event).items() if v} for event in pattern.packets]
    head["source"] = dict(pattern.meta)
    lines = [f"# {line}".rstrip() for line in tomli_w.dumps(head).splitlines()]
    columns = pattern.columns()
    names = [*_REQUIRED, *(name for name in _OPTIONAL if columns[name].any())]
    lines.append(",".join(names))
    lines += [",".join(map(_number, row)) for row in zip(*(columns[name].tolist() for name in names), strict=True)]
    return "\n".join(lines) + "\n"


def load(path: Path) -> Pattern:
    """Read a pattern.

    Raises
    ------
    InputError
        With file, line and field: missing file, unknown key or column, NaN, or time that runs backwards.
    """
    return loads(read_text(path), str(path))


def loads(text: str, where: str) -> Pattern:
    """Read a pattern from its file text; ``where`` names the file in errors."""
    check_lines(text, where)
    lines = text.removesuffix("\n").split("\n")
    n_head = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
    if n_head == 0:
        raise InputError(where, "has no head '# format = 1 ...'; make a pattern of a table with mmwemu pattern convert")
    head = Table.parse(where, "\n".join(line[1:].removeprefix(" ") for line in lines[:n_head]))
    head.format(VERSION)
    duration_s = head.number("duration_s", above=0, most=LONGEST_S)
    outage = cast(Outage, head.text("outage", choices=get_args(Outage)))
    end = cast(End, head.text("end", choices=get_args(End)))
    meta = head.values("source")
    packets = tuple(map(_packet_event, head.tables("packets")))
    head.finish()
    columns = _columns(lines, n_head, where)
    nothing = np.zeros(len(columns["time_s"]))
    down, up = (
        Direction(columns[f"{d}_rate_bps"], **{key: columns.get(f"{d}_{key}", nothing) for key in OPTIONAL})
        for d in get_args(DirectionName)
    )
    try:
        return Pattern(columns["time_s"], duration_s, down, up, outage, end, meta, packets)
    except InputError as error:
        place = "" if error.row is None else f": line {n_head + 2 + error.row}"
        raise InputError(f"{where}{place}: {error.where.rpartition(': ')[2]}", error.problem) from None


def _packet_event(table: Table) -> PacketEvent:
    direction = cast(DirectionName, table.text("direction", choices=get_args(DirectionName)))
    number = table.integer("number", most=2**63 - 1)
    action = cast(Action, table.text("action", choices=get_args(Action)))
    delay_s = table.number("delay_s", above=0, most=LONGEST_DELAY_S) if action == "delay" else 0.0
    table.finish()
    return PacketEvent(direction, number, action, delay_s)


def _columns(lines: list[str], n_head: int, where: str) -> dict[str, Floats]:
    names = lines[n_head].split(",") if n_head < len(lines) else []
    for name in _REQUIRED:
        if name not in names:
            raise InputError(f"{where}: line {n_head + 1}", f"has no column {name}")
    for name in names:
        if name not in _REQUIRED + _OPTIONAL or names.count(name) > 1:
            problem = "twice" if names.count(name) > 1 else f"unknown; known are {', '.join(_REQUIRED + _OPTIONAL)}"
            raise InputError(f"{where}: line {n_head + 1}: {name[:80]}", f"is {problem}")
    if len(lines) - n_head - 1 > MOST_STEPS:
        raise InputError(where, f"has {len(lines) - n_head - 1} rows; must have at most {MOST_STEPS}")
    values: list[list[float]] = []
    for line, text in enumerate(lines[n_head + 1 :], n_head + 2):
        row = text.split(",")
        if len(row) != len(names):
            raise InputError(f"{where}: line {line}", f"has {len(row)} fields where the header has {len(names)}")
        try:
            values.append(list(map(float, row)))
        except ValueError:
            raise _not_a_number(f"{where}: line {line}", names, row) from None
    if not values:
        raise InputError(where, "has no rows; at least one step is needed")
    return dict(zip(names, np.array(values).T, strict=True))


def _not_a_number(where: str, names: list[str], row: list[str]) -> InputError:
    for name, text in zip(names, row, strict=True):
        try:
            float(text)
        except ValueError:
            return InputError(f"{where}: {name}", f"is {shown(text)}; must be a number")
    raise AssertionError("all are numbers")


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")


def read(path: Path, _: Values) -> Reading:
    """Read a pattern; see `load`."""
    return Reading(load(path))


def write(pattern: Pattern, path: Path, _: Values) -> tuple[str, ...]:
    """Write a pattern, of which nothing is lost; see `save`."""
    save(pattern, path)
    return ()


def looks_like(head: str) -> bool:
    """Return whether the file begins with a head in comment lines that gives a format."""
    return re.match(r"# *format *=", head) is not None


FORMAT = Format("mmwemu", "mmwemu's own pattern file", (".csv",), looks_like, read, write)
