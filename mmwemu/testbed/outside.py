"""A way from a testbed to the real network, which its client meets behind the pattern.

Three ways, all of which end with the testbed and with this process, however they end:

- ``nat``, for who may change the network we are in: a pair of virtual devices and address translation. The client's TCP
  connections are its own from end to end.
- ``pasta`` and ``slirp4netns``, for everybody: they carry data between a device in the testbed and sockets of this
  user. As their TCP has no congestion control worth the name, the client's connections end at the edge, where a relay
  carries on what they carry.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, get_args

from mmwemu.core import process
from mmwemu.core.errors import InputError, MissingError, MmwemuError
from mmwemu.testbed import resolver
from mmwemu.testbed.backends.tun import TunTestbed
from mmwemu.testbed.kernel import read_sysctl
from mmwemu.testbed.sandbox import NamespaceTestbed

Way = Literal["nat", "pasta", "slirp4netns"]

DEVICE = "outside"
_PACKAGES = {"pasta": "passt", "slirp4netns": "slirp4netns", "nft": "nftables", "ip": "iproute2"}
_READY_LIMIT_S = 10.0
_MOST_TESTBEDS = 64
# Ends a program when this process is gone, whatever ended it: the shell reads a pipe that is open as long.
_GUARD = 'exec 3<&0; "$@" 3<&- & p=$!; { read -r _ <&3; kill "$p"; } 2>/dev/null & wait "$p"'


@dataclass(frozen=True)
class Outside:
    """A way that was made.

    Attributes
    ----------
    way
        How it was made.
    address
        Where the client finds the machine outside; with pasta and slirp4netns its loopback, too.
    environment
        Variables for the client: ``MMWEMU_OUTSIDE``, that address, of the outermost of nested testbeds.
    names
        Whether a name server can be reached.
    """

    way: Way
    address: str
    environment: dict[str, str]
    names: bool


@contextmanager
def open_outside(
    testbed: NamespaceTestbed, way: Way | None = None, others: Sequence[NamespaceTestbed] = ()
) -> Iterator[Outside]:
    """Give a testbed a way to the network this process is in.

    Parameters
    ----------
    testbed
        Whose server becomes a router; of backend tun.
    way
        None for the first that can be had, in the order of `Way`.
    others
        Testbeds whose clients reach that server and get its name servers too.

    Raises
    ------
    InputError
        If there is no such way, or the backend is another than tun.
    MissingError
        If a tool or a right is missing.
    MmwemuError
        If the tool fails.
    """
    if not isinstance(testbed, TunTestbed):
        raise InputError("outside", "works with backend tun only")
    if way is not None and way not in get_args(Way):
        raise InputError("outside", f"is {way!r}; must be one of {', '.join(get_args(Way))}")
    depth = int(os.environ.get("MMWEMU_DEPTH", "0"))
    with ExitStack() as stack:
        # Everything is looked for before anything is changed.
        for tool in ("nft", "ip"):
            _find(tool)
        address = _open_nat(testbed, depth, stack, required=way == "nat") if way in (None, "nat") else None
        if address is not None:
            way = "nat"
        else:
            way = way or _first_tool()
            address = _open_tool(testbed, way, depth, stack)
        names = all(resolver.provide(one, None if way == "nat" else address) for one in (testbed, *others))
        environment = {
            "MMWEMU_OUTSIDE": os.environ.get("MMWEMU_OUTSIDE", address),
            "MMWEMU_DEPTH": str(depth + 1),
        }
        yield Outside(way, address, environment, names)


def _find(tool: str) -> str:
    return process.find_tool(tool, f"install it: sudo apt-get install {_PACKAGES[tool]}")


def _first_tool() -> Way:
    # pasta as root becomes another user, who may not enter the testbed.
    if os.geteuid() != 0 and shutil.which("pasta"):
        return "pasta"
    if shutil.which("slirp4netns"):
        return "slirp4netns"
    packages = "slirp4netns" if os.geteuid() == 0 else "passt (or slirp4netns)"
    raise MissingError(
        "nothing here gives a testbed the real network without root", f"install it: sudo apt-get install {packages}"
    )


def _open_nat(testbed: NamespaceTestbed, depth: int, stack: ExitStack, *, required: bool) -> str | None:
    """Make a pair of devices with translation at both ends; gives our end's address, None where we may not."""
    for i in range(_MOST_TESTBEDS):
        name, network = f"mmwemu{i}", f"10.78.{depth % 256}.{4 * i}"
        ours, theirs = (f"10.78.{depth % 256}.{4 * i + k}" for k in (1, 2))
        pair = [_find("ip"), "link", "add", name, "type", "veth", "peer", "name", DEVICE]
        done = process.run([*pair, "netns", str(testbed.engine_pid)], timeout_s=_READY_LIMIT_S)
        if done.returncode == 0:
            break
        words = done.stderr.decode(errors="replace").strip()
        if "File exists" not in words:
            if required:
                raise MissingError(f"address translation cannot be set up: {words}", "run as root")
            return None
    else:
        raise MmwemuError(f"there are {_MOST_TESTBEDS} testbeds with a way outside already")
    # The pair goes with the testbed; here only when what follows fails.
    stack.callback(process.run, [_find("ip"), "link", "delete", name])
    if read_sysctl("net.ipv4.ip_forward") != "1":
        remedy = "allow it: sudo sysctl -w net.ipv4.ip_forward=1, or choose another way: --outside-by slirp4netns"
        raise MissingError("this machine does not forward packets: net.ipv4.ip_forward = 0", remedy)
    _run([_find("ip"), "-batch", "-"], f"address add {ours}/30 dev {name}\nlink set {name} up\n")
    _inside(
        testbed,
        [_find("ip"), "-batch", "-"],
        f"address add {theirs}/30 dev {DEVICE}\nlink set {DEVICE} up\nroute replace default via {ours}\n",
    )
    _inside(testbed, [_find("nft"), "-f", "-"], _masquerade("mmwemu", f'oifname "{DEVICE}"'))
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


def _open_tool(testbed: NamespaceTestbed, way: Way, depth: int, stack: ExitStack) -> str:
    """Run pasta or slirp4netns on the testbed and a relay in it; gives the address that is this machine's."""
    network, pid = f"10.78.{depth % 256}", str(testbed.engine_pid)
    if way == "pasta":
        ours = f"{network}.1"
        closed = [word for ports in ("-t", "-u", "-T", "-U") for word in (ports, "none")]
        addresses = ["--address", f"{network}.2", "--netmask", "24", "--gateway", ours]
        argv = ["--foreground", "--config-net", "--ipv4-only", "--ns-ifname", DEVICE, *addresses, *closed, pid]
    else:
        ours = f"{network}.2"
        argv = ["--configure", "--mtu=65520", f"--cidr={network}.0/24", pid, DEVICE]
    tool = stack.enter_context(_guarded([_find(way), *argv]))
    relay = testbed.popen(
        "server", [sys.executable, "-P", "-m", "mmwemu.testbed.relay", testbed.server_address],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert relay.stdout is not None
    with relay.stdout as answer:
        port = answer.readline().decode().strip()
    if not port:
        raise MmwemuError(f"the relay at the edge did not start: exit code {relay.wait()}")
    where = f"ip daddr != {testbed.server_address} meta l4proto tcp dnat to {testbed.server_address}:{port};"
    redirects = " ".join(f'iifname "{device}" {where}' for device in ("server", "cell*"))
    redirect = f"chain in {{ type nat hook prerouting priority dstnat; {redirects} }};"
    # pasta of 2023 refuses a connection by a reset with the right number but not the flag ACK, which TCP has to ignore
    # (RFC 9293, 3.10.7.3): the relay would try for half a minute what was refused at once.
    flag = f'iifname "{DEVICE}" tcp flags & (rst | ack) == rst tcp flags set rst | ack;'
    resets = f"chain resets {{ type filter hook prerouting priority raw; {flag} }};"
    rules = _masquerade("mmwemu", f'oifname "{DEVICE}"', more=f"{redirect} {resets}")
    _inside(testbed, [_find("nft"), "-f", "-"], rules)
    _wait_for_route(testbed, tool, way)
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


def _wait_for_route(testbed: NamespaceTestbed, tool: _Guarded, way: str) -> None:
    deadline = time.monotonic() + _READY_LIMIT_S
    while not _inside(testbed, [_find("ip"), "route", "show", "default"]).strip():
        tool.raise_end(way)
        if time.monotonic() > deadline:
            raise MmwemuError(f"{way} made no network within {_READY_LIMIT_S:g} s")
        time.sleep(0.02)


def _run(argv: list[str], text: str) -> str:
    return _result(argv, process.start(argv, **_PIPES), text)


def _inside(testbed: NamespaceTestbed, argv: list[str], text: str = "") -> str:
    return _result(argv, testbed.popen("server", argv, **_PIPES), text)


_PIPES: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


def _result(argv: list[str], program: subprocess.Popen[bytes], text: str) -> str:
    output, complaint = program.communicate(text.encode(), timeout=_READY_LIMIT_S)
    if program.returncode != 0:
        words = complaint.decode(errors="replace").strip().splitlines()
        raise MmwemuError(f"{Path(argv[0]).name} failed: {words[0] if words else program.returncode}")
    return output.decode(errors="replace")
