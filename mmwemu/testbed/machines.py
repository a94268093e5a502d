"""Client and server on other machines, with the link on this one between them.

    client machine ── interface │ client's network ── TUN ── emulator ── TUN ── server's network │ interface ── server

Each named interface of this machine gets a second, virtual one (macvlan) with an address of its own in the testbed's
network. The interface itself stays as it is, and the virtual one goes with the testbed. The machines must send to each
other by those addresses. Programs are started by SSH from within the testbed, on the machine's side of the link, so
that SSH's own packets do not pass the link.
"""

from __future__ import annotations

import ipaddress
import os
import shlex
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from mmwemu.core import process
from mmwemu.core.errors import InputError, MissingError, MmwemuError
from mmwemu.core.names import RULE, is_name
from mmwemu.core.text import shown
from mmwemu.testbed.place import Launcher, Role
from mmwemu.testbed.sandbox import Network, Sandbox

_DEVICE = "machine"
_LIMIT_S = 20.0
# A program started by SSH ends when the connection does: the shell waits for the end of its input.
_GUARD = (
    'exec 3<&0; setsid "$@" 3<&- </dev/null & p=$!;'
    ' { read -r _ <&3; kill -- "-$p"; } >/dev/null 2>&1 & exec 3<&-; wait "$p"'
)


@dataclass(frozen=True)
class Machine:
    """Another machine as client or server.

    Attributes
    ----------
    login
        ``user@host``; the host's address is that of the role.
    interface
        The interface of this machine that leads to it.
    address
        A free address there, with the length of the network's prefix: ``192.168.1.254/24``. This machine takes it.
    ssh
        The command that logs in, with its options.
    """

    login: str
    interface: str
    address: str
    ssh: tuple[str, ...] = ("ssh",)

    def __post_init__(self) -> None:
        user, _, host = self.login.rpartition("@")
        if not is_name(host) or (user and not is_name(user)):
            raise InputError("login", f"is {shown(self.login)}; must be HOST or USER@HOST, each of which {RULE}")
        try:
            network = ipaddress.IPv4Interface(self.address)
        except ValueError as error:
            raise InputError("interface", f"has the address {shown(self.address)}: {error}") from None
        if network.network.prefixlen == 32:
            raise InputError(
                "interface", f"has the address {self.address}; it needs the length of its prefix, as in /24"
            )
        try:
            socket.if_nametoindex(self.interface)
        except (OSError, ValueError):
            raise InputError("interface", f"is {shown(self.interface)}; this machine has none of that name") from None

    @property
    def gateway(self) -> str:
        """Address of this machine that the other one sends to."""
        return self.address.partition("/")[0]

    def resolve(self) -> str:
        """Return the machine's address.

        Raises
        ------
        InputError
            If there is no such host.
        """
        host = self.login.rpartition("@")[2]
        try:
            return socket.gethostbyname(host)
        except OSError as error:
            raise InputError(host, f"has no address: {error}") from None


class Machines:
    """Other machines connected to the networks of a sandbox; needs root.

    Parameters
    ----------
    sandbox
        Has the link between client and server.
    machines
        By role; a role without one is played on this machine.

    Attributes
    ----------
    addresses, launchers
        Of each role that another machine plays.

    Raises
    ------
    InputError
        If a machine does not send by this one.
    MissingError
        Without root, or where the kernel lacks macvlan.
    MmwemuError
        If a machine cannot be reached.
    """

    def __init__(self, sandbox: Sandbox, machines: Mapping[Role, Machine]) -> None:
        self._ip = process.find_tool("ip", "install it: sudo apt-get install iproute2")
        self._networks: dict[Role, Network] = {"client": sandbox.client, "server": sandbox.server}
        own: dict[Role, str] = {"client": sandbox.client_address, "server": sandbox.server_address}
        self.addresses: dict[Role, str] = {role: machine.resolve() for role, machine in machines.items()}
        everyone = own | self.addresses
        # Nothing is ever written: it ends with this process, or with the testbed.
        self._lifeline: tuple[int, ...] = os.pipe()
        self.launchers: dict[Role, Launcher] = {
            role: _BySsh(machine, self._networks[role], self._lifeline[0]) for role, machine in machines.items()
        }
        try:
            for role, machine in machines.items():
                self._attach(role, machine)
            # By the link, whatever else the networks are connected to.
            self._run_ip("client", ["route", "replace", f"{everyone['server']}/32", "dev", "client"])
            self._run_ip("server", ["route", "replace", f"{everyone['client']}/32", "dev", "server"])
            for role, machine in machines.items():
                self._check(role, machine, everyone["server" if role == "client" else "client"])
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End everything on the machines; harmless when done already."""
        for fd in self._lifeline:
            os.close(fd)
        self._lifeline = ()

    def _attach(self, role: Role, machine: Machine) -> None:
        """Put a virtual interface beside a real one into a network of the testbed."""
        pid = self._networks[role].owner_pid
        words = [self._ip, "link", "add", "link", machine.interface, "name", _DEVICE, "netns", pid]
        done = process.run([*words, "type", "macvlan", "mode", "bridge"], timeout_s=_LIMIT_S)
        if done.returncode != 0:
            problem = done.stderr.decode(errors="replace").strip()
            raise MissingError(
                f"no virtual interface on {machine.interface}: {problem}", "run as root: sudo mmwemu ..."
            )
        self._run_ip(role, ["address", "add", machine.address, "dev", _DEVICE])
        self._run_ip(role, ["link", "set", _DEVICE, "up"])

    def _run_ip(self, role: Role, words: Sequence[str]) -> None:
        program = self._networks[role].popen([self._ip, *words], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        _, problem = program.communicate(timeout=_LIMIT_S)
        if program.returncode != 0:
            raise MmwemuError(f"ip {' '.join(words)} failed: {problem.decode(errors='replace').strip()}")

    def _check(self, role: Role, machine: Machine, other: str) -> None:
        """Refuse a machine that cannot be used, or sends to the other one by another way."""
        words, pipe = ["ip", "-o", "route", "get", other], subprocess.PIPE
        asked = self.launchers[role].popen(words, {}, foreground=False, probe=True, stdout=pipe, stderr=pipe)
        with asked:
            answer, problem = asked.communicate(timeout=_LIMIT_S)
        if asked.returncode != 0:
            raise MmwemuError(f"{machine.login} cannot be used: {problem.decode(errors='replace').strip()}")
        if f"via {machine.gateway} " not in answer.decode(errors="replace"):
            command = f"sudo ip route replace {other}/32 via {machine.gateway}"
            raise InputError(machine.login, f"does not send to {other} by this machine; there: {command}")


@dataclass(frozen=True)
class _BySsh:
    """Starts programs on a machine by SSH, from the network that leads to it."""

    machine: Machine
    network: Network
    lifeline: int

    def popen(
        self, argv: Sequence[str], variables: Mapping[str, str], *, foreground: bool, probe: bool, **options: Any
    ) -> subprocess.Popen[Any]:
        """Start a program without input, in whose environment only ``variables`` are set; it ends with this one."""
        words = ["env", *(f"{name}={value}" for name, value in variables.items()), *argv]
        remote = shlex.join(["sh", "-c", _GUARD, "sh", *words])
        login = [*self.machine.ssh, "-x", "-o", "BatchMode=yes", self.machine.login, remote]
        options |= {"stdin": self.lifeline}
        return self.network.popen(login, variables, foreground=foreground, probe=probe, **options)
