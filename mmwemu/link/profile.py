"""The link profile: the settings of a link that hold whatever pattern it replays."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self, get_args

from mmwemu.core.errors import InputError

MTU_BYTES = 1500

Aqm = Literal["drop-tail", "drop-head", "codel", "fq_codel", "pie"]

_SIZES = ("queue_bytes", "queue_packets", "queue_s", "queue_bdp")


@dataclass(frozen=True, kw_only=True)
class LinkProfile:
    """The settings of a link that hold whatever pattern it replays.

    Attributes
    ----------
    delay_s
        Delay of the core link between access link and server, each way, s.
    queue_bytes
        Size of the bottleneck's queue in each direction, bytes of IP packets; the packet in service counts.
    queue_packets, queue_s, queue_bdp
        Its size in packets, in time at the mean rate of the direction [s], or in products of that rate and the round
        trip without queues; at most one, instead of bytes.
    aqm
        Which packet the queue drops. A full queue drops the arriving packet (``drop-tail``) or the oldest one
        (``drop-head``). CoDel (RFC 8289), FQ-CoDel (RFC 8290) and PIE (RFC 8033) drop earlier; when full, CoDel and PIE
        drop the arriving packet, FQ-CoDel the oldest one of the largest flow.
    ecn
        CoDel, FQ-CoDel and PIE mark packets of ECN-capable transports (RFC 3168) instead of dropping them, and TCP at
        both ends negotiates ECN.
    slot_s
        All packets of a slot of this length in the pattern's time leave at its end, s; 0: each leaves at its own time.
    """

    delay_s: float = 0.011
    queue_bytes: int = 1_500_000
    queue_packets: int | None = None
    queue_s: float | None = None
    queue_bdp: float | None = None
    aqm: Aqm = "drop-tail"
    ecn: bool = False
    slot_s: float = 0.0

    def __post_init__(self) -> None:
        if not math.isfinite(self.delay_s) or self.delay_s < 0:
            raise InputError("link: delay_s", f"is {self.delay_s:g}; must be finite and 0 or more")
        if self.queue_bytes < MTU_BYTES:
            raise InputError("link: queue_bytes", f"is {self.queue_bytes}; a packet of {MTU_BYTES} bytes must fit")
        sizes = [name for name in ("queue_packets", "queue_s", "queue_bdp") if getattr(self, name) is not None]
        if len(sizes) > 1:
            raise InputError(f"link: {sizes[1]}", f"cannot be given with {sizes[0]}; one size is enough")
        for name in sizes:
            if not math.isfinite(getattr(self, name)) or getattr(self, name) <= 0:
                raise InputError(f"link: {name}", f"is {getattr(self, name):g}; must be finite and above 0")
        if self.aqm not in get_args(Aqm):
            raise InputError("link: aqm", f"is {self.aqm!r}; must be one of {', '.join(get_args(Aqm))}")
        if self.ecn and self.aqm not in ("codel", "fq_codel", "pie"):
            raise InputError("link: ecn", f"cannot be had with {self.aqm}; codel, fq_codel and pie mark packets")
        if not (self.slot_s == 0 or 1e-6 <= self.slot_s <= 1):
            raise InputError("link: slot_s", f"is {self.slot_s:g}; must be 0 or from 1 us to 1 s")

    def override(self, **changes: Any) -> Self:
        """Return this profile with some values changed; a size of a queue takes the place of any other size of it."""
        if any(name in changes for name in _SIZES):
            changes = {"queue_bytes": LinkProfile.queue_bytes} | dict.fromkeys(_SIZES[1:]) | changes
        return replace(self, **changes)

    def profile(self) -> dict[str, Any]:
        """Return the fields of `LinkProfile` by name, whatever other fields this object has."""
        return {field.name: getattr(self, field.name) for field in fields(LinkProfile)}
