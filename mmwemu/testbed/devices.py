"""The veth pairs and routes that connect networks."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyroute2 import IPRoute, NetlinkError

from mmwemu.core.errors import MmwemuError
from mmwemu.testbed import offload

_CLONE_NEWNET = 0x40000000
_GATEWAY = "10.77.0.254"
_QUEUE_PACKETS = 1000


@dataclass(frozen=True)
class Endpoint:
    """An end of the link: its name, address and network namespace (an open file)."""

    name: str
    address: str
    network_fd: int


@dataclass(frozen=True)
class Metrics:
    """What an endpoint's route says of its TCP connections; empty and 0: the kernel's own."""

    congestion_control: str = ""
    initial_window: int = 0


def join_network(fd: int) -> None:
    """Move this thread into a network namespace; raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(fd, _CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


@contextmanager
def inside(fd: int) -> Iterator[None]:
    """Be in a network namespace for a while."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        join_network(fd)
        try:
            yield
        finally:
            join_network(home)
    finally:
        os.close(home)


def connect(endpoint: Endpoint) -> int:
    """Connect an endpoint to this namespace; return the number of the device here that leads to it.

    Neighbours are written down for good, so that no ARP passes the link.

    Raises
    ------
    MmwemuError
        If the kernel refuses.
    """
    try:
        return _connect(endpoint)
    except NetlinkError as error:
        raise MmwemuError(f"the network of the {endpoint.name} cannot be made: {error}") from error


def _connect(endpoint: Endpoint) -> int:
    here = f"to-{endpoint.name}"
    with IPRoute() as route:
        route.link("add", ifname=here, kind="veth", peer={"ifname": endpoint.name, "net_ns_fd": endpoint.network_fd})
        index: int = route.link_lookup(ifname=here)[0]
        our_mac = _mac(route, index)
        offload.switch_off(here)
        route.link("set", index=index, state="up", txqlen=_QUEUE_PACKETS)
        with inside(endpoint.network_fd), IPRoute() as there:
            their_mac = _set_up_endpoint(there, endpoint, our_mac)
        route.addr("add", index=index, address=_GATEWAY, prefixlen=32)
        route.neigh("add", dst=endpoint.address, lladdr=their_mac, ifindex=index, state=_permanent())
        route.route("add", dst=f"{endpoint.address}/32", oif=index, scope="link")
    return index


def set_metrics(endpoint: Endpoint, metrics: Metrics) -> None:
    """Set what an endpoint's route says of its connections; raises OSError or MmwemuError."""
    with inside(endpoint.network_fd), IPRoute() as there:
        try:
            _route(there.route, "replace", endpoint, there.link_lookup(ifname=endpoint.name)[0], metrics)
        except NetlinkError as error:
            raise MmwemuError(f"the route of the {endpoint.name}: {error}") from error


def set_buffers(endpoint: Endpoint, receive: str, send: str) -> None:
    """Set the sizes of an endpoint's TCP buffers, as in ``net.ipv4.tcp_rmem`` and ``tcp_wmem``; raises OSError."""
    with inside(endpoint.network_fd):
        for name, sizes in (("tcp_rmem", receive), ("tcp_wmem", send)):
            Path("/proc/sys/net/ipv4", name).write_text(sizes, encoding="ascii")


def _set_up_endpoint(there: Any, endpoint: Endpoint, gateway_mac: str) -> str:
    (loopback,), (index,) = there.link_lookup(ifname="lo"), there.link_lookup(ifname=endpoint.name)
    there.link("set", index=loopback, state="up")
    offload.switch_off(endpoint.name)
    there.link("set", index=index, state="up")
    there.addr("add", index=index, address=endpoint.address, prefixlen=32)
    there.neigh("add", dst=_GATEWAY, lladdr=gateway_mac, ifindex=index, state=_permanent())
    _route(there.route, "add", endpoint, index, Metrics())
    return _mac(there, index)


def _route(change: Callable[..., Any], verb: str, endpoint: Endpoint, device: int, metrics: Metrics) -> None:
    onlink = 4
    words: dict[str, Any] = {"dst": "0.0.0.0/0", "gateway": _GATEWAY, "oif": device, "prefsrc": endpoint.address}
    window = metrics.initial_window
    given = {"cc_algo": metrics.congestion_control, "initcwnd": window, "initrwnd": window}
    if known := {name: value for name, value in given.items() if value}:
        words["metrics"] = known
    change(verb, flags=onlink, **words)


def _mac(route: Any, index: int) -> str:
    return str(route.get_links(index)[0].get_attr("IFLA_ADDRESS"))


def _permanent() -> int:
    return 0x80  # NUD_PERMANENT
