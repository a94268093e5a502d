"""RxPacketTrace: the transport blocks that UE and base station received; one row a block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.bounds import LONGEST_S
from mmwemu.core.errors import InputError
from mmwemu.core.text import shown
from mmwemu.trace.importing import table
from mmwemu.trace.model import Floats

_FORM = table.Form(
    words=("dl/ul",),
    numbers=("frame", "subf", "symbol#", "rnti", "tbsize", "mcs", "sinr(db)", "corrupt"),
    optional=("time", "slot", "cellid", "ccid"),
    unnamed="dl/ul",
)
_LARGEST = 2**32
# Until 2020 a subframe was 100 us, and ten of them a frame; since then it is 1 ms with 4 or 8 slots.
_LEGACY_SUBFRAME_S, _LEGACY_FRAME_S = 100e-6, 1e-3
_SUBFRAME_S = 1e-3
_FEWEST_SLOTS = 4
_SLOT_KEYS = ("slot", "cellid", "ccid")


@dataclass(frozen=True)
class RxPackets:
    """Received transport blocks.

    Attributes
    ----------
    time_s
        Time of reception [n], s.
    is_downlink
        Direction [n].
    slot
        Slot [n]: equal numbers are one slot of one carrier.
    symbols
        OFDM symbols that the block took [n].
    ue
        UE [n]: RNTI, and the number of the cell times 2**16.
    size_bytes, mcs, sinr_db
        Of the block [n].
    is_corrupt
        Whether the block could not be decoded [n].
    slot_s
        Length of a slot, s.
    """

    time_s: Floats
    is_downlink: NDArray[np.bool_]
    slot: NDArray[np.int64]
    symbols: Floats
    ue: NDArray[np.int64]
    size_bytes: Floats
    mcs: Floats
    sinr_db: Floats
    is_corrupt: NDArray[np.bool_]
    slot_s: float

    def of(self, chosen: NDArray[np.bool_]) -> RxPackets:
        """Return some of the blocks."""
        columns: dict[str, Any] = {f.name: getattr(self, f.name)[chosen] for f in fields(self) if f.name != "slot_s"}
        return RxPackets(**columns, slot_s=self.slot_s)


def load(paths: Sequence[Path]) -> RxPackets:
    """Read the blocks of one simulation from one file or several, in any order of rows.

    Raises
    ------
    InputError
        With file and line or column, if a file cannot be read or has no rows, or files have slots of different length.
    """
    parts = [_load(path) for path in paths]
    if len({part.slot_s for part in parts}) > 1:
        raise InputError(str(paths[0]), "and the other files have slots of different length: not of one simulation")
    columns: dict[str, Any] = {
        f.name: np.concatenate([getattr(part, f.name) for part in parts])
        for f in fields(RxPackets)
        if f.name != "slot_s"
    }
    return RxPackets(**columns, slot_s=parts[0].slot_s)


def find_ue(packets: RxPackets, rnti: int | None, where: str) -> int:
    """Return the UE with an RNTI, or the only one, as `RxPackets.ue` has it.

    Raises
    ------
    InputError
        If there is no such UE, or there are several and ``rnti`` is None or in several cells; ``where`` names the file.
    """
    found = np.unique(packets.ue)
    if rnti is not None:
        found = found[found % 2**16 == rnti]
    names = ", ".join(f"{ue % 2**16} in cell {ue >> 16}" for ue in found[:5].tolist())
    if len(found) == 0:
        raise InputError(where, f"has no UE with RNTI {rnti}")
    if len(found) > 1:
        raise InputError(where, f"has {len(found)} UEs, RNTI {names}; choose one by --rnti, of a file with one cell")
    return int(found[0])


def _load(path: Path) -> RxPackets:
    read = table.read(path, _FORM)
    numbers, directions = read.numbers, read.words["dl/ul"]
    if not directions:
        raise InputError(str(path), "has no rows; nothing was received")
    odd = next((word for word in directions if word not in ("DL", "UL")), None)
    if odd is not None:
        raise InputError(f"{path}: DL/UL", f"is {shown(odd)}; must be DL or UL")
    for name, values in numbers.items():
        if name not in ("sinr(db)", "time"):
            table.check_range(path, name, values, 0, 1 if name == "corrupt" else 2**16 if name == "rnti" else _LARGEST)
    table.check_range(path, "sinr(db)", np.where(np.isfinite(numbers["sinr(db)"]), numbers["sinr(db)"], 0), -1000, 1000)
    none = np.zeros(len(directions))
    slots = int(numbers["slot"].max()) + 1 if "slot" in numbers else 0
    time_s = numbers.get("time", numbers["frame"] * _LEGACY_FRAME_S + numbers["subf"] * _LEGACY_SUBFRAME_S)
    table.check_range(path, "time", time_s, 0, LONGEST_S)
    # Numbers of frames begin again after some time, so the second is part of what makes a slot.
    keys = (np.floor(time_s), numbers["frame"], numbers["subf"], *(numbers.get(n, none) for n in _SLOT_KEYS))
    return RxPackets(
        time_s=time_s,
        is_downlink=np.array([word == "DL" for word in directions]),
        slot=np.unique(np.stack(keys), axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64),
        symbols=numbers["symbol#"],
        ue=(numbers["rnti"] + 2**16 * numbers.get("cellid", none)).astype(np.int64),
        size_bytes=numbers["tbsize"],
        mcs=numbers["mcs"],
        sinr_db=numbers["sinr(db)"],
        is_corrupt=numbers["corrupt"] > 0,
        slot_s=_SUBFRAME_S / max(_FEWEST_SLOTS, 2 ** (slots - 1).bit_length()) if slots else _LEGACY_SUBFRAME_S,
    )
