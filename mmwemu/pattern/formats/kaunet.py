"""Command lines of patt_gen, the pattern generator of KauNet and KauNetEm; see docs/formats/kaunet.md."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mmwemu.core.bounds import LONGEST_S
from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.text import read_text, shown
from mmwemu.core.units import ms
from mmwemu.pattern.formats.format import END, OUTAGE, Format, Reading, Values
from mmwemu.pattern.formats.making import left_out, make, rates
from mmwemu.pattern.model import DirectionName, Floats, PacketEvent, Pattern

_PROGRAM = "patt_gen"
_WHOLE = re.compile(r"[0-9]{1,15}")
_LAST_MS = int(ms(LONGEST_S))
_BOTH: tuple[DirectionName, DirectionName] = ("downlink", "uplink")


def read(path: Path, values: Values) -> Reading:
    """Read one command of bandwidth over time, one of lost packets, or both.

    Raises
    ------
    InputError
        With file, line and what of the command cannot be used.
    """
    steps: tuple[int, Floats, Floats] | None = None
    lost: list[int] = []
    remarks = []
    commands = _commands(path)
    for line, words in commands:
        where = f"{path}: line {line}"
        kind = words[1] if len(words) > 1 else ""
        if kind == "-bw" and steps is None:
            steps = _bandwidth(words[2:], where)
        elif kind == "-pkt" and not lost:
            lost = _packets(words[2:], where)
        elif kind in ("-bw", "-pkt"):
            raise InputError(where, f"is a second command with {kind}; one file makes one pattern")
        else:
            raise InputError(where, f"has {shown(kind)} where -bw or -pkt is expected; no other kind can be read")
    remarks.append("both directions are alike, as KauNetEm's are if one pattern is set on both interfaces")
    if steps is None:
        remarks.append("has no bandwidth; the rate is unlimited, for 1 s that loops")
        steps = (1000, np.zeros(1), np.array([np.inf]))
    size_ms, time_ms, rate_bps = steps
    events = tuple(PacketEvent(direction, number, "lose") for direction in _BOTH for number in lost)
    if time_ms[0] > 0:
        remarks.append(f"the first rate begins at {time_ms[0]:g} ms; it holds from 0")
        time_ms = np.append(0.0, time_ms[1:])
    both = rates(rate_bps)
    lines = [commands[0][0]] * len(time_ms)
    pattern = make(
        path, (time_ms / 1e3, size_ms / 1e3), (both, both), values, {"method": "kaunet"}, lines, events
    )  # fmt: skip
    return Reading(pattern, tuple(remarks))


def _commands(path: Path) -> list[tuple[int, list[str]]]:
    """Return the line and words of each command; a backslash at the end of a line continues it."""
    found: list[tuple[int, list[str]]] = []
    start, text = 0, ""
    for line, part in enumerate(read_text(path).split("\n"), 1):
        if not text and (not part.strip() or part.lstrip().startswith("#")):
            continue
        start = start if text else line
        text += part
        if text.endswith("\\"):
            text = text[:-1]
            continue
        try:
            words = shlex.split(text)
        except ValueError:
            raise InputError(f"{path}: line {start}", "has a quotation mark that is not closed") from None
        if not words or words[0].rpartition("/")[2] != _PROGRAM:
            raise InputError(f"{path}: line {start}", f"begins with {shown(words[:1])}; must be a command {_PROGRAM}")
        found.append((start, words))
        text = ""
    if text:
        raise InputError(f"{path}: line {start}", "ends in the middle of a command")
    if not found:
        raise InputError(str(path), f"has no command {_PROGRAM}")
    return found


def _bandwidth(words: list[str], where: str) -> tuple[int, Floats, Floats]:
    """Return the length, ms, and the time, ms, and rate of each step, bit/s, of KauNetEm's form."""
    options: dict[str, str] = {}
    rest: list[str] = []
    todo = iter(words)
    for word in todo:
        if word in ("-s", "-u", "-o"):
            options[word] = next(todo, "")
        else:
            rest.append(word)
    if options.get("-u") != "bit":
        raise InputError(where, f"has the unit {shown(options.get('-u', ''))}; only -u bit, bit/s, can be read")
    if len(rest) != 1:
        raise InputError(where, f"has {len(rest)} words beside -s, -u and -o; must be one list TIME,RATE,TIME,RATE,...")
    numbers = _numbers(rest[0], where)
    if len(numbers) % 2:
        raise InputError(where, f"has {len(numbers)} numbers; must be pairs of time and rate")
    size_ms = _numbers(options.get("-s", ""), f"{where}: -s")[0]
    if size_ms > _LAST_MS:
        raise InputError(f"{where}: -s", f"is {size_ms}; must be at most {_LAST_MS} ms")
    table = np.array(numbers, dtype=float).reshape(-1, 2)
    if (np.diff(table[:, 0]) <= 0).any():
        i = int(np.argmax(np.diff(table[:, 0]) <= 0))
        raise InputError(where, f"has the time {table[i + 1, 0]:.0f} after {table[i, 0]:.0f}; times must rise")
    if table[-1, 0] >= size_ms:
        raise InputError(where, f"has the time {table[-1, 0]:.0f} in a pattern of {size_ms} ms; must be below -s")
    return size_ms, table[:, 0], table[:, 1]


def _packets(words: list[str], where: str) -> list[int]:
    """Return the numbers of lost packets of KauNet's form ``-pos FILE data SIZE N,N,...``."""
    if len(words) != 5 or words[0] != "-pos" or words[2] != "data":
        raise InputError(where, "is no -pkt -pos FILE data SIZE N,N,...; no other form of lost packets can be read")
    size = _numbers(words[3], f"{where}: size")[0]
    numbers = _numbers(words[4], where)
    if any(not 1 <= number <= size for number in numbers):
        raise InputError(where, f"has a packet beyond 1 to {size}")
    return sorted(set(numbers))


def _numbers(text: str, where: str) -> list[int]:
    """Return the whole numbers of a list."""
    parts = text.split(",")
    for part in parts:
        if not _WHOLE.fullmatch(part):
            raise InputError(where, f"is {shown(part)}; must be a whole number from 0")
    return list(map(int, parts))


def write(pattern: Pattern, path: Path, _: Values) -> Sequence[str]:
    """Write the downlink as a command of bandwidth over time, and its lost packets as another.

    Raises
    ------
    InputError
        If a rate is unlimited.
    """
    if np.isinf(pattern.downlink.rate_bps).any():
        raise InputError(str(path), "has an unlimited rate, which kaunet cannot express; clip it first")
    lost = [one.number for one in pattern.packets if one.direction == "downlink" and one.action == "lose"]
    others = [one for one in pattern.packets if one.action != "lose"]
    remarks = left_out(pattern, "kaunet", can=() if others else ("packets",), uplink=False)
    edges_ms = np.rint(ms(np.append(pattern.time_s, pattern.duration_s))).astype(int)
    size_ms = max(1, int(edges_ms[-1]))
    kept = np.diff(edges_ms) > 0
    if not kept.all():
        remarks.append(f"{int((~kept).sum())} steps shorter than a millisecond are left out")
    if not np.allclose(edges_ms / 1e3, np.append(pattern.time_s, pattern.duration_s), atol=1e-9):
        remarks.append("times are rounded to whole milliseconds")
    kept[-1] |= not kept.any()
    pairs = zip(edges_ms[:-1][kept].tolist(), np.rint(pattern.downlink.rate_bps[kept]).tolist(), strict=True)
    listed = ",".join(f"{time},{rate:.0f}" for time, rate in pairs)
    lines = [f"{_PROGRAM} -bw -s {size_ms} -u bit -o {shlex.quote(path.stem)} {listed}"]
    if lost:
        name = shlex.quote(f"{path.stem}.plp")
        lines.append(f"{_PROGRAM} -pkt -pos {name} data {max(lost)} {','.join(map(str, sorted(set(lost))))}")
    with whole_file(path) as draft:
        draft.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogateescape")
    return remarks


def looks_like(head: str) -> bool:
    """Return whether the first line that is no comment begins with patt_gen."""
    commands = (line.strip() for line in head.split("\n"))
    first = next((line for line in commands if line and not line.startswith("#")), "#")
    return first.split()[0].rpartition("/")[2] == _PROGRAM


FORMAT = Format(
    "kaunet",
    "commands for KauNet's pattern generator patt_gen",
    (".patt_gen",),
    looks_like,
    read,
    write,
    (OUTAGE, END),
)
