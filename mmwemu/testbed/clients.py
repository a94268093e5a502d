"""Networks of several clients that share the client end of a link."""

from __future__ import annotations

import subprocess
import sys
from types import TracebackType
from typing import Self

from mmwemu.core import paths
from mmwemu.core.errors import MmwemuError
from mmwemu.testbed.sandbox import Network, Sandbox, only_child
from mmwemu.testbed.tcp import TcpChoices

_NETWORK = "10.77.2"  # 10.77.2.i for client i


class SharedClients:
    """The networks, and the process that connects them to the client end of a sandbox's link.

    Attributes
    ----------
    addresses, networks
        Of each client.
    """

    def __init__(self, sandbox: Sandbox, clients: int) -> None:
        self._windows = ""
        self.addresses = [f"{_NETWORK}.{i}" for i in range(1, clients + 1)]
        program = [sys.executable, "-P", "-m", "mmwemu.testbed.client_networks", str(clients), *self.addresses]
        self._process = sandbox.client.start_tool(
            [str(paths.program("mmwemu-link")), "networks", str(clients), *program],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        ready = self._read().split()
        if ready[:1] != ["ready"]:
            self.close()
            raise MmwemuError("the clients' networks cannot be made")
        pid = only_child(self._process.pid)
        self.networks = [Network(sandbox, f"/proc/{pid}/fd/{fd}") for fd in ready[1:]]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def set_congestion_control(self, name: str) -> None:
        """Set the congestion control of connections that the clients make from now on."""
        self._ask(f"congestion {name}", f"congestion control {name}")

    def set_windows(self, choices: TcpChoices) -> None:
        """Set initial windows and socket buffers of connections that the clients make from now on."""
        message = f"windows {choices.initial_window or 0} {choices.receive_buffer} {choices.send_buffer}"
        if message != self._windows:
            self._ask(message, "windows of TCP")
            self._windows = message

    def _ask(self, message: str, what: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{message}\n")
        self._process.stdin.flush()
        if (answer := self._read().strip()) != "ok":
            raise MmwemuError(f"{what}: {answer.removeprefix('error ')}")

    def close(self) -> None:
        """End the process; harmless when done already."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def _read(self) -> str:
        assert self._process.stdout is not None
        return str(self._process.stdout.readline())
