"""What a link is asked to do, and what a testbed gives, whatever its backend."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

from mmwemu.core.errors import InputError
from mmwemu.pattern.model import Pattern

if TYPE_CHECKING:
    import pandas as pd

    from mmwemu.link.check import Tolerance

MTU_BYTES = 1500

Role = Literal["client", "server"]
Start = Literal["now", "first-packet"]
Aqm = Literal["drop-tail", "drop-head", "codel", "fq_codel", "pie"]
Scheduler = Literal["fifo", "round-robin"]
Backend = Literal["tun", "tc"]
TcMode = Literal["tbf", "netem-rate"]


@dataclass(frozen=True, kw_only=True)
class LinkKind:
    """What a link is like beside its pattern.

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
        What a queue drops: what comes when it is full (``drop-tail``), what waits longest then (``drop-head``), or what
        CoDel (RFC 8289), FQ-CoDel (RFC 8290) or PIE (RFC 8033) say. When it is full, CoDel and PIE drop what comes,
        FQ-CoDel what waits longest of the largest flow.
    ecn
        These three mark packets of transports that understand it (RFC 3168) instead of dropping them; TCP of both ends
        asks for it.
    slot_s
        Packets leave at the ends of slots of this length in the pattern's time, all at once, s; 0: each at its time.
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

    def kind(self) -> dict[str, Any]:
        """Give the fields of a link's kind by name, whatever else this object has."""
        return {field.name: getattr(self, field.name) for field in fields(LinkKind)}


@dataclass(frozen=True)
class LinkSettings(LinkKind):
    """One replay of a pattern.

    Attributes
    ----------
    pattern
        What the access link does.
    start
        When the pattern's time starts: ``now``, or at the ``first-packet`` in either direction that opens a connection
        or carries data.
    start_at_s
        Time in the pattern at which it starts, s.
    seed
        Seed of random loss; each direction has a generator of its own.
    scheduler
        Who of several clients behind one end of the link is served: who came first (``fifo``), from one queue; or they
        take turns (``round-robin``) and each has a queue of its own, of the whole size and with the whole AQM. Clients
        are told apart by the last byte of their address.
    """

    pattern: Pattern
    start: Start = "first-packet"
    start_at_s: float = 0.0
    seed: int = 1
    scheduler: Scheduler = "fifo"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not math.isfinite(self.start_at_s) or self.start_at_s < 0:
            raise InputError("link: start_at_s", f"is {self.start_at_s:g}; must be finite and 0 or more")
        if self.start not in ("now", "first-packet"):
            raise InputError("link: start", f"is {self.start!r}; must be now or first-packet")
        if not 0 <= self.seed < 2**62:
            raise InputError("link: seed", f"is {self.seed}; must be from 0 to 2^62 - 1")
        if self.scheduler not in get_args(Scheduler):
            raise InputError(
                "link: scheduler", f"is {self.scheduler!r}; must be one of {', '.join(get_args(Scheduler))}"
            )


class Testbed(Protocol):
    """A client and a server with a link between them."""

    @property
    def client_address(self) -> str:
        """Address of the client."""

    @property
    def server_address(self) -> str:
        """Address of the server."""

    @property
    def tolerance(self) -> Tolerance:
        """How far the link may be off in a run."""

    def popen(
        self, role: Role, argv: Sequence[str], *, foreground: bool = False, **options: Any
    ) -> subprocess.Popen[Any]:
        """Start a program on the client or the server.

        Parameters
        ----------
        role
            Where it runs.
        argv
            Program and arguments.
        foreground
            Keep it in this process's group, so that it has the terminal and gets Ctrl-C; otherwise it gets a group of
            its own.
        options
            Those of `subprocess.Popen`. The environment gets ``MMWEMU_CLIENT`` and ``MMWEMU_SERVER``.

        Raises
        ------
        InputError
            If there is no such program.
        """

    def start(self, settings: LinkSettings) -> None:
        """Start a replay anew; packets on their way are gone."""

    def set_congestion_control(self, name: str) -> None:
        """Set the TCP congestion control of both ends for connections made from now on.

        Raises
        ------
        InputError
            If the kernel does not have it.
        """

    def epoch_ns(self) -> int | None:
        """Give the time of CLOCK_MONOTONIC at which the pattern last started, None where it waits for a packet [ns]."""

    def telemetry(self, since_s: float = 0.0) -> pd.DataFrame:
        """Give what the link did since the last start, a row for each bin of 10 ms and direction.

        Bins before ``since_s``, time since the epoch, are left out.

        Columns: time_s (start of the bin since the epoch), direction (downlink, uplink), offered_bytes,
        delivered_bytes, dropped_queue_bytes, dropped_aqm_bytes, dropped_loss_bytes, dropped_outage_bytes,
        dropped_device_bytes, duplicated_bytes (copies), damaged_bytes (with wrong bits; both apart from delivered),
        reordered_bytes (came ahead of an earlier one), marked_bytes (each also in _packets), queue_bytes (at the end
        of the bin), queue_max_bytes, capacity_bytes (integral of the pattern's rate), backlogged (the queue was never
        empty), lateness_s (the worst of what was delivered, and how long the link
        stood still).
        No rows before the epoch.
        """
