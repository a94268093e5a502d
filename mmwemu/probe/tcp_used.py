"""What the kernel made of the sender's choices: read from its connections while a run lasts."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from mmwemu.core.errors import MmwemuError
from mmwemu.testbed.place import Place
from mmwemu.testbed.tcp import TcpChoices
from mmwemu.testbed.testbed import Testbed

_LIMIT_S = 20.0
# A rate is whole bytes a second for the kernel.
_ROUNDING_BPS = 8.0

Connections = Sequence[dict[str, Any]]


@dataclass(frozen=True)
class TcpUsed:
    """What the connection that carried the most had; None where it is not known.

    Attributes
    ----------
    initial_window
        Congestion window before any data was acknowledged, packets.
    pacing_bps
        Limit of the pacing of payload, bit/s; inf for none.
    receive_buffer_bytes
        The receiver's largest buffer.
    send_buffer_bytes
        The sender's largest buffer.
    """

    initial_window: int | None = None
    pacing_bps: float | None = None
    receive_buffer_bytes: int | None = None
    send_buffer_bytes: int | None = None

    def columns(self) -> dict[str, object]:
        """Return the columns of `mmwemu.results.records.Run`."""
        return {f"used_{name}": value for name, value in vars(self).items()}


class TcpWatch:
    """The programs that look at the connections of some places."""

    def __init__(self, programs: dict[str, subprocess.Popen[str]]) -> None:
        self._programs = programs
        self._seen: dict[str, Connections] = {}

    def used_by(self, client: Place) -> TcpUsed:
        """Return what the connections between a client and the server had; the first call ends the watch."""
        if not self._programs:
            return TcpUsed()
        if not self._seen:
            self._seen = {name: _end(program) for name, program in self._programs.items()}
        ends = self._seen["server"], self._seen[client.name]
        return interpret(*ends, client.address)


@contextmanager
def watching_used(testbed: Testbed, choices: TcpChoices) -> Iterator[TcpWatch]:
    """Look at the connections of clients and server until the block ends, if anything was chosen.

    Raises
    ------
    MmwemuError
        If they cannot be looked at.
    """
    places = (*testbed.clients, testbed.server) if choices.any else ()
    argv = [sys.executable, "-P", "-m", "mmwemu.probe.connections"]
    with ExitStack() as stack:
        programs: dict[str, subprocess.Popen[str]] = {}
        for place in places:
            pipe = subprocess.PIPE
            programs[place.name] = place.popen(argv, probe=True, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
            stack.callback(_kill, programs[place.name])
        for program in programs.values():
            _wait_until_ready(program)
        yield TcpWatch(programs)


def interpret(server: Connections, client: Connections, address: str) -> TcpUsed:
    """Return what was used, from the connections that server and a client had; ``address`` is the client's."""
    mine = [one for one in server if one["peer"] == address]
    theirs = [one for one in client if one["local"] == address]
    if not mine and not theirs:
        return TcpUsed()
    sender = max((*mine, *theirs), key=lambda one: int(one["acked_bytes"]))
    others = theirs if sender in mine else mine
    receiver = next((one for one in others if list(one["ports"]) == list(reversed(sender["ports"]))), None)
    limit = sender["most_pacing"]
    return TcpUsed(
        sender["first_window"],
        math.inf if limit is None else 8.0 * limit,
        None if receiver is None else receiver["receive_buffer_bytes"],
        sender["send_buffer_bytes"],
    )


def differences(choices: TcpChoices, used: TcpUsed) -> list[str]:
    """Return a sentence for each choice that the kernel did not keep, as far as that is known."""
    found = []
    if _differ(choices.initial_window, used.initial_window):
        found.append(f"the first congestion window was {used.initial_window} packets, not {choices.initial_window}")
    if _differ(choices.pacing_bps, used.pacing_bps, _ROUNDING_BPS):
        found.append(f"the sender was paced at {used.pacing_bps:.0f} bit/s, not {choices.pacing_bps:.0f}")
    if _differ(choices.window_bytes, used.receive_buffer_bytes):
        found.append(f"the receive buffer had {used.receive_buffer_bytes} bytes, not {choices.window_bytes}")
    if choices.window_bytes is not None and (used.send_buffer_bytes or 0) > choices.most_send_buffer_bytes:
        found.append(f"the send buffer had {used.send_buffer_bytes} bytes, {choices.most_send_buffer_bytes} at most")
    return found


def _differ(asked: float | None, used: float | None, allowed: float = 0.0) -> bool:
    return asked is not None and used is not None and abs(used - asked) > allowed


def _wait_until_ready(program: subprocess.Popen[str]) -> None:
    assert program.stdout is not None and program.stderr is not None
    if program.stdout.readline().strip() != "ready":
        words = program.stderr.read().strip().splitlines()
        raise MmwemuError(f"the connections cannot be looked at: {words[-1] if words else 'no output'}")


def _end(program: subprocess.Popen[str]) -> Connections:
    output, problem = program.communicate(timeout=_LIMIT_S)
    try:
        found: Connections = json.loads(output)
    except ValueError:
        words = problem.strip().splitlines()
        raise MmwemuError(f"the connections cannot be told: {words[-1] if words else 'no output'}") from None
    return found


def _kill(program: subprocess.Popen[str]) -> None:
    program.kill()
    with suppress(ValueError):  # its pipes are closed already
        program.communicate()
