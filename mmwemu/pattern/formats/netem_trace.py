"""Configurations of the crate netem-trace in JSON or TOML, which Rattan replays; see docs/formats/rattan.md."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mmwemu.core.bounds import LONGEST_S, MOST_STEPS
from mmwemu.core.errors import InputError
from mmwemu.core.text import parse_json, parse_toml, read_text, shown
from mmwemu.core.units import NS_PER_S
from mmwemu.pattern.model import Floats

_TIMES = {
    "ns": 1e-9, "nsec": 1e-9, "us": 1e-6, "usec": 1e-6, "ms": 1e-3, "msec": 1e-3, "s": 1.0, "sec": 1.0, "secs": 1.0,
    "second": 1.0, "seconds": 1.0, "m": 60.0, "min": 60.0, "minute": 60.0, "minutes": 60.0, "h": 3600.0, "hr": 3600.0,
    "hour": 3600.0, "hours": 3600.0,
}  # fmt: skip
_RATES = {
    "bps": 1.0, "kbps": 1e3, "mbps": 1e6, "gbps": 1e9, "tbps": 1e12,
    "bit/s": 1.0, "kbit/s": 1e3, "mbit/s": 1e6, "gbit/s": 1e9, "tbit/s": 1e12,
}  # fmt: skip
_QUANTITY = re.compile(r"(?:\s*[0-9]{1,20}(?:\.[0-9]{1,20})?\s*[A-Za-z/]+)+\s*")
_TERM = re.compile(r"([0-9.]+)\s*([A-Za-z/]+)")


@dataclass(frozen=True)
class Kind:
    """One kind of trace: the word in its names, the field, the pattern's column and its value where none is given."""

    word: str
    field: str
    column: str
    default: float


KINDS = (
    Kind("Bw", "bw", "rate_bps", 12e6),
    Kind("Delay", "delay", "delay_s", 0.01),
    Kind("Loss", "loss", "loss", 0.0),
)


@dataclass(frozen=True)
class Trace:
    """One file: its kind, the start of each step [n], s, its values [n], its length, s, and whether it loops."""

    kind: Kind
    starts: Floats
    values: list[Any]
    duration_s: float
    loops: bool


def load(path: Path) -> Trace:
    """Read a trace.

    Raises
    ------
    InputError
        With file and field: what is no trace of bandwidth, delay or loss, or one that is drawn at random or too long.
    """
    text = read_text(path)
    document = parse_json(text, str(path)) if text.lstrip().startswith("{") else parse_toml(text, str(path))
    name, config = _only(document, str(path))
    kind = next((one for one in KINDS if re.fullmatch(rf"[A-Z][a-z]+{one.word}(Pattern)?Config", name)), None)
    if kind is None:
        raise InputError(f"{path}: {shown(name)}", "is no trace of Bw, Delay or Loss")
    steps = _steps(name, config, kind, f"{path}: {name}", top=True)
    lengths, values = [], []
    for length, value in steps:
        lengths.append(length)
        values.append(value)
        if len(lengths) > MOST_STEPS:
            raise InputError(str(path), f"has more than {MOST_STEPS} steps")
    if not lengths:
        raise InputError(str(path), "has no steps; at least one is needed")
    ends = np.cumsum(np.array(lengths, dtype=float)).round(9)
    if not ends[-1] <= LONGEST_S:
        raise InputError(str(path), f"lasts {ends[-1]:g} s; must last at most {LONGEST_S:g} s")
    loops = name.startswith("Repeated") and config.get("count", 0) == 0
    return Trace(kind, np.append(0.0, ends[:-1]), values, float(ends[-1]), loops)


def _only(value: object, where: str) -> tuple[str, dict[str, Any]]:
    """Return the name and content of a table that has one table only."""
    if isinstance(value, dict) and len(value) == 1:
        name, content = next(iter(value.items()))
        if isinstance(content, dict):
            return name, content
    raise InputError(where, f"is {shown(value)}; must be one configuration, such as StaticBwConfig")


def _steps(name: str, config: dict[str, Any], kind: Kind, where: str, *, top: bool) -> Iterator[tuple[float, Any]]:
    """Yield the length, s, and value of each step of a configuration."""
    known = {
        f"Static{kind.word}Config": {kind.field, "duration"},
        f"Repeated{kind.word}PatternConfig": {"pattern", "count"},
        "TraceBwConfig": {"pattern"},
    }
    if name not in known or (name == "TraceBwConfig" and kind.word != "Bw"):
        raise InputError(where, f"cannot be read; of {kind.word}, {' and '.join(list(known)[:2])} can")
    if strange := set(config) - known[name]:
        raise InputError(f"{where}.{min(strange)}", f"is unknown; known are {', '.join(sorted(known[name]))}")
    if name.startswith("Static"):
        value = _value(config.get(kind.field), kind, f"{where}.{kind.field}")
        yield _seconds(config.get("duration", "1s"), f"{where}.duration"), value
        return
    items = config.get("pattern", [])
    if not isinstance(items, list):
        raise InputError(f"{where}.pattern", f"is {shown(items)}; must be a list")
    if name == "TraceBwConfig":
        yield from _compact(items, kind, where)
        return
    count = config.get("count", 0)
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count < 2**63:
        raise InputError(f"{where}.count", f"is {shown(count)}; must be a whole number from 0")
    if count == 0 and not top:
        raise InputError(f"{where}.count", "is 0, endless, inside another pattern; only the outermost can be")
    once = [
        step
        for i, item in enumerate(items)
        for inner, content in [_only(item, f"{where}.pattern[{i}]")]
        for step in _steps(inner, content, kind, f"{where}.pattern[{i}].{inner}", top=False)
    ]
    if len(once) * max(1, count) > MOST_STEPS:
        raise InputError(f"{where}.count", f"makes {len(once) * max(1, count)} steps; must be at most {MOST_STEPS}")
    for _ in range(max(1, count) if once else 0):
        yield from once


def _compact(items: list[Any], kind: Kind, where: str) -> Iterator[tuple[float, Any]]:
    for i, item in enumerate(items):
        place = f"{where}.pattern[{i}]"
        if not (isinstance(item, list) and len(item) == 2 and isinstance(item[1], list)):
            raise InputError(place, f"is {shown(item)}; must be a duration and a list of bandwidths")
        length = _seconds(item[0], place)
        for one in item[1]:
            yield length, _value(one, kind, place)


def _value(value: object, kind: Kind, where: str) -> Any:
    if kind.word == "Loss":
        return _probabilities(value, where)
    if value is None:
        return kind.default
    return _seconds(value, where, least=0) if kind.word == "Delay" else _bandwidth(value, where)


def _probabilities(value: object, where: str) -> list[float]:
    if not isinstance(value, list) or not all(
        isinstance(one, (int, float)) and not isinstance(one, bool) and 0 <= one <= 1 for one in value
    ):
        raise InputError(where, f"is {shown(value)}; must be a list of probabilities")
    if len(value) > 2 and len(set(value)) > 1:
        raise InputError(where, f"has {len(value)} probabilities; a pattern has two states of loss")
    return list(map(float, value))


def _bandwidth(value: object, where: str) -> float:
    if isinstance(value, dict) and set(value) <= {"gbps", "bps"}:
        parts = [value.get("gbps", 0), value.get("bps", 0)]
        if all(isinstance(one, int) and not isinstance(one, bool) and 0 <= one < 2**63 for one in parts):
            return float(parts[0] * 10**9 + parts[1])
    rate_bps = _sum(value.lower(), _RATES) if isinstance(value, str) else None
    if rate_bps is None:
        raise InputError(where, f"is {shown(value)}; must be a bandwidth such as 12Mbps")
    return rate_bps


def _seconds(value: object, where: str, least: float = 1e-9) -> float:
    time_s: float | None = None
    if isinstance(value, dict) and set(value) <= {"secs", "nanos"}:
        parts = [value.get("secs", 0), value.get("nanos", 0)]
        if all(isinstance(one, int) and not isinstance(one, bool) and 0 <= one < 2**63 for one in parts):
            time_s = parts[0] + parts[1] / NS_PER_S
    else:
        time_s = _sum(value, _TIMES)
    if time_s is None or not least <= time_s <= LONGEST_S:
        raise InputError(where, f"is {shown(value)}; must be a time such as 1s 500ms, at most {LONGEST_S:g} s")
    return time_s


def _sum(value: object, units: dict[str, float]) -> float | None:
    """Return the sum of a text such as ``1s 500ms``, or None if it is none."""
    if not isinstance(value, str) or not _QUANTITY.fullmatch(value):
        return None
    total = 0.0
    for number, unit in _TERM.findall(value):
        factor = units.get(unit)
        if factor is None or number.count(".") > 1:
            return None
        total += float(number) * factor
    return total if math.isfinite(total) else None
