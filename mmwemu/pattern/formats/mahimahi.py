"""Traces of Mahimahi's mm-link, one opportunity of 1500 bytes a line; see docs/formats/mahimahi.md."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.names import check_path
from mmwemu.pattern.formats.format import END, OUTAGE, Format, Option, Reading, Values
from mmwemu.pattern.formats.making import held, left_out, make, rates
from mmwemu.pattern.formats.opportunities import load, text_of
from mmwemu.pattern.model import Pattern

OPPORTUNITY_BYTES = 1500
_LINE = re.compile(r"[0-9]{1,12}")


def read(path: Path, values: Values) -> Reading:
    """Read a trace; the uplink is the file named by ``uplink``, or that beside ``NAME.down`` called ``NAME.up``.

    An opportunity at t ms becomes a rate from t - 1 to t, so that a waiting packet leaves at t as in mm-link.

    Raises
    ------
    InputError
        With file and line: what is no millisecond, or a time that runs backwards.
    """
    down, remarks = load(path, OPPORTUNITY_BYTES), []
    beside = _partner(path)
    up = down
    if values["uplink"]:
        up = load(check_path(values["uplink"]), OPPORTUNITY_BYTES)
    elif beside is not None and beside.is_file():
        other = load(beside, OPPORTUNITY_BYTES)
        down, up = (down, other) if path.suffix == ".down" else (other, down)
        remarks.append(f"the {'uplink' if path.suffix == '.down' else 'downlink'} is {beside}")
    else:
        remarks.append("has one direction only; the uplink is the same (--uplink names another file)")
    longest_ms = max(down.period_ms, up.period_ms)
    for name, one in (("downlink", down), ("uplink", up)):
        if one.period_ms < longest_ms:
            remarks.append(f"the {name} starts again after {one.period_ms / 1e3:g} s, as in mm-link, until the other "
                           f"ends at {longest_ms / 1e3:g} s")  # fmt: skip
    (down_ms, down_bps), (up_ms, up_bps) = (one.steps(longest_ms) for one in (down, up))
    starts = np.union1d(down_ms, up_ms).astype(float)
    both = rates(held(starts, down_ms.astype(float), down_bps)), rates(held(starts, up_ms.astype(float), up_bps))
    if values["outage"] == "drop":
        remarks.append("each millisecond without an opportunity counts as an outage, which drops packets")
    pattern = make(path, (starts / 1e3, longest_ms / 1e3), both, values, {"method": "mahimahi"})
    return Reading(pattern, tuple(remarks))


def _partner(path: Path) -> Path | None:
    other = {".down": ".up", ".up": ".down"}.get(path.suffix)
    return path.with_suffix(other) if other else None


def write(pattern: Pattern, path: Path, _: Values) -> Sequence[str]:
    """Write ``NAME.down`` and, beside it, ``NAME.up``.

    Opportunities are rounded cumulatively: at any time they differ from the pattern by less than one.

    Raises
    ------
    InputError
        If the name does not end in .down, a rate is unlimited, or a file would be larger than can be read.
    """
    if path.suffix != ".down":
        raise InputError(str(path), "must end in .down; the uplink is written beside it, to a file that ends in .up")
    remarks = left_out(pattern, "mahimahi")
    remarks.append("rates are in opportunities of 1500 bytes at whole milliseconds")
    texts = []
    for name, rate_bps in (("downlink", pattern.downlink.rate_bps), ("uplink", pattern.uplink.rate_bps)):
        text, trailing_s = text_of(pattern, rate_bps, OPPORTUNITY_BYTES, f"{path}: {name}")
        texts.append(text)
        if trailing_s > 0:
            remarks.append(
                f"mahimahi cannot express that the {name} ends with {trailing_s:g} s without an opportunity; "
                "one at the end keeps the length"
            )
    with whole_file(path) as down, whole_file(path.with_suffix(".up")) as up:
        down.write_text(texts[0], encoding="ascii")
        up.write_text(texts[1], encoding="ascii")
    return remarks


def looks_like(head: str) -> bool:
    """Return whether the lines are whole numbers that do not fall."""
    lines = head.removesuffix("\n").split("\n")
    if not all(map(_LINE.fullmatch, lines)):
        return False
    stamps = list(map(int, lines))
    return stamps == sorted(stamps)


FORMAT = Format(
    "mahimahi",
    "Mahimahi's mm-link: NAME.down and NAME.up",
    (".down", ".up"),
    looks_like,
    read,
    write,
    (Option("uplink", "File of the uplink.  [default: beside IN]"), OUTAGE, END),
)
