"""Statistics of PDCP or RLC that have one row a packet, such as DlPdcpStats: when each was delivered."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mmwemu.core.bounds import LONGEST_S
from mmwemu.core.errors import InputError
from mmwemu.core.units import from_ns
from mmwemu.trace.importing import table
from mmwemu.trace.model import Floats

_FORM = table.Form(words=("type",), numbers=("time", "rnti", "size", "delay"))
_LARGEST_PACKET_BYTES = 65_535
PDCP_HEADER_BYTES = 2
"""Of each packet in the statistics of PDCP."""


@dataclass(frozen=True)
class Deliveries:
    """Packets that arrived: time [n], s; size with all headers [n], bytes; delay in the radio network [n], s."""

    time_s: Floats
    size_bytes: Floats
    delay_s: Floats


def load(path: Path, rnti: int) -> Deliveries:
    """Read the packets that one UE received or sent.

    Raises
    ------
    InputError
        With file and line or column, if the file cannot be read, or has no delivery of this UE.
    """
    read = table.read(path, _FORM)
    numbers = read.numbers
    for name, most in (("time", LONGEST_S), ("size", _LARGEST_PACKET_BYTES), ("delay", LONGEST_S * 1e9)):
        table.check_range(path, name, numbers[name], 0, most)
    chosen = np.array([word == "Rx" for word in read.words["type"]], dtype=bool) & (numbers["rnti"] == rnti)
    if not chosen.any():
        raise InputError(str(path), f"has no row of type Rx with RNTI {rnti}")
    return Deliveries(numbers["time"][chosen], numbers["size"][chosen], from_ns(numbers["delay"][chosen]))
