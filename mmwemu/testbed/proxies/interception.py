"""Interception of the TCP connections that pass an edge, so that a program there gets them unseen by both ends.

nftables' ``tproxy`` hands each new connection, whatever its destination, to a listening socket that may have any
address (``IP_TRANSPARENT``), and each later packet to the socket that it belongs to. A rule of the routes lets the
kernel take these packets for its own. The first packet of a connection goes to ``tproxy`` before any socket is looked
for, since one with the same addresses and ports may still be in TIME_WAIT. What comes back for connections that the
program opens in the client's name is found in the same way. Packets to the edge's own addresses, and what is not TCP,
pass as before.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import Any

from mmwemu.core import process
from mmwemu.core.errors import MissingError, MmwemuError
from mmwemu.testbed.proxies.proxy import Edge

MODULES = "sudo modprobe -a nft_tproxy nft_socket"
"""Loads the kernel's part."""

_MARK = 1
_TABLE = 100
_LIMIT_S = 20.0
_RULES = """\
table ip mmwemu_proxy {{
    chain in {{
        type filter hook prerouting priority mangle;
        iif lo return;
        ip daddr {{ {own} }} return;
        tcp flags & (syn | ack) == syn tproxy to :{port} meta mark set {mark} accept;
        meta l4proto tcp socket transparent 1 meta mark set {mark} accept;
        meta l4proto tcp tproxy to :{port} meta mark set {mark} accept;
    }}
}}
"""
_ROUTES = f"rule add fwmark {_MARK} lookup {_TABLE}\nroute add local 0.0.0.0/0 dev lo table {_TABLE}\n"


def intercept(edge: Edge, port: int) -> None:
    """Hand all TCP connections that pass an edge to the program that listens there on a port.

    Raises
    ------
    MissingError
        If a tool or the kernel's part of it is missing.
    """
    nft, ip = find_tools()
    _run(edge, [ip, "-batch", "-"], _ROUTES)
    _run(edge, [nft, "-f", "-"], rules(edge.addresses, port))


def rules(own: Sequence[str], port: int) -> str:
    """Return the rules for nft that hand TCP to a port of this network, but for packets to its own addresses."""
    return _RULES.format(own=", ".join(own), mark=_MARK, port=port)


def find_tools() -> tuple[str, str]:
    """Return the paths of ``nft`` and ``ip``; raises MissingError."""
    return (
        process.find_tool("nft", "install it: sudo apt-get install nftables"),
        process.find_tool("ip", "install it: sudo apt-get install iproute2"),
    )


def _run(edge: Edge, argv: Sequence[str], text: str) -> None:
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    tool = edge.place.popen(argv, probe=True, **pipes)
    try:
        _, said = tool.communicate(text.encode(), timeout=_LIMIT_S)
    except subprocess.TimeoutExpired as error:
        tool.kill()
        raise MmwemuError(f"{argv[0]} does not answer") from error
    if tool.returncode:
        words = said.decode(errors="replace").strip().splitlines()
        raise MissingError(
            f"this kernel does not intercept TCP for a proxy: {words[0] if words else tool.returncode}",
            f"get it with: {MODULES}",
        )
