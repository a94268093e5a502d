"""A testbed: places, the links between them, and what it can do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mmwemu.core.errors import InputError
from mmwemu.link.check import LinkCheck, check, combine
from mmwemu.link.packets import PacketLog
from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.backends import tun
from mmwemu.testbed.backends.tc import backend as tc
from mmwemu.testbed.clients import SharedClients
from mmwemu.testbed.link import Link
from mmwemu.testbed.machines import Machines
from mmwemu.testbed.place import Launcher, Place, Role
from mmwemu.testbed.proxies.proxy import Edge, Proxy
from mmwemu.testbed.proxies.registry import MAKERS
from mmwemu.testbed.sandbox import Sandbox
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.tcp import TcpChoices, TcpPart
from mmwemu.testbed.topology import CORE, Topology

if TYPE_CHECKING:
    import pandas as pd

_EDGE_CORE_END, _SERVER_CORE_END = "here:core:10.77.1.2:24", "new:server:10.77.1.1:16"
_OWN_NETWORK = 3  # 10.77.(3 + i) for client i with a link of its own


@dataclass(frozen=True)
class Testbed:
    """Clients, perhaps an edge, and a server, with links between them; `open_testbed` makes one.

    Attributes
    ----------
    setup
        The testbed that was asked for.
    clients, edge, server
        The places; ``edge`` is None without a core link.
    links
        By number: access links from 1, the core link is `CORE`.
    sandboxes
        What holds the networks; the first is where the network of the server end of the first access link is.
    tcp_parts
        What sets TCP of each part.
    proxy
        The proxy at the edge, None without one.
    """

    setup: Setup
    clients: tuple[Place, ...]
    edge: Place | None
    server: Place
    links: Mapping[int, Link]
    sandboxes: Sequence[Sandbox] = ()
    tcp_parts: Sequence[TcpPart] = field(default=(), repr=False)
    proxy: Proxy | None = None

    @property
    def topology(self) -> Topology:
        """Places and links, as asked for."""
        return self.setup.topology

    @property
    def client(self) -> Place:
        """The first client."""
        return self.clients[0]

    @property
    def places(self) -> list[Place]:
        """All places."""
        return [*self.clients, *([self.edge] if self.edge else []), self.server]

    def link_of(self, client: Place) -> Link:
        """Return the access link of a client."""
        return self.links[self.topology.link_of(client.number)]

    def applications(self) -> list[int]:
        """Return the ids of the running programs in all places, without probes; their descendants belong to them."""
        return [pid for sandbox in self.sandboxes for pid in sandbox.applications()]

    def start(self, *settings: LinkSettings, packets: Mapping[int, PacketLog] | None = None) -> None:
        """Start a replay anew on each access link, and the core link; packets on their way are gone.

        Parameters
        ----------
        settings
            Of each access link, or one for all of them.
        packets
            By link, where each packet of this replay is written down.

        Raises
        ------
        InputError
            If there are neither as many settings as access links nor one, or the backend cannot do what they say.
        """
        n_link = self.topology.access_links
        if len(settings) not in (1, n_link):
            raise InputError("pattern", f"there are {len(settings)}, and {n_link} access links")
        logs = packets or {}
        for number in range(1, n_link + 1):
            access, core = self.setup.split(settings[(number - 1) % len(settings)])
            if number == 1 and core is not None:
                self.links[CORE].start(core, logs.get(CORE))
            self.links[number].start(access, logs.get(number))

    def set_congestion_control(self, name: str) -> None:
        """Set the TCP congestion control of all places for connections made from now on.

        Raises
        ------
        InputError
            If the kernel does not have it, or the places are other machines.
        """
        if self.setup.machines:
            command = f"sudo sysctl -w net.ipv4.tcp_congestion_control={name}"
            problem = f"cannot be set on other machines from here; there: {command}"
            raise InputError(f"congestion control {name}", problem)
        for part in self.tcp_parts:
            part.set_congestion_control(name)
        self.set_congestion_control_of_edge(name)

    def set_congestion_control_of_edge(self, of_others: str = "") -> None:
        """Set the edge's own TCP congestion control, if there is one; ``of_others`` is that of clients and server.

        Raises
        ------
        InputError
            If the kernel does not have it.
        """
        if own := self.setup.edge_congestion_control:
            for number, link in self.links.items():
                ends = (own, of_others) if number == CORE else (of_others, own)
                link.sandbox.set_congestion_control(*ends)

    def proxy_problem(self) -> str:
        """Return why the proxy at the edge runs no longer, empty while it does or without one."""
        end = self.proxy.end() if self.proxy is not None else ""
        return end and f"edge proxy {self.setup.edge_proxy}: {end}"

    def set_windows(self, choices: TcpChoices) -> None:
        """Set initial windows and socket buffers of TCP in all places for connections made from now on.

        Raises
        ------
        InputError
            If something is chosen that the testbed cannot set.
        """
        self.setup.require_for(choices)
        for part in self.tcp_parts if self.setup.has("initial windows") else ():
            part.set_windows(choices)

    def telemetry(self) -> pd.DataFrame:
        """Return the telemetry of all links since the last start, with a column ``link``; see `Link.telemetry`."""
        import pandas as pd

        return pd.concat([link.telemetry().assign(link=i) for i, link in self.links.items()], ignore_index=True)

    def check(self, telemetry: pd.DataFrame) -> LinkCheck:
        """Return whether all links kept their tolerance, from what `telemetry` returned."""
        parts = {i: telemetry[telemetry["link"] == i] for i in self.links}
        return combine({name_of(i): check(parts[i], self.links[i].tolerance) for i in self.links})


def name_of(link: int) -> str:
    """Return the name of a link for people."""
    return "core link" if link == CORE else f"access link {link}"


@contextmanager
def open_testbed(setup: Setup | None = None, log_dir: Path | None = None) -> Iterator[Testbed]:
    """Make a testbed; on leaving, everything that runs in it is killed.

    Parameters
    ----------
    setup
        None for a client and a server with one link between them, shaped by backend ``tun``.
    log_dir
        Folder for the log of the first link; None keeps none.

    Raises
    ------
    InputError
        If another machine cannot be used.
    MissingError
        If this machine lacks what the testbed needs.
    """
    setup = setup or Setup()
    with ExitStack() as stack:
        if setup.backend == "tc":
            yield _pair(setup, _entered(stack, tc.open_link(log_dir, setup.tc_mode)))
        elif setup.machines:
            link = _entered(stack, tun.open_link(log_dir))
            machines = stack.enter_context(Machines(link.sandbox, setup.machines))
            yield _pair(setup, link, machines.launchers, machines.addresses)
        else:
            yield _build(setup, log_dir, stack)


def _entered(stack: ExitStack, link: Link) -> Link:
    stack.callback(link.close)
    return link


def _pair(
    setup: Setup,
    link: Link,
    launchers: Mapping[Role, Launcher] | None = None,
    addresses: Mapping[Role, str] | None = None,
) -> Testbed:
    """Return a client and a server with one link between them."""
    own = link.sandbox
    client = (addresses or {}).get("client", own.client_address)
    server = (addresses or {}).get("server", own.server_address)
    start: dict[Role, Launcher] = {"client": own.client, "server": own.server, **(launchers or {})}
    return Testbed(
        setup,
        (Place("client", 1, client, _variables(client, "", server, 1), start["client"]),),
        None,
        Place("server", 0, server, _variables(client, "", server), start["server"]),
        {1: link},
        (own,),
        (own,),
    )


def _build(setup: Setup, log_dir: Path | None, stack: ExitStack) -> Testbed:
    """Make all links of a topology: the first with its own namespaces, the others in the network of its server end."""
    topology = setup.topology
    first = _entered(stack, tun.open_link(log_dir))
    links = {1: first}
    hub = first.sandbox.server
    core = None
    if topology.core is not None:
        core = _entered(stack, tun.open_link(within=hub, ends=(_EDGE_CORE_END, _SERVER_CORE_END)))
    for i in range(2, topology.access_links + 1):
        network = f"10.77.{_OWN_NETWORK + i}"
        ends = (f"new:client:{network}.2:0", f"here:access{i}:{network}.1:24")
        links[i] = _entered(stack, tun.open_link(within=hub, ends=ends))
    parts: list[TcpPart] = [link.sandbox for link in (*links.values(), *([core] if core else []))]
    addresses = [link.sandbox.client_address for link in links.values()]
    launchers: list[Launcher] = [link.sandbox.client for link in links.values()]
    if topology.shared and topology.clients > 1:
        shared = stack.enter_context(SharedClients(first.sandbox, topology.clients))
        addresses, launchers = shared.addresses, list(shared.networks)
        parts.append(shared)
    edge_address = first.sandbox.server_address if core else ""
    server_at = (core or first).sandbox
    variables = partial(_variables, edge=edge_address, server=server_at.server_address)
    clients = tuple(
        Place("client", i, address, variables(address, number=i), launcher)
        for i, (address, launcher) in enumerate(zip(addresses, launchers, strict=True), 1)
    )
    edge = Place("edge", 0, edge_address, variables(addresses[0]), hub) if core else None
    server = Place("server", 0, server_at.server_address, variables(addresses[0]), server_at.server)
    everything = links | ({CORE: core} if core else {})
    sandboxes = [link.sandbox for link in everything.values()]
    proxy = None
    maker = MAKERS.get(setup.edge_proxy or "")
    if edge is not None and maker is not None:
        inner = [edge_address, *(link.sandbox.server_address for number, link in links.items() if number > 1)]
        at = Edge(edge, [*inner, server_at.client_address])
        proxy = stack.enter_context(maker(at))
    testbed = Testbed(setup, clients, edge, server, everything, sandboxes, parts, proxy)
    testbed.set_congestion_control_of_edge()
    return testbed


def _variables(client: str, edge: str, server: str, number: int = 0) -> dict[str, str]:
    return {
        "MMWEMU_CLIENT": client,
        "MMWEMU_EDGE": edge,
        "MMWEMU_SERVER": server,
        "MMWEMU_NUMBER": str(number) if number else "",
    }
