"""More than a client and a server: several clients in one cell, and an edge between access and core link.

    client 1 ─┐                                           (shared: one link, its queue and pattern are everybody's)
    client 2 ─┴─ access link ── edge ── core link ── server
                                                          (own: each client has a link with a pattern of its own)

Each link is an engine. The first testbed has the first client and the edge or server; further ones are made in the
network of the edge, and have one end there. Clients that share a link are networks behind the end of it. The edge is
left out where there is no core link to put behind it; the access link then has the core's delay.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from mmwemu.core import paths, process
from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.model import Direction, Pattern
from mmwemu.testbed.backends.tun import TunTestbed
from mmwemu.testbed.sandbox import only_child

if TYPE_CHECKING:
    import pandas as pd

    from mmwemu.link.packets import PacketLog
    from mmwemu.testbed.outside import Outside, Way

Place = Literal["client", "edge", "server"]

MOST_CLIENTS = 250
_EDGE_CORE_END, _SERVER_CORE_END = "here:core:10.77.1.2:24", "new:server:10.77.1.1:16"
_SHARED_NETWORK, _OWN_NETWORK = "10.77.2", 3  # 10.77.2.i for client i of a shared link, 10.77.(3 + i) else
_READY_LIMIT_S = 30.0


@dataclass(frozen=True)
class Core:
    """The link between edge and server, the same in both directions.

    Attributes
    ----------
    delay_s
        One way, s.
    rate_bps
        Rate, bit/s; inf for unlimited.
    loss
        Share of packets lost at random.
    queue_bytes
        Size of its queue in each direction.
    """

    delay_s: float = 0.011
    rate_bps: float = math.inf
    loss: float = 0.0
    queue_bytes: int = 1_500_000

    def settings(self, seed: int) -> LinkSettings:
        """Give what its engine replays."""
        direction = Direction(np.array([self.rate_bps]), np.zeros(1), np.array([self.loss]))
        pattern = Pattern(np.zeros(1), 1.0, direction, direction)
        return LinkSettings(pattern, delay_s=self.delay_s, queue_bytes=self.queue_bytes, start="now", seed=seed)


@dataclass(frozen=True)
class Topology:
    """What is between whom.

    Attributes
    ----------
    clients
        How many.
    shared
        They share one access link; otherwise each has its own.
    core
        The core link behind an edge, None for no edge: the access link has the core's delay.
    """

    clients: int = 1
    shared: bool = True
    core: Core | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.clients <= MOST_CLIENTS:
            raise InputError("clients", f"is {self.clients}; must be from 1 to {MOST_CLIENTS}")

    @property
    def links(self) -> int:
        """Number of access links."""
        return 1 if self.shared else self.clients


class CellTestbed:
    """Clients, perhaps an edge, and a server; it ends as a `TunTestbed` does.

    With one client it is a `Testbed`.

    Parameters
    ----------
    topology
        What is made.
    log_dir
        Folder for the log of the first engine; None keeps none.
    """

    def __init__(self, topology: Topology, log_dir: Path | None = None) -> None:
        self.topology = topology
        self._core_seed = 1
        with ExitStack() as stack:
            first = stack.enter_context(TunTestbed(log_dir))
            self._links = [first]
            self._core: TunTestbed | None = None
            if topology.core is not None:
                ends = (_EDGE_CORE_END, _SERVER_CORE_END)
                self._core = stack.enter_context(TunTestbed(place=(first, "server"), ends=ends))
            self._cell = None
            if topology.shared and topology.clients > 1:
                self._cell = stack.enter_context(_Cell(first, topology.clients))
            for i in range(2, topology.links + 1):
                ends = (f"new:client:10.77.{_OWN_NETWORK + i}.2:0", f"here:cell{i}:10.77.{_OWN_NETWORK + i}.1:24")
                self._links.append(stack.enter_context(TunTestbed(place=(first, "server"), ends=ends)))
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def client_addresses(self) -> list[str]:
        """Address of each client."""
        return self._cell.addresses if self._cell else [link.client_address for link in self._links]

    @property
    def client_address(self) -> str:
        """Address of the first client."""
        return self.client_addresses[0]

    @property
    def edge_address(self) -> str | None:
        """Address of the edge, None where there is none."""
        return self._links[0].server_address if self._core else None

    @property
    def server_address(self) -> str:
        """Address of the server."""
        return (self._core or self._links[0]).server_address

    def popen(
        self, place: Place, argv: Sequence[str], *, client: int = 1, foreground: bool = False, **options: Any
    ) -> subprocess.Popen[Any]:
        """Start a program on a client, counted from 1, the edge or the server.

        Other parameters as those of `Testbed.popen`. The environment gets ``MMWEMU_CLIENT``, ``MMWEMU_SERVER`` and
        ``MMWEMU_EDGE``, empty where there is none; and on clients ``MMWEMU_NUMBER``.

        Raises
        ------
        InputError
            If there is no such place or program.
        """
        if place == "edge" and self._core is None:
            raise InputError("edge", "there is none; it needs a core link")
        if not 1 <= client <= self.topology.clients:
            raise InputError("client", f"is {client}; must be from 1 to {self.topology.clients}")
        more = {
            "MMWEMU_CLIENT": self.client_addresses[client - 1],
            "MMWEMU_SERVER": self.server_address,
            "MMWEMU_EDGE": self.edge_address or "",
            "MMWEMU_NUMBER": str(client) if place == "client" else "",
        }
        testbed, role = self._where(place, client)
        return testbed.popen(role, argv, foreground=foreground, addresses=more, **options)

    def _where(self, place: Place, client: int) -> tuple[TunTestbed, Any]:
        if place == "server":
            return self._core or self._links[0], "server"
        if place == "edge":
            return self._links[0], "server"
        if self._cell is not None:
            return self._links[0], self._cell.roles[client - 1]
        return self._links[client - 1], "client"

    def start(self, *settings: LinkSettings) -> None:
        """Start a replay anew on each access link, and the core link.

        Parameters
        ----------
        settings
            Of each access link. With an edge, the core's delay takes the place of theirs.

        Raises
        ------
        InputError
            If there are not as many as access links.
        """
        if len(settings) != self.topology.links:
            raise InputError("pattern", f"there are {len(settings)}, and {self.topology.links} access links")
        if self.topology.core is not None and self._core is not None:
            self._core.start(self.topology.core.settings(settings[0].seed))
            settings = tuple(replace(one, delay_s=0.0) for one in settings)
        for link, one in zip(self._links, settings, strict=True):
            link.start(one)

    def set_congestion_control(self, name: str) -> None:
        """Set the TCP congestion control of all for connections made from now on; see `Testbed`."""
        for link in (*self._links, *([self._core] if self._core else [])):
            link.set_congestion_control(name)
        if self._cell is not None:
            self._cell.set_congestion_control(name)

    def epoch_ns(self, link: int = 1) -> int | None:
        """Give when the pattern of an access link, or the core link (0), started; see `Testbed.epoch_ns`."""
        return self._link(link).epoch_ns()

    def telemetry(self, link: int = 1, since_s: float = 0.0) -> pd.DataFrame:
        """Give what an access link did; see `Testbed.telemetry`."""
        return self._links[link - 1].telemetry(since_s)

    def core_telemetry(self) -> pd.DataFrame:
        """Give what the core link did.

        Raises
        ------
        MmwemuError
            If there is none.
        """
        return self._link(0).telemetry()

    @contextmanager
    def open_outside(self, way: Way | None = None) -> Iterator[Outside]:
        """Give all clients, and the edge, the network this process is in; see `mmwemu.testbed.outside.open_outside`."""
        from mmwemu.testbed.outside import open_outside

        if self._core is not None:
            argv = [process.find_tool("ip", "install it: sudo apt-get install iproute2"), "route", "replace", "default"]
            route = self.popen("edge", [*argv, "dev", "core"], stdin=subprocess.DEVNULL)
            if route.wait(_READY_LIMIT_S) != 0:
                raise MmwemuError("the edge cannot be given a way outside: ip failed")
        router = self._core or self._links[0]
        with open_outside(router, way, [link for link in self._links if link is not router]) as outside:
            yield outside

    @property
    def link_numbers(self) -> list[int]:
        """Numbers of the access links, from 1, and 0 for the core link where there is one."""
        return [*range(1, self.topology.links + 1), *([0] if self._core else [])]

    def core_delay_s(self, link: int = 1) -> float:
        """Give the delay that a link has beside its pattern's since the last start, one way, s."""
        settings = self._link(link).settings
        return 0.0 if settings is None else settings.delay_s

    def log_packets(self, log: PacketLog, link: int = 1) -> None:
        """Write down each packet of an access link's next start, of the core link's where it is 0."""
        self._link(link).log_packets(log)

    def finish_packets(self, link: int = 1) -> None:
        """Write out what has been written down of a link's packets up to now."""
        self._link(link).finish_packets()

    def _link(self, number: int) -> TunTestbed:
        if number > 0:
            return self._links[number - 1]
        if self._core is None:
            raise MmwemuError("there is no core link")
        return self._core

    def close(self) -> None:
        """End everything in it; harmless when done already."""
        self._stack.close()


class _Cell:
    """Networks of clients that share the end of a link."""

    def __init__(self, testbed: TunTestbed, clients: int) -> None:
        self.addresses = [f"{_SHARED_NETWORK}.{i}" for i in range(1, clients + 1)]
        program = [sys.executable, "-P", "-m", "mmwemu.testbed.client_networks", str(clients), *self.addresses]
        self._process = testbed.popen(
            "client", [str(paths.program("mmwemu-link")), "networks", str(clients), *program],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        ready = self._read().split()
        if ready[:1] != ["ready"]:
            self.close()
            raise MmwemuError("the clients' networks cannot be made")
        pid = only_child(self._process.pid)
        self.roles = [testbed.add_network(f"client{i}", f"/proc/{pid}/fd/{fd}") for i, fd in enumerate(ready[1:], 1)]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _read(self) -> str:
        assert self._process.stdout is not None
        return str(self._process.stdout.readline())

    def set_congestion_control(self, name: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"congestion {name}\n")
        self._process.stdin.flush()
        if (answer := self._read().strip()) != "ok":
            raise MmwemuError(f"congestion control {name}: {answer.removeprefix('error ')}")

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
