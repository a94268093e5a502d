"""Traces of CellReplay: base delays with packet trains, and opportunities under load.

docs/formats/cellreplay.md describes them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.units import ms
from mmwemu.pattern.formats import opportunities, packet_trains
from mmwemu.pattern.formats.format import END, OUTAGE, Format, Option, Reading, Values
from mmwemu.pattern.formats.making import left_out, make, rates
from mmwemu.pattern.formats.packet_trains import LEAST_LINES, OPPORTUNITY_BYTES, ROW, Course, Trains
from mmwemu.pattern.model import Direction, Pattern

_LIGHT, _HEAVY = "delay-light-pdo", "heavy-pdo"
_NAME = re.compile(r"(?P<prefix>.*?)(?P<way>down|up)-delay-light-pdo")


def read(path: Path, values: Values) -> Reading:
    """Read base delays and packet trains, and the opportunities under load and the other direction beside them.

    Raises
    ------
    InputError
        With file and line: what is no packet train or opportunity, or times that fall.
    """
    down, remarks = packet_trains.load(path), []
    other = _other_way(path)
    up = down
    if other is not None and other.is_file():
        up = packet_trains.load(other)
        remarks.append(f"the {'uplink' if _is_downlink(path) else 'downlink'} is {other}")
    else:
        remarks.append("has one direction only; the uplink is the same")
    if not _is_downlink(path) and up is not down:
        down, up = up, down
    trains = {"downlink": down, "uplink": up}
    heavy = {name: _heavy_of(one.path, values["load"], remarks) for name, one in trains.items()}
    periods = [one.period_ms for one in trains.values()] + [one.period_ms for one in heavy.values() if one]
    end_ms = max(periods)
    if min(periods) < end_ms:
        remarks.append(f"parts shorter than {end_ms / 1e3:g} s start again until the longest ends, as in CellReplay")
    courses = {
        name: (_rates(trains[name], heavy[name], end_ms), packet_trains.delays(trains[name], end_ms)) for name in trains
    }
    starts = np.unique(np.concatenate([one.starts_ms for pair in courses.values() for one in pair]))
    both = [rates(rate.at(starts), delay.at(starts) / 1e3) for rate, delay in courses.values()]
    load = "heavy" if heavy["downlink"] else "light"
    conversion = {"method": "cellreplay", "load": load}
    pattern = make(path, (starts / 1e3, end_ms / 1e3), (both[0], both[1]), values, conversion)
    return Reading(pattern, tuple(dict.fromkeys(remarks)))


def _rates(trains: Trains, heavy: opportunities.Opportunities | None, end_ms: int) -> Course:
    return Course(*heavy.steps(end_ms)) if heavy else packet_trains.rates(trains, end_ms)


def _is_downlink(path: Path) -> bool:
    found = _NAME.fullmatch(path.name)
    return found is None or found["way"] == "down"


def _other_way(path: Path) -> Path | None:
    found = _NAME.fullmatch(path.name)
    return path.with_name(f"{found['prefix']}{'up' if found['way'] == 'down' else 'down'}-{_LIGHT}") if found else None


def _heavy_of(path: Path, load: str, remarks: list[str]) -> opportunities.Opportunities | None:
    """Return the opportunities under load that lie beside a file of trains, None if the trains count."""
    if load == "light":
        return None
    file = path.with_name(path.name.replace(_LIGHT, _HEAVY))
    if _LIGHT in path.name and file.is_file():
        remarks.append(f"the rates are those under load of {file}; trains of light load are left out (--load light)")
        return opportunities.load(file, OPPORTUNITY_BYTES)
    if load == "heavy":
        raise InputError(str(path), "has no opportunities under load beside it, in a file that ends in heavy-pdo")
    remarks.append("has no opportunities under load beside it; the rates are those of its packet trains")
    return None


def write(pattern: Pattern, path: Path, _: Values) -> Sequence[str]:
    """Write the downlink's delays and trains, and beside them those of the uplink and the opportunities under load.

    A train has one packet, so that all others take the opportunities under load.

    Raises
    ------
    InputError
        If the name does not end in down-delay-light-pdo, a rate is unlimited, or a file would be too large.
    """
    found = _NAME.fullmatch(path.name)
    if found is None or found["way"] != "down":
        raise InputError(str(path), f"must end in down-{_LIGHT}; three other files are written beside it")
    if pattern.duration_s < LEAST_LINES / 1e3:
        raise InputError(str(path), f"would last {pattern.duration_s:g} s; CellReplay needs at least {LEAST_LINES} ms")
    remarks = left_out(pattern, "cellreplay", can=("delay_s",))
    remarks.append("delays are in whole ms, rates in opportunities of 1400 bytes at whole ms")
    remarks.append("the first packet after a pause passes at once there, even in an outage; it is a train of its own")
    texts = {}
    for way, one in (("down", pattern.downlink), ("up", pattern.uplink)):
        where = f"{path}: {way}link"
        text, trailing_s = opportunities.text_of(pattern, one.rate_bps, OPPORTUNITY_BYTES, where)
        if trailing_s > 0:
            remarks.append(f"cellreplay cannot express that the {way}link ends with {trailing_s:g} s without an "
                           "opportunity; one at the end keeps the length")  # fmt: skip
        texts[f"{found['prefix']}{way}-{_LIGHT}"] = _trains_text(pattern, one)
        texts[f"{found['prefix']}{way}-{_HEAVY}"] = text
    remarks += [f"{path.with_name(name)} belongs to it" for name in texts if name != path.name]
    with ExitStack() as stack:
        for name, text in texts.items():
            stack.enter_context(whole_file(path.with_name(name))).write_text(text, encoding="ascii")
    return remarks


def _trains_text(pattern: Pattern, one: Direction) -> str:
    """Return two lines for each change of the delay, 1 ms apart, since CellReplay interpolates between lines."""
    times_ms = np.rint(ms(np.append(pattern.time_s, pattern.duration_s))).astype(np.int64)
    delay_ms = np.rint(ms(one.delay_s)).astype(np.int64)
    changes = np.flatnonzero(np.diff(delay_ms)) + 1
    end_ms = int(times_ms[-1])
    known = {int(times_ms[i]): int(delay_ms[i]) for i in changes.tolist()}
    rows, last = [(0, int(delay_ms[0]))], int(delay_ms[0])
    for at, delay in known.items():
        if at - 1 > rows[-1][0]:
            rows.append((at - 1, last))
        rows.append((at, delay))
        last = delay
    rows += [(end_ms - 1, last)] * (end_ms - 1 > rows[-1][0]) + [(end_ms, last)]
    rows += [(end_ms, last)] * (LEAST_LINES - len(rows))
    return "".join(f"{at} {delay} 0\n" for at, delay in rows)


def looks_like(head: str) -> bool:
    """Return whether lines are whole numbers, at least three, whose third is 0 as in each train."""
    rows = head.removesuffix("\n").split("\n")
    return all(ROW.fullmatch(row) and row.split(" ")[2] == "0" for row in rows)


FORMAT = Format(
    "cellreplay",
    "CellReplay's base delays, packet trains and opportunities",
    (".down-delay-light-pdo", ".up-delay-light-pdo"),
    looks_like,
    read,
    write,
    (
        Option(
            "load", "Rates under load, or of packet trains.  [default: under load, if there]", "", ("heavy", "light")
        ),
        OUTAGE,
        END,
    ),
)
