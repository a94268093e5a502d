"""One cause removed from a run, as asked for with --what-if."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from mmwemu.core.bounds import LARGEST_QUEUE_BYTES, LARGEST_WINDOW_PACKETS
from mmwemu.core.errors import InputError
from mmwemu.core.text import shown
from mmwemu.core.units import parse_size
from mmwemu.link.profile import MTU_BYTES

Kind = Literal["no-outage", "initcwnd", "cc", "queue"]
_FORMS = "no-outage, initcwnd=PACKETS, cc=NAME or queue=SIZE"


@dataclass(frozen=True)
class Change:
    """What is different in a replay.

    Attributes
    ----------
    name
        As it was asked for.
    kind
        Outages have the rate before them; another initial window, in packets; another congestion control; another size
        of the downlink's queue, bytes.
    value
        The number of ``initcwnd`` and ``queue``, the name of ``cc``, nothing for ``no-outage``.
    """

    name: str
    kind: Kind
    value: int | str = ""


def parse(text: str) -> Change:
    """Return the change that a text asks for.

    Raises
    ------
    InputError
        If it is none.
    """
    kind, equals, value = text.partition("=")
    if kind not in get_args(Kind) or bool(equals) == (kind == "no-outage"):
        raise InputError("--what-if", f"is {shown(text)}; must be {_FORMS}")
    if kind == "initcwnd":
        if not (value.isascii() and value.isdigit() and len(value) <= 6 and 1 <= int(value) <= LARGEST_WINDOW_PACKETS):
            raise InputError("--what-if initcwnd", f"is {shown(value)}; must be from 1 to {LARGEST_WINDOW_PACKETS}")
        return Change(text, "initcwnd", int(value))
    if kind == "queue":
        size_bytes = parse_size(value)
        if not MTU_BYTES <= size_bytes <= LARGEST_QUEUE_BYTES:
            rule = f"must be from {MTU_BYTES} to {LARGEST_QUEUE_BYTES} bytes"
            raise InputError("--what-if queue", f"is {shown(value)}; {rule}")
        return Change(text, "queue", size_bytes)
    if kind == "cc":
        if not value.isidentifier():
            raise InputError("--what-if cc", f"is {shown(value)}; must be the name of a congestion control")
        return Change(text, "cc", value)
    return Change(text, "no-outage")
