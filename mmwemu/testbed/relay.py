"""The program that ends TCP connections and carries their data on, ``mmwemu-relay``."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import IO

from mmwemu.core import paths
from mmwemu.core.errors import MmwemuError


def start_relay(
    popen: Callable[..., subprocess.Popen[bytes]], mode: str, address: str, log: IO[bytes] | int
) -> tuple[subprocess.Popen[bytes], int]:
    """Start the relay; it ends with the network that it is in.

    Parameters
    ----------
    popen
        Starts a program in a network.
    mode
        How the kernel hands connections to it: ``transparent`` or ``redirected``, as ``main.cpp`` of the relay has it.
    address
        Where it listens.
    log
        Gets what it writes to stderr.

    Returns
    -------
    The program, and the port where it listens.

    Raises
    ------
    MissingError
        If this installation has no such program.
    MmwemuError
        If it does not start.
    """
    argv = [str(paths.program("mmwemu-relay")), mode, address]
    relay = popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
    assert relay.stdout is not None
    with relay.stdout as answer:
        port = answer.readline().decode().strip()
    if not port:
        raise MmwemuError(f"the relay of TCP connections did not start: exit code {relay.wait()}")
    return relay, int(port)
