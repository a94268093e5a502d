"""Entries of TheaterQ's trace files; see docs/formats/theaterq.md."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.bounds import HIGHEST_RATE_BPS, LONGEST_DELAY_S, LONGEST_S
from mmwemu.core.errors import InputError
from mmwemu.core.text import check_lines, read_text, shown
from mmwemu.core.units import NS_PER_S

SIMPLE = ("KEEP", "LATENCY", "RATE", "LOSS", "LIMIT")
EXTENDED = (
    "KEEP", "LATENCY", "JITTER", "RATE", "LOSS", "LIMIT", "DUP_PROB", "DUP_DELAY", "ROUTE_ID", "QUEUE_ID",
)  # fmt: skip
FORMS = {len(names): names for names in (SIMPLE, EXTENDED[:-1], EXTENDED)}  # QUEUE_ID is of 2026
NUMBER = re.compile(r"-?[0-9]{1,18}")
ALL = 2**32 - 1  # a probability of 1
US_PER_S = 1e6
LEAST_BPS = 8  # it counts in whole bytes a second


@dataclass(frozen=True)
class Trace:
    """One direction: the lines of its entries [n] and their fields by name [n]."""

    path: Path
    lines: NDArray[np.int64]
    fields: dict[str, NDArray[np.int64]]

    @property
    def ends_us(self) -> NDArray[np.int64]:
        """End of each entry [n], us."""
        return np.cumsum(self.fields["KEEP"])

    @property
    def period_us(self) -> int:
        """When it starts again, us."""
        return int(self.ends_us[-1])


def load(path: Path) -> Trace:
    """Read the entries; lines that do not begin with a digit are ignored, as by TheaterQ.

    Raises
    ------
    InputError
        With file, line and field: what is no entry, or beyond the bounds of a pattern.
    """
    content = read_text(path)
    check_lines(content, str(path))
    entries, lines = array("q"), array("q")
    names: tuple[str, ...] = ()
    for line, text in enumerate(content.split("\n"), 1):
        if not re.match("[0-9]", text):
            continue
        words = text.split(",")
        names = names or FORMS.get(len(words), ())
        if len(words) != len(names) or not all(map(NUMBER.fullmatch, words)):
            rule = f"must be {len(names) or '5, 9 or 10'} whole numbers, split by commas"
            raise InputError(f"{path}: line {line}", f"is {shown(text)}; {rule}")
        entries.extend(map(int, words))
        lines.append(line)
    if not lines:
        raise InputError(str(path), "has no entries; at least one is needed")
    table = np.array(entries, dtype=np.int64).reshape(-1, len(names))
    found = Trace(path, np.array(lines, dtype=np.int64), dict(zip(names, table.T, strict=True)))
    _check(found)
    return found


_LONGEST_DELAY_NS = int(LONGEST_DELAY_S * NS_PER_S)
_LEAST = {"KEEP": 1, "RATE": -1}
_MOST = {
    "KEEP": int(LONGEST_S * US_PER_S), "LATENCY": _LONGEST_DELAY_NS, "JITTER": _LONGEST_DELAY_NS, "LOSS": ALL,
    "LIMIT": ALL, "DUP_PROB": ALL, "RATE": int(HIGHEST_RATE_BPS),
}  # fmt: skip


def _check(trace: Trace) -> None:
    """Refuse what no entry can hold."""
    for name, values in trace.fields.items():
        least, most = _LEAST.get(name, 0), _MOST.get(name, 10**18)
        bad = np.flatnonzero((values < least) | (values > most))
        if bad.size:
            where = f"{trace.path}: line {trace.lines[bad[0]]}: {name}"
            raise InputError(where, f"is {values[bad[0]]}; must be from {least} to {most}")
    if not trace.fields["KEEP"].sum(dtype=np.float64) <= LONGEST_S * US_PER_S:
        raise InputError(str(trace.path), f"lasts longer than {LONGEST_S:g} s")


def odd(trace: Trace) -> list[str]:
    """Return what a trace has and a pattern has not."""
    fields, found = trace.fields, []
    limits = np.unique(fields["LIMIT"])
    if len(limits) > 1:
        found.append(f"LIMIT changes from {limits[0]} to {limits[-1]} packets; a pattern has no queue")
    elif limits[0] > 0:
        found.append(f"LIMIT is {limits[0]} packets; give it to the link as --queue-packets {limits[0]}")
    if "DUP_DELAY" in fields and (fields["DUP_DELAY"] * (fields["DUP_PROB"] > 0)).any():
        found.append("DUP_DELAY is left out; copies come with their packets")
    if "QUEUE_ID" in fields and len(np.unique(fields["QUEUE_ID"])) > 1:
        found.append("QUEUE_ID changes; a link has one queue")
    jitter = "JITTER" in fields and fields["JITTER"].any()
    falls = (np.diff(fields["LATENCY"]) < 0).any()
    routes = np.unique(fields.get("ROUTE_ID", np.zeros(1, np.int64)))
    if (jitter or falls) and (len(routes) > 1 or routes[0] == 0):
        found.append("packets may overtake each other there (ROUTE_ID); here they keep their order")
    return found
