"""What a link is asked to do, and what a testbed gives, whatever its backend."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from mmwemu.core.errors import InputError
from mmwemu.pattern.model import Pattern

if TYPE_CHECKING:
    import pandas as pd

    from mmwemu.emulate.check import Tolerance

MTU_BYTES = 1500

Role = Literal["client", "server"]
Start = Literal["now", "first-packet"]
Backend = Literal["tun", "tc"]
TcMode = Literal["tbf", "netem-rate"]


@dataclass(frozen=True)
class LinkSettings:
    """One replay of a pattern.

    Attributes
    ----------
    pattern
        What the access link does.
    delay_s
        Delay of the core link between access link and server, each way, s.
    queue_bytes
        Size of the bottleneck's queue in each direction, bytes of IP packets.
    start
        When the pattern's time starts: ``now``, or at the ``first-packet`` in either direction that opens a connection
        or carries data.
    start_at_s
        Time in the pattern at which it starts, s.
    seed
        Seed of random loss; each direction has a generator of its own.
    """

    pattern: Pattern
    delay_s: float = 0.011
    queue_bytes: int = 1_500_000
    start: Start = "first-packet"
    start_at_s: float = 0.0
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("delay_s", "start_at_s"):
            value = getattr(self, name)
            if not math.isfinite(value) or value < 0:
                raise InputError(f"link: {name}", f"is {value:g}; must be finite and 0 or more")
        if self.queue_bytes < MTU_BYTES:
            raise InputError("link: queue_bytes", f"is {self.queue_bytes}; a packet of {MTU_BYTES} bytes must fit")
        if self.start not in ("now", "first-packet"):
            raise InputError("link: start", f"is {self.start!r}; must be now or first-packet")
        if not 0 <= self.seed < 2**62:
            raise InputError("link: seed", f"is {self.seed}; must be from 0 to 2^62 - 1")


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

    def telemetry(self) -> pd.DataFrame:
        """Give what the link did since the last start, a row for each bin of 10 ms and direction.

        Columns: time_s (start of the bin since the epoch), direction (downlink, uplink), offered_bytes,
        delivered_bytes, dropped_queue_bytes, dropped_loss_bytes, dropped_outage_bytes, dropped_device_bytes (each also
        in _packets), queue_bytes (at the end of the bin), queue_max_bytes, capacity_bytes (integral of the pattern's
        rate), backlogged (the queue was never empty), lateness_s (the worst of what was delivered).
        No rows before the epoch.
        """
