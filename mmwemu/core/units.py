"""Parsing, formatting and conversion of quantities; no other module converts units."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from mmwemu.core.bounds import HIGHEST_RATE_BPS, LARGEST_BYTES
from mmwemu.core.errors import InputError
from mmwemu.core.text import shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# By name, so that reading an option does not load numpy.
Quantity = TypeVar("Quantity", "float", "NDArray[np.float64]")

_SIZES = {"": 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_RATES = {"bps": 1.0, "bit/s": 1.0, "kbps": 1e3, "kbit/s": 1e3, "Mbps": 1e6, "Mbit/s": 1e6, "Gbps": 1e9, "Gbit/s": 1e9}
_TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6}

RATE_UNITS = tuple(_RATES)
TIME_UNITS = tuple(_TIMES)
NS_PER_S = 1e9
LIGHT_MPS = 299_792_458.0


def parse_size(text: str) -> int:
    """Return the bytes of a size such as ``20MB``, ``64 KiB`` or ``1500``.

    Raises
    ------
    InputError
        If the text is not a size, or the size is zero.
    """
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", text)
    units = {unit.lower(): factor for unit, factor in _SIZES.items()}
    if match is None or match[2].lower() not in units:
        raise InputError("size", f"is {shown(text)}; write a number and one of B, kB, MB, GB, KiB, MiB, GiB")
    size = float(match[1]) * units[match[2].lower()]
    if not 1 <= size <= LARGEST_BYTES:
        raise InputError("size", f"is {shown(text)}; must be from 1 byte to {LARGEST_BYTES // 10**12} TB")
    return round(size)


def parse_rate(text: str) -> float:
    """Return the bit/s of a rate such as ``50Mbit/s``, ``300 kbps`` or ``1e6``.

    Raises
    ------
    InputError
        If the text is not a rate above 0.
    """
    match = re.fullmatch(r"\s*([0-9.]+(?:e[0-9]+)?)\s*([A-Za-z/]*)\s*", text)
    units = {"": 1.0} | {unit.lower(): factor for unit, factor in _RATES.items()}
    try:
        rate_bps = float(match[1]) * units[match[2].lower()] if match else 0.0
    except (ValueError, KeyError):
        rate_bps = 0.0
    if not 0 < rate_bps <= HIGHEST_RATE_BPS:
        rule = f"write a number above 0 and one of {', '.join(_RATES)}, at most {HIGHEST_RATE_BPS / 1e9:g} Gbit/s"
        raise InputError("rate", f"is {shown(text)}; {rule}")
    return rate_bps


def format_size(size_bytes: int) -> str:
    """Return a size in decimal units with up to four digits: ``20 MB``."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size_bytes >= factor:
            return f"{size_bytes / factor:.4g} {unit}"
    return f"{size_bytes} B"


def seconds_per(unit: str) -> float:
    """Return the length of one ``unit`` of `TIME_UNITS`, s."""
    return _TIMES[unit]


def bps_per(unit: str) -> float:
    """Return the value of one ``unit`` of `RATE_UNITS`, bit/s."""
    return _RATES[unit]


def mbps(rate_bps: Quantity) -> Quantity:
    """Convert bit/s to Mbit/s."""
    return rate_bps / 1e6


def ms(time_s: Quantity) -> Quantity:
    """Convert s to ms."""
    return time_s * 1e3


def to_ns(time_s: float) -> int:
    """Convert s to whole ns."""
    return round(time_s * NS_PER_S)


def from_ns(time_ns: Quantity) -> Quantity:
    """Convert ns to s."""
    return time_ns / NS_PER_S
