"""Traces of Rattan, one file for each kind and direction; see docs/formats/rattan.md."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.names import check_path
from mmwemu.core.units import to_ns
from mmwemu.pattern.formats.format import OUTAGE, Format, Option, Reading, Values
from mmwemu.pattern.formats.making import held, left_out, make, rates
from mmwemu.pattern.formats.netem_trace import Trace, load
from mmwemu.pattern.model import Direction, Floats, Pattern

# Beside NAME.json: a trace for each other kind and direction that a pattern needs.
_BESIDE = {
    ("downlink", "Bw"): "", ("downlink", "Delay"): ".delay", ("downlink", "Loss"): ".loss",
    ("uplink", "Bw"): ".uplink", ("uplink", "Delay"): ".uplink-delay", ("uplink", "Loss"): ".uplink-loss",
}  # fmt: skip


def read(path: Path, values: Values) -> Reading:
    """Read a bandwidth trace, with those of delay, loss and the uplink that lie beside it.

    Raises
    ------
    InputError
        With file and field: what is no such trace, a random or too long one, or traces of unequal length.
    """
    first = load(path)
    found, remarks = {("downlink", first.kind.word): first}, []
    for key, infix in _BESIDE.items():
        file = path.with_name(path.stem + infix + path.suffix)
        if key == ("uplink", "Bw") and values["uplink"]:
            file = check_path(values["uplink"])
        elif not (infix and first.kind.word == "Bw" and file.is_file()):
            continue
        else:
            remarks.append(f"{file} is its {key[0]} {key[1].lower().replace('bw', 'bandwidth')}")
        found[key] = load(file)
        if found[key].kind.word != key[1]:
            raise InputError(str(file), f"is a trace of {found[key].kind.word}; must be one of {key[1]}")
        if to_ns(found[key].duration_s) != to_ns(first.duration_s):
            problem = f"lasts {found[key].duration_s:g} s where {path} lasts {first.duration_s:g} s; make them equal"
            raise InputError(str(file), problem)
    if first.kind.word != "Bw":
        remarks.append("has no bandwidth; the rate is unlimited")
    if not any(key[0] == "uplink" for key in found):
        found |= {("uplink", word): trace for (_, word), trace in found.items()}
        remarks.append("has one direction only; the uplink is the same (--uplink names another file)")
    starts = np.unique(np.concatenate([trace.starts for trace in found.values()]))
    down, up = (_direction(starts, {word: one for (name, word), one in found.items() if name == direction})
                for direction in ("downlink", "uplink"))  # fmt: skip
    end = values["end"] or ("loop" if first.loops else "hold")
    pattern = make(path, (starts, first.duration_s), (down, up), {**values, "end": end}, {"method": "rattan"})
    return Reading(pattern, tuple(remarks))


def _direction(starts: Floats, traces: dict[str, Trace]) -> Direction:
    columns = {
        one.kind.column: held(starts, one.starts, np.array(one.values, dtype=float))
        for one in traces.values()
        if one.kind.word != "Loss"
    }
    rate_bps = columns.pop("rate_bps", np.full(len(starts), np.inf))
    if "Loss" not in traces:
        return rates(rate_bps, **columns)
    loss = traces["Loss"]
    table = np.array([_loss(one) for one in loss.values])
    plain, p, r, bad = (held(starts, loss.starts, table[:, i]) for i in range(4))
    delay_s = columns.get("delay_s", np.zeros(len(starts)))
    return Direction(rate_bps, delay_s, plain, gilbert_p=p, gilbert_r=r, loss_bad=bad)


def _loss(pattern: list[float]) -> tuple[float, float, float, float]:
    """Return loss, gilbert_p, gilbert_r and loss_bad of probabilities after no lost packet and after one."""
    if len(set(pattern)) <= 1:
        return (pattern[0] if pattern else 0.0), 0.0, 0.0, 0.0
    return 0.0, pattern[0], 1.0 - pattern[1], 1.0


def write(pattern: Pattern, path: Path, _: Values) -> Sequence[str]:
    """Write a bandwidth trace and, beside it, those of delay, loss and the uplink that the pattern needs.

    Raises
    ------
    InputError
        If the name ends in neither .json nor .toml, or a rate is unlimited.
    """
    if path.suffix not in (".json", ".toml"):
        raise InputError(str(path), "must end in .json or .toml")
    remarks = left_out(pattern, "rattan", can=("loss", "delay_s", "end"))
    documents = _documents(pattern, path)
    for infix in _BESIDE.values():
        file = path.with_name(path.stem + infix + path.suffix)
        if infix and infix in documents:
            remarks.append(f"{file} belongs to it")
        elif infix and file.exists():
            remarks.append(f"{file} is not of this pattern, but would be read with it; remove it")
    if pattern.end == "stop":
        remarks.append("rattan cannot express the end stop; the last values hold")
    with ExitStack() as stack:
        for infix, document in documents.items():
            draft = stack.enter_context(whole_file(path.with_name(path.stem + infix + path.suffix)))
            text = json.dumps(document, indent=1) + "\n" if path.suffix == ".json" else tomli_w.dumps(document)
            draft.write_text(text, encoding="ascii")
    return remarks


def _documents(pattern: Pattern, path: Path) -> dict[str, dict[str, Any]]:
    """Return the configurations that a pattern needs, by what their files have before the ending."""
    if np.isinf([pattern.downlink.rate_bps, pattern.uplink.rate_bps]).any():
        raise InputError(str(path), "has an unlimited rate, which rattan cannot express; clip it first")
    columns: dict[tuple[str, str], Floats] = {}
    for name, one in (("downlink", pattern.downlink), ("uplink", pattern.uplink)):
        columns |= {(name, "Bw"): one.rate_bps.round(), (name, "Delay"): one.delay_s, (name, "Loss"): one.loss}
    alike = all(np.array_equal(columns["downlink", word], columns["uplink", word]) for word in ("Bw", "Delay", "Loss"))
    needed = [
        key
        for key in columns
        if key == ("downlink", "Bw")
        or (columns[key].any() and key[0] == "downlink")
        or (key[0] == "uplink" and not alike)
    ]
    return {_BESIDE[key]: _document(pattern, key[1], columns[key]) for key in needed}


def _document(pattern: Pattern, word: str, values: Floats) -> dict[str, Any]:
    """Return the configuration of one kind and direction; steps of equal values are joined."""
    starts = np.append(True, np.diff(values) != 0)
    lengths = np.diff(np.append(pattern.time_s[starts], pattern.duration_s))
    field, text = _FIELDS[word]
    steps = [
        {f"Static{word}Config": {field: text(value), "duration": _duration(length)}}
        for value, length in zip(values[starts].tolist(), lengths.tolist(), strict=True)
    ]
    return {f"Repeated{word}PatternConfig": {"pattern": steps, "count": 0 if pattern.end == "loop" else 1}}


def _duration(time_s: float) -> str:
    time_ns = to_ns(time_s)
    for unit, length_ns in (("s", 10**9), ("ms", 10**6), ("us", 10**3)):
        if time_ns % length_ns == 0:
            return f"{time_ns // length_ns}{unit}"
    return f"{time_ns}ns"


_FIELDS: dict[str, tuple[str, Callable[[float], Any]]] = {
    "Bw": ("bw", lambda rate_bps: f"{rate_bps:.0f}bps"),
    "Delay": ("delay", _duration),
    "Loss": ("loss", lambda loss: [loss]),
}


def looks_like(head: str) -> bool:
    """Return whether the file begins as a configuration of netem-trace."""
    return re.search(r"(Static|Repeated|Trace)(Bw|Delay|Loss)(Pattern)?Config\b", head[:400]) is not None


FORMAT = Format(
    "rattan",
    "Rattan's traces of bandwidth, delay and loss",
    (".json", ".toml"),
    looks_like,
    read,
    write,
    (
        Option("uplink", "File of the uplink.  [default: beside IN]"),
        OUTAGE,
        Option("end", "What follows the end.", "", ("loop", "hold", "stop")),
    ),
)
