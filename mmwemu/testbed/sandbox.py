"""What the backends share: namespaces in a process of their own, programs put inside, a control socket."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, NoReturn, Self

from mmwemu.core import paths, process
from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.link.check import Tolerance
from mmwemu.link.packets import TUN_ONLY
from mmwemu.link.settings import LinkSettings, Role
from mmwemu.testbed.kernel import read_sysctl
from mmwemu.testbed.missing import missing_error

if TYPE_CHECKING:
    import pandas as pd

    from mmwemu.link.packets import PacketLog

_START_TIMEOUT_S = 60.0  # a cold start of Python from a slow disk on a busy machine
_ANSWER_TIMEOUT_S = 20.0
_END_TIMEOUT_S = 5.0


class NamespaceTestbed(ABC):
    """A client and a server in namespaces of their own, and a program that connects them and obeys this process.

    All of it is one process, the engine, and what is below it. It ends when this process ends, for whatever reason, and
    the kernel takes the namespaces with it.

    Parameters
    ----------
    verb
        What ``mmwemu-link`` is to do: ``testbed`` or ``host``.
    head
        With ``host``, the number of networks and the program that connects them with its arguments. It gets more: the
        control socket's descriptor, the first process's id, and a descriptor of each network.
    log_dir
        Folder for the log; None keeps none.
    place
        Another testbed and the role in whose network it is made, so that both share that network; it is to end before
        the other. None for one of its own.
    ends
        With ``testbed``, the devices of client and server; see ``main.cpp`` of the engine.
    """

    def __init__(
        self,
        verb: str,
        head: Sequence[str] = (),
        log_dir: Path | None = None,
        place: tuple[NamespaceTestbed, Role] | None = None,
        ends: Sequence[str] = (),
    ) -> None:
        self._log: IO[bytes] = _open_log(log_dir)
        self._inside: list[subprocess.Popen[Any]] = []
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control = ours
        self._control.settimeout(_START_TIMEOUT_S)
        self._program = str(paths.program("mmwemu-link"))
        fd = str(theirs.fileno())
        # What ends with the other testbed's first process needs no more to end with this one.
        enter, parent = ([], os.getpid()) if place is None else (place[0]._enter(place[1]), 1)
        with theirs:
            # A session of its own: Ctrl-C is for the programs inside and for this process, which then ends the engine.
            self._engine = process.start(
                [*enter, self._program, verb, fd, str(parent), *([*head, fd] if head else []), *ends],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._log,
                start_new_session=True,
            )
        try:
            ready = self._receive().split(" ")
        except BaseException:
            self.close()
            raise
        self._control.settimeout(_ANSWER_TIMEOUT_S)
        self._client_address, self._server_address = ready[2:]
        self._pid, init_pid = self._engine.pid, int(ready[1])
        if place is not None:
            self._pid = only_child(self._engine.pid)
            init_pid = only_child(self._pid)
        self._networks: dict[str, str] = {"client": f"/proc/{init_pid}/ns/net", "server": f"/proc/{self._pid}/ns/net"}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    @abstractmethod
    def tolerance(self) -> Tolerance:
        """How far the link may be off in a run."""

    @abstractmethod
    def start(self, settings: LinkSettings) -> None:
        """Start a replay anew; see `Testbed.start`."""

    @abstractmethod
    def epoch_ns(self) -> int | None:
        """Give when the pattern last started; see `Testbed.epoch_ns`."""

    @abstractmethod
    def telemetry(self, since_s: float = 0.0) -> pd.DataFrame:
        """Give what the link did since the last start; see `Testbed.telemetry`."""

    def log_packets(self, log: PacketLog) -> None:
        """Write down each packet of the next start in ``log``, which is complete after `finish_packets`.

        Raises
        ------
        InputError
            If this backend cannot.
        """
        raise InputError("packets", TUN_ONLY)

    def finish_packets(self) -> None:
        """Write out what has been written down of packets up to now."""
        raise MmwemuError("this backend keeps no log of packets")

    @property
    def client_address(self) -> str:
        """Address of the client."""
        return self._client_address

    @property
    def server_address(self) -> str:
        """Address of the server."""
        return self._server_address

    @property
    def engine_pid(self) -> int:
        """Process id of the engine, which is in the server's network namespace."""
        return self._pid

    def popen(
        self,
        role: str,
        argv: Sequence[str],
        *,
        foreground: bool = False,
        addresses: Mapping[str, str] | None = None,
        **options: Any,
    ) -> subprocess.Popen[Any]:
        """Start a program on the client, the server or in a network of `add_network`; see `Testbed.popen`.

        ``addresses`` takes the place of the variables that say them.
        """
        env = dict(os.environ if options.get("env") is None else options["env"])
        env |= addresses or {"MMWEMU_CLIENT": self.client_address, "MMWEMU_SERVER": self.server_address}
        if shutil.which(argv[0], path=env.get("PATH")) is None:
            raise InputError(argv[0], "is not a program in PATH")
        if not foreground:
            options.setdefault("process_group", 0)
        inside = process.start([*self._enter(role), *argv], **(options | {"env": env}))
        self._inside.append(inside)
        return inside

    def add_network(self, role: str, path: str) -> str:
        """Let programs be started in one more network, which a path leads to; gives its role."""
        self._networks[role] = path
        return role

    def _enter(self, role: str) -> list[str]:
        return [self._program, "enter", str(self._pid), self._networks[role]]

    def set_congestion_control(self, name: str) -> None:
        """Set the TCP congestion control of new connections; see `Testbed.set_congestion_control`."""
        available = (read_sysctl("net.ipv4.tcp_available_congestion_control") or "").split()
        try:
            if not name.isidentifier():
                raise MmwemuError("not a name")
            self._ask(f"congestion {name}")
        except MmwemuError as error:
            if self._engine.poll() is not None:
                raise
            problem = f"this kernel has no such algorithm; it has: {', '.join(available)}"
            raise InputError(f"congestion control {name}", problem) from error

    def close(self) -> None:
        """End everything in the testbed and the testbed; harmless when done already."""
        self._control.close()
        try:
            self._engine.wait(_END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._engine.kill()
            self._engine.wait()
        for inside in self._inside:
            with suppress(subprocess.TimeoutExpired):
                inside.wait(_END_TIMEOUT_S)
        self._inside.clear()
        self._log.close()

    def _ask(self, order: str, files: Sequence[int] = ()) -> None:
        try:
            socket.send_fds(self._control, [order.encode()], list(files))
        except OSError:
            self._raise_end()
        answer = self._receive()
        if answer.startswith("missing "):
            _, kind, what = answer.split(" ", 2)
            raise missing_error(kind, what)
        if answer != "ok":
            raise MmwemuError(f"link: {answer.removeprefix('error ')}")

    def _receive(self) -> str:
        try:
            answer = self._control.recv(4096).decode()
        except TimeoutError as error:
            raise MmwemuError(f"the link engine has not answered for {self._control.gettimeout():g} s") from error
        except OSError:
            answer = ""
        if not answer:
            self._raise_end()
        return answer

    def _raise_end(self) -> NoReturn:
        """Say why the engine is gone."""
        code = self._engine.wait(_END_TIMEOUT_S)
        self._log.seek(0)
        text = self._log.read().decode(errors="replace").strip().removeprefix("mmwemu-link: ")
        if text.startswith("missing "):
            _, kind, what = text.split(" ", 2)
            raise missing_error(kind, what)
        raise MmwemuError(f"the link engine ended with exit code {code}: {text.removeprefix('error ')}")


def only_child(pid: int) -> int:
    """Give the process that another one started."""
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()[0])


def _open_log(folder: Path | None) -> IO[bytes]:
    """Open the log, closed by its owner; without a folder it has no name."""
    if folder is None:
        return tempfile.TemporaryFile()
    return (folder / "link.log").open("w+b")
