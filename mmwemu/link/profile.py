"""The link profile: the settings of a link that hold whatever pattern it replays."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self, get_args

from mmwemu.core.bounds import (
    LARGEST_PROXY_BUFFER_BYTES,
    LARGEST_QUEUE_BDP,
    LARGEST_QUEUE_BYTES,
    LARGEST_QUEUE_PACKETS,
    LONGEST_DELAY_S,
    LONGEST_TIMER_S,
    SHORTEST_INFORMATION_S,
)
from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.link.milliproxy import MilliProxy

MTU_BYTES = 1500

Aqm = Literal["drop-tail", "drop-head", "codel", "fq_codel", "pie"]

_MARKING = ("codel", "fq_codel", "pie")
_PREFIXES = ("", "uplink_")
SIZES = ("queue_bytes", "queue_packets", "queue_s", "queue_bdp")
_MOST = {"queue_packets": LARGEST_QUEUE_PACKETS, "queue_s": LONGEST_DELAY_S, "queue_bdp": LARGEST_QUEUE_BDP}


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
    uplink_queue_bytes, uplink_queue_packets, uplink_queue_s, uplink_queue_bdp, uplink_aqm
        The same for the uplink alone; None: as the downlink.
    ecn
        CoDel, FQ-CoDel and PIE mark packets of ECN-capable transports (RFC 3168) instead of dropping them, and TCP at
        both ends negotiates ECN.
    slot_s
        All packets of a slot of this length in the pattern's time leave at its end, s; 0: each leaves at its own time.
    milliproxy_information_s, milliproxy_delay_s
        With milliProxy at the edge: how often it is told the rate and the queue of the access link, and how old these
        are then, s.
    milliproxy_buffer_bytes
        With milliProxy at the edge: data of a connection that it can hold back, bytes.
    """

    delay_s: float = 0.011
    queue_bytes: int = 1_500_000
    queue_packets: int | None = None
    queue_s: float | None = None
    queue_bdp: float | None = None
    aqm: Aqm = "drop-tail"
    uplink_queue_bytes: int | None = None
    uplink_queue_packets: int | None = None
    uplink_queue_s: float | None = None
    uplink_queue_bdp: float | None = None
    uplink_aqm: Aqm | None = None
    ecn: bool = False
    slot_s: float = 0.0
    milliproxy_information_s: float = MilliProxy.information_interval_s
    milliproxy_delay_s: float = MilliProxy.information_delay_s
    milliproxy_buffer_bytes: int = MilliProxy.buffer_bytes

    def __post_init__(self) -> None:
        if not 0 <= self.delay_s <= LONGEST_DELAY_S:
            raise InputError("link: delay_s", f"is {digits(self.delay_s)}; must be from 0 to {digits(LONGEST_DELAY_S)}")
        for prefix in _PREFIXES:
            self._check_queue(prefix)
        if self.ecn and self.aqm not in _MARKING and self.uplink_aqm not in _MARKING:
            raise InputError("link: ecn", f"cannot be had with {self.aqm}; codel, fq_codel and pie mark packets")
        if not (self.slot_s == 0 or 1e-6 <= self.slot_s <= 1):
            raise InputError("link: slot_s", f"is {digits(self.slot_s)}; must be 0 or from 1 us to 1 s")
        bounds = {
            "milliproxy_information_s": (SHORTEST_INFORMATION_S, LONGEST_TIMER_S),
            "milliproxy_delay_s": (0, LONGEST_TIMER_S),
            "milliproxy_buffer_bytes": (0, LARGEST_PROXY_BUFFER_BYTES),
        }
        for name, (least, most) in bounds.items():
            if not least <= (value := getattr(self, name)) <= most:
                problem = f"is {digits(value)}; must be from {digits(least)} to {digits(most)}"
                raise InputError(f"link: {name}", problem)

    def _check_queue(self, prefix: str) -> None:
        """Refuse sizes and AQM of the queue whose fields begin with a prefix."""
        values = {name: value for name in SIZES if (value := getattr(self, prefix + name)) is not None}
        size_bytes = values.pop("queue_bytes", MTU_BYTES)
        if size_bytes < MTU_BYTES:
            raise InputError(f"link: {prefix}queue_bytes", f"is {size_bytes}; a packet of {MTU_BYTES} bytes must fit")
        if size_bytes > LARGEST_QUEUE_BYTES:
            raise InputError(f"link: {prefix}queue_bytes", f"is {size_bytes}; must be at most {LARGEST_QUEUE_BYTES}")
        if len(values) > 1:
            first, second = list(values)[:2]
            raise InputError(f"link: {prefix}{second}", f"cannot be given with {prefix}{first}; one size is enough")
        for name, value in values.items():
            if not 0 < value <= _MOST[name]:
                problem = f"is {digits(value)}; must be above 0 and at most {digits(_MOST[name])}"
                raise InputError(f"link: {prefix}{name}", problem)
        aqm = getattr(self, f"{prefix}aqm")
        if aqm not in get_args(Aqm) and not (prefix and aqm is None):
            raise InputError(f"link: {prefix}aqm", f"is {aqm!r}; must be one of {', '.join(get_args(Aqm))}")

    def override(self, **changes: Any) -> Self:
        """Return this profile with some values changed; a size of a queue takes the place of any other size of it."""
        for prefix in _PREFIXES:
            sizes = [prefix + name for name in SIZES]
            if any(name in changes for name in sizes):
                changes = {name: getattr(LinkProfile, name) for name in sizes} | changes
        return replace(self, **changes)

    def profile(self) -> dict[str, Any]:
        """Return the fields of `LinkProfile` by name, whatever other fields this object has."""
        return {field.name: getattr(self, field.name) for field in fields(LinkProfile)}
