"""One replay as a backend is told it: everything resolved, and the message that carries it.

The message is text, the same for both backends; ``mmwemu-link`` reads it in ``emulator/core/replay.cpp``::

    replay 1
    start first-packet
    start_at_ns 0
    ...
    downlink.aqm drop-tail
    downlink.queue_bytes 1500000
    ...
    steps
    0 73700000.0 0 0.0 ...
    packets
    downlink 17 lose 0

After the version come names with values, in any order, then the steps of the pattern, then the packets that are told by
their number, if there are any. A step is its start [ns], then of the downlink and of the uplink: rate [bit/s], delay
[ns], loss, jitter [ns], duplication, bit errors, reordering, and p, r and 1-h of the Gilbert-Elliott model.

With a scheduler, further patterns follow the first, each after a line ``steps``. Then come a line ``clients`` and one
for each client: its pattern, counted from 0, and how far it is ahead in it [ns].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.errors import InputError
from mmwemu.core.units import NS_PER_S, from_ns, to_ns
from mmwemu.link import queue
from mmwemu.link.cell import DEFAULT_SLOT_S
from mmwemu.link.milliproxy import MilliProxy
from mmwemu.link.queue import Queue
from mmwemu.link.settings import LinkSettings, Scheduler, Start
from mmwemu.pattern.model import OPTIONAL, Direction, Floats, PacketEvent, Pattern

FORMAT = 1
_DIRECTIONS = ("downlink", "uplink")
_COLUMNS = ("rate_bps", *OPTIONAL)


def _flag(text: str) -> bool:
    return text == "1"


def _seconds(text: str) -> float:
    return from_ns(int(text))


# Name in the message, field of the object, and how a value is written and read.
_Value = tuple[str, str, Callable[[Any], object], Callable[[str], object]]
_VALUES: tuple[_Value, ...] = (
    ("start", "start", str, str),
    ("start_at_ns", "start_at_s", to_ns, _seconds),
    ("core_delay_ns", "delay_s", to_ns, _seconds),
    ("seed", "seed", int, int),
    ("slot_ns", "slot_s", to_ns, _seconds),
    ("scheduler", "scheduler", str, str),
    ("ecn", "ecn", int, _flag),
    ("packet_headers", "packet_headers", int, _flag),
)
_MILLIPROXY_VALUES: tuple[_Value, ...] = (
    ("buffer_bytes", "buffer_bytes", int, int),
    ("backlog_limit_bytes", "backlog_limit_bytes", int, int),
    ("first_window_bytes", "first_window_bytes", int, int),
    ("information_interval_ns", "information_interval_s", to_ns, _seconds),
    ("information_delay_ns", "information_delay_s", to_ns, _seconds),
)
_PATTERN_VALUES: tuple[_Value, ...] = (
    ("outage", "outage", str, str),
    ("end", "end", str, str),
    ("duration_ns", "duration_s", to_ns, _seconds),
)
_QUEUE_VALUES: tuple[_Value, ...] = (
    ("aqm", "aqm", str, str),
    ("queue_bytes", "size_bytes", int, int),
    ("queue_packets", "size_packets", int, int),
)


@dataclass(frozen=True)
class Replay:
    """One replay of a pattern; fields named as in `mmwemu.link.settings.LinkSettings` mean the same.

    Attributes
    ----------
    downlink, uplink
        The queue of each direction.
    packet_headers
        Where packets are written down one by one, their headers are kept too.
    others
        Patterns beside the first.
    clients
        With a scheduler, the pattern of each client, from 0, and how far it is ahead in it, s.
    milliproxy
        What stands between server and link; None for nothing.
    """

    pattern: Pattern
    start: Start
    start_at_s: float
    delay_s: float
    seed: int
    slot_s: float
    scheduler: Scheduler
    ecn: bool
    downlink: Queue
    uplink: Queue
    packet_headers: bool = False
    others: tuple[Pattern, ...] = ()
    clients: tuple[tuple[int, float], ...] = ()
    milliproxy: MilliProxy | None = None

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """All patterns."""
        return (self.pattern, *self.others)


def resolve(settings: LinkSettings, *, packet_headers: bool = False) -> Replay:
    """Return the replay that settings describe.

    Raises
    ------
    InputError
        If a queue's size depends on a rate that is unlimited.
    """
    same = ("pattern", "start", "start_at_s", "delay_s", "seed", "scheduler", "ecn")
    is_cell = settings.scheduler != "fifo"
    others = settings.others[: settings.clients - 1]
    return Replay(
        **{name: getattr(settings, name) for name in same},
        slot_s=settings.slot_s or (DEFAULT_SLOT_S if is_cell else 0.0),
        others=others,
        clients=tuple(
            (i if settings.others else 0, i * settings.client_shift_s)
            for i in range(settings.clients if is_cell else 0)
        ),
        downlink=queue.resolve(settings, "downlink"),
        uplink=queue.resolve(settings, "uplink"),
        packet_headers=packet_headers,
        milliproxy=_milliproxy(settings) if settings.milliproxy else None,
    )


def _milliproxy(settings: LinkSettings) -> MilliProxy:
    return MilliProxy(
        buffer_bytes=settings.milliproxy_buffer_bytes,
        information_interval_s=settings.milliproxy_information_s,
        information_delay_s=settings.milliproxy_delay_s,
    )


def encode(replay: Replay) -> str:
    """Write the message of a replay."""
    pattern = replay.pattern
    lines = [f"replay {FORMAT}"]
    lines += _write(_VALUES, replay) + _write(_PATTERN_VALUES, pattern)
    lines.append(f"edge_proxy {'none' if replay.milliproxy is None else 'milliproxy'}")
    lines += _write(_MILLIPROXY_VALUES, replay.milliproxy or MilliProxy(), "milliproxy.")
    for direction in _DIRECTIONS:
        lines += _write(_QUEUE_VALUES, getattr(replay, direction), f"{direction}.")
    for each in replay.patterns:
        lines += ["steps", *_step_lines(each)]
    if replay.clients:
        lines += ["clients", *(f"{number} {to_ns(shift_s)}" for number, shift_s in replay.clients)]
    if pattern.packets:
        lines.append("packets")
        lines += [
            f"{event.direction} {event.number} {event.action} {to_ns(event.delay_s)}"
            for event in sorted(pattern.packets, key=lambda event: event.number)
        ]
    return "\n".join(lines) + "\n"


def _step_lines(pattern: Pattern) -> Iterator[str]:
    """Write a line for each step that changes something."""
    columns: list[NDArray[Any]] = [_whole_ns(pattern.time_s)]
    for direction in (pattern.downlink, pattern.uplink):
        for key in _COLUMNS:
            values: Floats = getattr(direction, key)
            columns.append(_whole_ns(values) if key.endswith("_s") else values)
    changes = np.ones(len(columns[0]), dtype=bool)
    changes[1:] = np.any([column[1:] != column[:-1] for column in columns[1:]], axis=0)
    rows = zip(*(column[changes].tolist() for column in columns), strict=True)
    return (" ".join(map(repr, row)) for row in rows)


def _whole_ns(times_s: Floats) -> NDArray[np.int64]:
    return np.rint(times_s * NS_PER_S).astype(np.int64)


def decode(text: str) -> Replay:
    """Read what `encode` wrote of a replay without a cell.

    Raises
    ------
    InputError
        If it has another version.
    """
    head, _, rest = text.partition("\nsteps\n")
    first, *lines = head.split("\n")
    if first != f"replay {FORMAT}":
        raise InputError("replay", f"begins with {first!r}; this mmwemu reads replay {FORMAT}")
    steps, _, events = rest.partition("packets\n")
    table = np.array([[float(word) for word in line.split()] for line in steps.splitlines()])
    width = len(_COLUMNS)
    directions: dict[str, Any] = {
        name: Direction(
            **{
                key: from_ns(table[:, 1 + i * width + k]) if key.endswith("_s") else table[:, 1 + i * width + k]
                for k, key in enumerate(_COLUMNS)
            }
        )
        for i, name in enumerate(_DIRECTIONS)
    }
    values = dict(line.split(" ", 1) for line in lines)
    pattern = Pattern(
        time_s=from_ns(table[:, 0]),
        packets=tuple(_event(*line.split()) for line in events.splitlines()),
        **directions,
        **_read(_PATTERN_VALUES, values),
    )
    queues: dict[str, Any] = {name: Queue(**_read(_QUEUE_VALUES, values, f"{name}.")) for name in _DIRECTIONS}
    known: dict[str, Any] = _read(_MILLIPROXY_VALUES, values, "milliproxy.")
    milliproxy = MilliProxy(**known) if values["edge_proxy"] == "milliproxy" else None
    return Replay(pattern=pattern, **queues, **_read(_VALUES, values), milliproxy=milliproxy)


def _write(table: Iterable[_Value], source: object, prefix: str = "") -> list[str]:
    return [f"{prefix}{name} {write(getattr(source, field))}" for name, field, write, _ in table]


def _read(table: Iterable[_Value], values: Mapping[str, str], prefix: str = "") -> dict[str, Any]:
    return {field: read(values[prefix + name]) for name, field, _, read in table}


def _event(direction: Any, number: str, action: Any, delay_ns: str) -> PacketEvent:
    return PacketEvent(direction, int(number), action, _seconds(delay_ns))
