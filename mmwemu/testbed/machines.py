"""Client and server on real machines, and this machine with the link between them.

    client machine ── interface │ client's network ── TUN ── engine ── TUN ── server's network │ interface ── server

Each named interface of this machine gets a second, virtual one (macvlan) with an address of its own, which is put into
the testbed's network; the interface itself stays as it is, and with the testbed the virtual one goes. The machines must
send to each other by those addresses. Programs are started by SSH from within the testbed, on the machine's side of the
link, so that the orders do not pass the link.
"""

from __future__ import annotations

import ipaddress
import os
import shlex
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmwemu.core import process
from mmwemu.core.errors import InputError, MissingError, MmwemuError
from mmwemu.link.settings import Role
from mmwemu.testbed.backends.tun import TunTestbed

_DEVICE = "machine"
_LIMIT_S = 20.0
# What is started by SSH ends when the connection does: the shell waits for the end of its input.
_GUARD = (
    'exec 3<&0; setsid "$@" 3<&- </dev/null & p=$!;'
    ' { read -r _ <&3; kill -- "-$p"; } >/dev/null 2>&1 & exec 3<&-; wait "$p"'
)


@dataclass(frozen=True)
class Machine:
    """A machine that has a role.

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
        try:
            network = ipaddress.IPv4Interface(self.address)
        except ValueError as error:
            raise InputError("interface", f"has the address {self.address!r}: {error}") from None
        if network.network.prefixlen == 32:
            raise InputError(
                "interface", f"has the address {self.address}; it needs the length of its prefix, as in /24"
            )
        try:
            socket.if_nametoindex(self.interface)
        except OSError:
            raise InputError("interface", f"is {self.interface!r}; this machine has none of that name") from None

    @property
    def gateway(self) -> str:
        """Address of this machine that the other one sends to."""
        return self.address.partition("/")[0]

    def resolve(self) -> str:
        """Give the machine's address.

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


class RemoteTestbed(TunTestbed):
    """A testbed whose client, server or both are other machines; needs root.

    Parameters
    ----------
    machines
        By role; a role without one is here, as in `TunTestbed`.
    log_dir
        Folder for the engine's log; None keeps none.

    Raises
    ------
    InputError
        If a machine does not send by this one.
    MissingError
        Without root, or where the kernel lacks macvlan.
    MmwemuError
        If a machine cannot be reached.
    """

    def __init__(self, machines: Mapping[Role, Machine], log_dir: Path | None = None) -> None:
        self._machines: dict[Role, Machine] = dict(machines)
        self._ip = process.find_tool("ip", "install it: sudo apt-get install iproute2")
        addresses = {role: machine.resolve() for role, machine in machines.items()}
        # Nothing is ever written: its end is that of this process, or of the testbed.
        self._lifeline: tuple[int, ...] = os.pipe()
        super().__init__(log_dir)
        try:
            self._client_address = addresses.get("client", self._client_address)
            self._server_address = addresses.get("server", self._server_address)
            for role, machine in machines.items():
                self._attach(role, machine)
            self._route("client", self._server_address)
            self._route("server", self._client_address)
            for role, machine in machines.items():
                self._check(role, machine)
        except BaseException:
            self.close()
            raise

    def popen(
        self,
        role: str,
        argv: Sequence[str],
        *,
        foreground: bool = False,
        addresses: Mapping[str, str] | None = None,
        **options: Any,
    ) -> subprocess.Popen[Any]:
        """Start a program on a machine, or here; see `Testbed.popen`.

        On a machine it gets no input, and of the environment only the addresses; it ends when this process does.
        """
        machine = self._machines.get(role)  # type: ignore[call-overload]
        if machine is None:
            return super().popen(role, argv, foreground=foreground, addresses=addresses, **options)
        more = addresses or {"MMWEMU_CLIENT": self.client_address, "MMWEMU_SERVER": self.server_address}
        words = ["env", *(f"{name}={value}" for name, value in more.items()), *argv]
        order = shlex.join(["sh", "-c", _GUARD, "sh", *words])
        login = [*machine.ssh, "-x", "-o", "BatchMode=yes", machine.login, order]
        return super().popen(role, login, foreground=foreground, **(options | {"stdin": self._lifeline[0]}))

    def set_congestion_control(self, name: str) -> None:
        """Refuse: other machines' TCP is theirs."""
        command = f"sudo sysctl -w net.ipv4.tcp_congestion_control={name}"
        raise InputError(f"congestion control {name}", f"cannot be set on other machines from here; there: {command}")

    def close(self) -> None:
        """End everything in the testbed and on the machines; harmless when done already."""
        for fd in self._lifeline:
            os.close(fd)
        self._lifeline = ()
        super().close()

    def _attach(self, role: Role, machine: Machine) -> None:
        """Put a virtual interface beside a real one into a network of the testbed."""
        pid = Path(self._networks[role]).parts[2]
        words = [self._ip, "link", "add", "link", machine.interface, "name", _DEVICE, "netns", pid]
        done = process.run([*words, "type", "macvlan", "mode", "bridge"], timeout_s=_LIMIT_S)
        if done.returncode != 0:
            problem = done.stderr.decode(errors="replace").strip()
            raise MissingError(
                f"no virtual interface on {machine.interface}: {problem}", "run as root: sudo mmwemu ..."
            )
        self._here(role, ["address", "add", machine.address, "dev", _DEVICE])
        self._here(role, ["link", "set", _DEVICE, "up"])

    def _route(self, role: Role, other: str) -> None:
        """Let a network send to the other role by the link, whatever else it is connected to."""
        self._here(role, ["route", "replace", f"{other}/32", "dev", role])

    def _here(self, role: Role, words: Sequence[str]) -> None:
        program = super().popen(role, [self._ip, *words], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        _, problem = program.communicate(timeout=_LIMIT_S)
        if program.returncode != 0:
            raise MmwemuError(f"ip {' '.join(words)} failed: {problem.decode(errors='replace').strip()}")

    def _check(self, role: Role, machine: Machine) -> None:
        """Refuse a machine that cannot be used, or sends to the other one by another way."""
        other = self._server_address if role == "client" else self._client_address
        asked = self.popen(role, ["ip", "-o", "route", "get", other], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with asked:
            answer, problem = asked.communicate(timeout=_LIMIT_S)
        if asked.returncode != 0:
            raise MmwemuError(f"{machine.login} cannot be used: {problem.decode(errors='replace').strip()}")
        if f"via {machine.gateway} " not in answer.decode(errors="replace"):
            command = f"sudo ip route replace {other}/32 via {machine.gateway}"
            raise InputError(machine.login, f"does not send to {other} by this machine; there: {command}")
