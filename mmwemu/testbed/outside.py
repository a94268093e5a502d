"""The real network behind a testbed's server, so that clients reach it through the pattern.

There are three gateways. All end with the testbed and with this process, however these end:

- ``nat`` for users who may change this machine's network: a pair of virtual devices and address translation. The
  client's TCP connections are its own from end to end.
- ``pasta`` and ``slirp4netns`` for everybody: they carry data between a device in the testbed and sockets of this user.
  Their TCP has hardly any congestion control, so the client's connections end at the edge, where a relay forwards their
  data.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, get_args

from mmwemu.core import process
from mmwemu.core.errors import InputError, MissingError, MmwemuError
from mmwemu.testbed import resolver
from mmwemu.testbed.kernel import read_sysctl
from mmwemu.testbed.relay import start_relay
from mmwemu.testbed.sandbox import Sandbox
from mmwemu.testbed.testbed import Testbed

Gateway = Literal["nat", "pasta", "slirp4netns"]

DEVICE = "outside"
_PACKAGES = {"pasta": "passt", "slirp4netns": "slirp4netns", "nft": "nftables", "ip": "iproute2"}
_READY_LIMIT_S = 10.0
_MOST_TESTBEDS = 64
# Ends a program when this process is gone, whatever ended it: the shell reads a pipe that is open as long.
_GUARD = 'exec 3<&0; "$@" 3<&- & p=$!; { read -r _ <&3; kill "$p"; } 2>/dev/null & wait "$p"'


@dataclass(frozen=True)
class Outside:
    """The way to the real network that a testbed was given.

    Attributes
    ----------
    gateway
        What connects it.
    address
        Where the client finds the machine outside; with pasta and slirp4netns its loopback, too.
    environment
        Variables for the client: ``MMWEMU_OUTSIDE``, that address, of the outermost of nested testbeds.
    names
        Whether a name server can be reached.
    """

    gateway: Gateway
    address: str
    environment: dict[str, str]
    names: bool


@contextmanager
def open_outside(testbed: Testbed, gateway: Gateway | None = None) -> Iterator[Outside]:
    """Connect a testbed to the network this process is in; its server becomes a router.

    Parameters
    ----------
    testbed
        All its clients, and the edge, reach the real network.
    gateway
        None for the first that can be had, in the order of `Gateway`.

    Raises
    ------
    InputError
        If there is no such gateway, or the testbed cannot have one.
    MissingError
        If a tool or a right is missing.
    MmwemuError
        If the tool fails.
    """
    testbed.setup.require("the real network")
    if gateway is not None and gateway not in get_args(Gateway):
        raise InputError("outside", f"is {gateway!r}; must be one of {', '.join(get_args(Gateway))}")
    depth = int(os.environ.get("MMWEMU_DEPTH", "0"))
    router = testbed.sandboxes[-1] if testbed.edge else testbed.sandboxes[0]
    with ExitStack() as stack:
        # Everything is looked for before anything is changed.
        for tool in ("nft", "ip"):
            _find(tool)
        if testbed.edge:
            _run_in(testbed.edge.popen, [_find("ip"), "route", "replace", "default", "dev", "core"])
        address = _open_nat(router, depth, stack, required=gateway == "nat") if gateway in (None, "nat") else None
        if address is not None:
            gateway = "nat"
        else:
            gateway = gateway or _first_tool()
            address = _open_tool(router, gateway, depth, stack)
        names = all(resolver.provide(one, None if gateway == "nat" else address) for one in testbed.sandboxes)
        environment = {
            "MMWEMU_OUTSIDE": os.environ.get("MMWEMU_OUTSIDE", address),
            "MMWEMU_DEPTH": str(depth + 1),
        }
        yield Outside(gateway, address, environment, names)


def _find(tool: str) -> str:
    return process.find_tool(tool, f"install it: sudo apt-get install {_PACKAGES[tool]}")


def _first_tool() -> Gateway:
    # pasta as root becomes another user, who may not enter the testbed.
    if os.geteuid() != 0 and shutil.which("pasta"):
        return "pasta"
    if shutil.which("slirp4netns"):
        return "slirp4netns"
    packages = "slirp4netns" if os.geteuid() == 0 else "passt (or slirp4netns)"
    raise MissingError(
        "nothing here gives a testbed the real network without root", f"install it: sudo apt-get install {packages}"
    )


def _open_nat(router: Sandbox, depth: int, stack: ExitStack, *, required: bool) -> str | None:
    """Make a pair of devices with translation at both ends; return our end's address, None without permission."""
    for i in range(_MOST_TESTBEDS):
        name, network = f"mmwemu{i}", f"10.78.{depth % 256}.{4 * i}"
        ours, theirs = (f"10.78.{depth % 256}.{4 * i + k}" for k in (1, 2))
        pair = [_find("ip"), "link", "add", name, "type", "veth", "peer", "name", DEVICE]
        done = process.run([*pair, "netns", str(router.pid)], timeout_s=_READY_LIMIT_S)
        if done.returncode == 0:
            break
        words = done.stderr.decode(errors="replace").strip()
        if "File exists" not in words:
            if required:
                raise MissingError(f"address translation cannot be set up: {words}", "run as root")
            return None
    else:
        raise MmwemuError(f"there are {_MOST_TESTBEDS} testbeds with address translation already")
    # The pair goes with the testbed; here only when what follows fails.
    stack.callback(process.run, [_find("ip"), "link", "delete", name])
    if read_sysctl("net.ipv4.ip_forward") != "1":
        remedy = "allow it: sudo sysctl -w net.ipv4.ip_forward=1, or choose another gateway: --outside-by slirp4netns"
        raise MissingError("this machine does not forward packets: net.ipv4.ip_forward = 0", remedy)
    _run([_find("ip"), "-batch", "-"], f"address add {ours}/30 dev {name}\nlink set {name} up\n")
    _run_in(
        router.server.popen,
        [_find("ip"), "-batch", "-"],
        f"address add {theirs}/30 dev {DEVICE}\nlink set {DEVICE} up\nroute replace default via {ours}\n",
    )
    _run_in(router.server.popen, [_find("nft"), "-f", "-"], _masquerade("mmwemu", f'oifname "{DEVICE}"'))
    # A table with an owner is gone when its owner is.
    rules = _masquerade(name, f'ip saddr {network}/30 oifname != "{name}"', "flags owner;")
    stack.enter_context(_owner(rules, name))
    return ours


def _masquerade(table: str, what: str, flags: str = "", more: str = "") -> str:
    chain = f"chain out {{ type nat hook postrouting priority srcnat; {what} masquerade; }};"
    return f"table ip {table} {{ {flags} {chain} {more} }}\n"


@contextmanager
def _owner(rules: str, table: str) -> Iterator[None]:
    """Keep nft running with a table that it owns."""
    nft = process.start(
        [_find("nft"), "-i"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True,
    )  # fmt: skip
    assert nft.stdin is not None and nft.stdout is not None
    try:
        nft.stdin.write(f"{rules.strip()}\nlist tables ip\n".encode())
        nft.stdin.flush()
        said = b""
        for line in nft.stdout:
            said += line
            if f"table ip {table}".encode() in line or b"rror" in line:
                break
        if b"rror" in said:
            raise MmwemuError(f"nft: {said.decode(errors='replace').strip()}")
        yield
    finally:
        nft.stdin.close()
        nft.stdout.close()
        nft.wait()


def _open_tool(router: Sandbox, gateway: Gateway, depth: int, stack: ExitStack) -> str:
    """Run pasta or slirp4netns on the router and a relay in it; return the address that is this machine's."""
    network, pid = f"10.78.{depth % 256}", str(router.pid)
    if gateway == "pasta":
        ours = f"{network}.1"
        closed = [word for ports in ("-t", "-u", "-T", "-U") for word in (ports, "none")]
        addresses = ["--address", f"{network}.2", "--netmask", "24", "--gateway", ours]
        argv = ["--foreground", "--config-net", "--ipv4-only", "--ns-ifname", DEVICE, *addresses, *closed, pid]
    else:
        ours = f"{network}.2"
        argv = ["--configure", "--mtu=65520", f"--cidr={network}.0/24", pid, DEVICE]
    tool = stack.enter_context(_guarded([_find(gateway), *argv]))
    _, port = start_relay(router.server.popen, "redirected", router.server_address, subprocess.DEVNULL)
    where = f"ip daddr != {router.server_address} meta l4proto tcp dnat to {router.server_address}:{port};"
    redirects = " ".join(f'iifname "{device}" {where}' for device in ("server", "access*"))
    redirect = f"chain in {{ type nat hook prerouting priority dstnat; {redirects} }};"
    # pasta of 2023 refuses a connection by a reset with the right number but not the flag ACK, which TCP has to ignore
    # (RFC 9293, 3.10.7.3): the relay would try for half a minute what was refused at once.
    flag = f'iifname "{DEVICE}" tcp flags & (rst | ack) == rst tcp flags set rst | ack;'
    resets = f"chain resets {{ type filter hook prerouting priority raw; {flag} }};"
    rules = _masquerade("mmwemu", f'oifname "{DEVICE}"', more=f"{redirect} {resets}")
    _run_in(router.server.popen, [_find("nft"), "-f", "-"], rules)
    _wait_for_route(router, tool, gateway)
    return ours


@dataclass(frozen=True)
class _Guarded:
    process: subprocess.Popen[bytes]
    log: IO[bytes]

    def raise_end(self, name: str) -> None:
        """Say why it ended, if it has."""
        if self.process.poll() is not None:
            self.log.seek(0)
            words = self.log.read().decode(errors="replace").strip().splitlines()
            raise MmwemuError(f"{name} ended with exit code {self.process.returncode}: {words[-1] if words else ''}")


@contextmanager
def _guarded(argv: Sequence[str]) -> Iterator[_Guarded]:
    """Run a program that ends with this process."""
    with tempfile.TemporaryFile() as log:
        tool = process.start(
            ["/bin/sh", "-c", _GUARD, "sh", *argv], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log,
            start_new_session=True,
        )  # fmt: skip
        assert tool.stdin is not None
        try:
            yield _Guarded(tool, log)
        finally:
            tool.stdin.close()
            tool.wait()


def _wait_for_route(router: Sandbox, tool: _Guarded, name: str) -> None:
    deadline = time.monotonic() + _READY_LIMIT_S
    while not _run_in(router.server.popen, [_find("ip"), "route", "show", "default"]).strip():
        tool.raise_end(name)
        if time.monotonic() > deadline:
            raise MmwemuError(f"{name} made no network within {_READY_LIMIT_S:g} s")
        time.sleep(0.02)


def _run(argv: list[str], text: str) -> str:
    return _result(argv, process.start(argv, **_PIPES), text)


def _run_in(popen: Callable[..., subprocess.Popen[bytes]], argv: list[str], text: str = "") -> str:
    return _result(argv, popen(argv, **_PIPES), text)


_PIPES: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


def _result(argv: list[str], program: subprocess.Popen[bytes], text: str) -> str:
    output, complaint = program.communicate(text.encode(), timeout=_READY_LIMIT_S)
    if program.returncode != 0:
        words = complaint.decode(errors="replace").strip().splitlines()
        raise MmwemuError(f"{Path(argv[0]).name} failed: {words[0] if words else program.returncode}")
    return output.decode(errors="replace")
