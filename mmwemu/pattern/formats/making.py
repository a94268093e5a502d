"""What readers and writers of several formats share: making a pattern, and telling what a format cannot express."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.errors import InputError
from mmwemu.core.text import printable
from mmwemu.pattern.formats.format import Values
from mmwemu.pattern.model import EFFECTS, Direction, End, Floats, Outage, PacketEvent, Pattern

_WORDS = {
    "delay_s": "delay", "loss": "loss", "jitter_s": "jitter", "duplication": "duplication", "bit_error": "bit errors",
    "reordering": "reordering", "gilbert_p": "loss in bursts", "gilbert_r": "loss in bursts",
    "loss_bad": "loss in bursts",
}  # fmt: skip


def make(
    path: Path,
    times: tuple[Floats, float],
    directions: tuple[Direction, Direction],
    values: Values,
    conversion: dict[str, str],
    lines: Sequence[int] = (),
    packets: tuple[PacketEvent, ...] = (),
) -> Pattern:
    """Make a pattern of what a file holds.

    Parameters
    ----------
    path
        The file, which refusals and the pattern's source name.
    times
        Start of each step [n_step] and duration, s.
    directions
        Downlink and uplink.
    values
        Options, among them ``outage`` and ``end`` if the format has them.
    conversion
        The conversion's entry in the source.
    lines
        The file's line of each step [n_step], if there is one.
    packets
        Events of single packets.

    Raises
    ------
    InputError
        With file and line, if the steps are no pattern.
    """
    outage, end = values.get("outage", "hold"), values.get("end", "loop")
    meta = {"file": printable(path.name), "conversion": conversion}
    try:
        return Pattern(
            times[0], times[1], *directions, cast(Outage, outage), cast(End, end), meta, packets
        )  # fmt: skip
    except InputError as error:
        field = error.where.rpartition(": ")[2]
        if error.row is not None and error.row < len(lines):
            raise InputError(f"{path}: line {lines[error.row]}", f"{_short(field)} {error.problem}") from None
        raise InputError(str(path), f"{error.where} {error.problem}") from None


def _short(field: str) -> str:
    return "its step" if field.startswith("row") else field


def rates(rate_bps: Floats, delay_s: Floats | None = None, loss: Floats | None = None) -> Direction:
    """Return a direction of rates [n_step], bit/s, with delays, s, and losses where there are any."""
    nothing = np.zeros(len(rate_bps))
    return Direction(rate_bps, nothing if delay_s is None else delay_s, nothing if loss is None else loss)


def held(times: Floats, starts: Floats, values: Floats) -> Floats:
    """Return at each of ``times`` the value that holds since the last of ``starts``, which begin at 0."""
    found: NDArray[np.intp] = np.searchsorted(starts, times, side="right") - 1
    result: Floats = values[found]
    return result


def left_out(pattern: Pattern, name: str, *, can: Sequence[str] = (), uplink: bool = True) -> list[str]:
    """Return one remark with all that a pattern has and a format cannot express, or none.

    Parameters
    ----------
    pattern
        The pattern that is written.
    name
        The format.
    can
        What it can express: names of `Direction`'s fields, ``packets``, ``drop``, ``end``.
    uplink
        Whether it has both directions.
    """
    directions = (pattern.downlink, pattern.uplink) if uplink else (pattern.downlink,)
    found: list[str] = []
    for key in ("delay_s", "loss", *EFFECTS):
        if key not in can and any(getattr(one, key).any() for one in directions) and _WORDS[key] not in found:
            found.append(_WORDS[key])
    if pattern.packets and "packets" not in can:
        found.append("effects on single packets")
    if pattern.outage == "drop" and "drop" not in can and any((one.rate_bps == 0).any() for one in directions):
        found.append("outages that drop packets")
    if pattern.end != "loop" and "end" not in can:
        found.append(f"the end {pattern.end}")
    if not uplink and not same_directions(pattern):
        found.append("an uplink of its own")
    return [f"{name} cannot express {_listed(found)}; left out"] if found else []


def same_directions(pattern: Pattern) -> bool:
    """Return whether both directions of a pattern are alike."""
    names = ("rate_bps", "delay_s", "loss", *EFFECTS)
    return all(np.array_equal(getattr(pattern.downlink, key), getattr(pattern.uplink, key)) for key in names)


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
