"""Files of channel realisations, which ``mmwemu-cell`` writes and reads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mmwemu.core.errors import InputError
from mmwemu.rays.model import Rays
from mmwemu.scenario.model import Scenario
from mmwemu.simulate.config import channel_hash

_MAGIC = "mmwemu-channel 1"
_FIELDS = ("hash", "seed", "bands", "period_ns", "samples", "value_bytes")
_MOST_LINE = 200
_LONGEST_PERIOD_NS = 10**9


@dataclass(frozen=True)
class ChannelHeader:
    """The lines at the start of a file of channel realisations.

    Attributes
    ----------
    hash
        `mmwemu.simulate.config.channel_hash` of the scenario that it was written for.
    seed
        The seed of its random draws.
    duration_s
        The time that its samples cover.
    """

    hash: str
    seed: int
    duration_s: float


def check(path: Path, scenario: Scenario, rays: Rays | None = None) -> ChannelHeader:
    """Return the header of a file that holds the channel of a scenario, whole and for long enough.

    Raises
    ------
    InputError
        If the file is none of these, or holds the channel of another scenario.
    """
    try:
        with path.open("rb") as file:
            header = _read(file, path)
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}") from error
    own = channel_hash(scenario, rays)
    if header.hash != own:
        problem = f"holds the channel of another scenario ({header.hash[:12]}); this one's is {own[:12]}"
        raise InputError(str(path), f"{problem}: write it anew with --channel-out")
    if header.duration_s < scenario.duration_s:
        raise InputError(str(path), f"holds {header.duration_s:g} s; the scenario lasts {scenario.duration_s:g} s")
    return header


def _read(file: BinaryIO, path: Path) -> ChannelHeader:
    if _line(file) != _MAGIC:
        raise InputError(str(path), "is not a file of channel realisations of format 1, as --channel-out writes")
    values: dict[str, str] = {}
    for name in _FIELDS:
        key, _, values[name] = _line(file).partition(" ")
        if key != name:
            raise InputError(str(path), f"is not a file of channel realisations: {name} is missing")
    try:
        seed, bands, period_ns, samples, value_bytes = (int(values[name]) for name in _FIELDS[1:])
    except ValueError as error:
        raise InputError(str(path), f"has a header that makes no sense: {error}") from error
    sound = (
        _line(file) == ""
        and bands > 0
        and 0 < period_ns <= _LONGEST_PERIOD_NS
        and samples > 0
        and value_bytes in (4, 8)
    )
    if not sound or path.stat().st_size - file.tell() != samples * (bands + 2) * value_bytes:
        raise InputError(str(path), "is not as long as its header says; it is damaged")
    return ChannelHeader(values["hash"], seed, samples * period_ns / 1e9)


def _line(file: BinaryIO) -> str:
    return file.readline(_MOST_LINE).removesuffix(b"\n").decode("ascii", errors="replace")
