"""Namespaces that a process of their own holds, the programs put inside, and the socket that controls the process."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NoReturn, Self

from mmwemu.core import paths, process
from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.testbed.kernel import read_sysctl
from mmwemu.testbed.missing import missing_error
from mmwemu.testbed.place import environment
from mmwemu.testbed.tcp import TcpChoices

_START_TIMEOUT_S = 60.0  # a cold start of Python from a slow disk on a busy machine
_ANSWER_TIMEOUT_S = 20.0
_END_TIMEOUT_S = 5.0
# Writes the sizes of receive and send buffers.
_SET_BUFFERS = 'cd /proc/sys/net/ipv4 && echo "$1" > tcp_rmem && echo "$2" > tcp_wmem'


class Sandbox:
    """Two networks with a link between them, in namespaces of their own.

    One process, ``mmwemu-link``, holds the namespaces and shapes the link, itself or by its router. The process ends
    when this one ends, for whatever reason, and the kernel removes the namespaces with it.

    Parameters
    ----------
    router
        The program that connects the two networks and shapes the link between them; empty for ``mmwemu-link`` itself.
    log_dir
        Folder for the log; None keeps none.
    within
        A network of another sandbox in which this one is made, so that both share that network; this one must end
        first. None for a sandbox of its own.
    ends
        The devices of client and server, as ``main.cpp`` of the emulator describes them; empty for the default.

    Attributes
    ----------
    pid
        Process id of ``mmwemu-link``, which is in the server's network.
    client_address, server_address
        Addresses of the two ends.
    """

    def __init__(
        self,
        router: Sequence[str] = (),
        log_dir: Path | None = None,
        within: Network | None = None,
        ends: Sequence[str] = (),
    ) -> None:
        self._log: IO[bytes] = _open_log(log_dir)
        self._inside: list[subprocess.Popen[Any]] = []
        self._applications: set[subprocess.Popen[Any]] = set()
        kernels = TcpChoices()
        self._windows: tuple[int | None, str, str] = (None, kernels.receive_buffer, kernels.send_buffer)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control = ours
        self._control.settimeout(_START_TIMEOUT_S)
        self._program = str(paths.program("mmwemu-link"))
        fd = str(theirs.fileno())
        # A nested sandbox dies with its outer one, so it need not watch this process.
        enter, parent = ([], os.getpid()) if within is None else (within.manage, 1)
        # The router gets the number of networks before its own arguments, and the control socket after them.
        verb = ["router", fd, str(parent), "2", *router, fd] if router else ["link", fd, str(parent), *ends]
        with theirs:
            # A session of its own: Ctrl-C is for the programs inside and for this process, which then ends mmwemu-link.
            self._process = process.start(
                [*enter, self._program, *verb],
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
        self.client_address, self.server_address = ready[2:]
        self.pid, init_pid = self._process.pid, int(ready[1])
        if within is not None:
            self.pid = only_child(self._process.pid)
            init_pid = only_child(self.pid)
        self._init_pid = init_pid
        self.client = Network(self, f"/proc/{init_pid}/ns/net")
        self.server = Network(self, f"/proc/{self.pid}/ns/net")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def enter(self, network_path: str) -> list[str]:
        """Return the command that runs a program inside, as root of no more than the network that a path leads to."""
        return [self._program, "enter", str(self.pid), network_path]

    def manage(self, network_path: str) -> list[str]:
        """Return the command that runs a tool of ours in a network, as root of all namespaces of this sandbox."""
        return [self._program, "manage", str(self.pid), network_path]

    def started(self, program: subprocess.Popen[Any], *, probe: bool) -> None:
        """Remember a program that ends with the sandbox; a ``probe`` is not one of `applications`."""
        self._inside.append(program)
        if not probe:
            self._applications.add(program)

    def applications(self) -> list[int]:
        """Return the ids of the running programs that are no probes, and of those that their parents left behind."""
        for program in tuple(self._applications):  # others are started meanwhile, by other threads
            if program.poll() is not None:
                self._applications.discard(program)
        return [*(program.pid for program in tuple(self._applications)), *children(self._init_pid)]

    def ask(self, message: str, files: Sequence[int] = ()) -> None:
        """Send a message with open files and wait for the answer.

        Raises
        ------
        MissingError
            If this machine lacks what the message asks for.
        MmwemuError
            If the message is refused, or the process is gone.
        """
        try:
            socket.send_fds(self._control, [message.encode()], list(files))
        except OSError:
            self._raise_end()
        answer = self._receive()
        if answer.startswith("missing "):
            _, kind, what = answer.split(" ", 2)
            raise missing_error(kind, what)
        if answer != "ok":
            raise MmwemuError(f"link: {answer.removeprefix('error ')}")

    def set_congestion_control(self, name: str, at_server: str | None = None) -> None:
        """Set the TCP congestion control of connections that the two networks make from now on.

        Parameters
        ----------
        name
            For the client's network; with ``at_server``, either may be empty: that network's stays as it is.
        at_server
            For the server's, or what is in its place; None for the same.

        Raises
        ------
        InputError
            If the kernel does not have it.
        """
        available = (read_sysctl("net.ipv4.tcp_available_congestion_control") or "").split()
        names = [name] if at_server is None else [name, at_server]
        asked = names if at_server is None else [one for one in names if one]
        try:
            if not all(one.isidentifier() for one in asked):
                raise MmwemuError("not a name")
            self.ask(f"congestion {' '.join(names)}")
        except MmwemuError as error:
            if self._process.poll() is not None:
                raise
            problem = f"this kernel has no such algorithm; it has: {', '.join(available)}"
            raise InputError(f"congestion control {' or '.join(asked)}", problem) from error

    def set_windows(self, choices: TcpChoices) -> None:
        """Set initial windows and socket buffers of TCP for connections made from now on.

        Raises
        ------
        MmwemuError
            If the buffers cannot be set, without which a window stays smaller.
        """
        asked = (choices.initial_window, choices.receive_buffer, choices.send_buffer)
        if asked == self._windows:
            return
        self.ask(f"window {choices.initial_window or 0}")
        for network in (self.client, self.server):
            argv = ["sh", "-c", _SET_BUFFERS, "sh", choices.receive_buffer, choices.send_buffer]
            tool = network.start_tool(argv, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            _, problem = tool.communicate(timeout=_ANSWER_TIMEOUT_S)
            if tool.returncode:
                raise MmwemuError(f"socket buffers: cannot be set: {problem.strip()}")
        self._windows = asked

    def close(self) -> None:
        """End everything in the sandbox and the sandbox; harmless when done already."""
        self._control.close()
        try:
            self._process.wait(_END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for inside in self._inside:
            with suppress(subprocess.TimeoutExpired):
                inside.wait(_END_TIMEOUT_S)
        self._inside.clear()
        self._log.close()

    def _receive(self) -> str:
        try:
            answer = self._control.recv(4096).decode()
        except TimeoutError as error:
            raise MmwemuError(f"the link has not answered for {self._control.gettimeout():g} s") from error
        except OSError:
            answer = ""
        if not answer:
            self._raise_end()
        return answer

    def _raise_end(self) -> NoReturn:
        """Raise the error that tells why the process is gone."""
        code = self._process.wait(_END_TIMEOUT_S)
        self._log.seek(0)
        text = self._log.read().decode(errors="replace").strip().removeprefix("mmwemu-link: ")
        if text.startswith("missing "):
            _, kind, what = text.split(" ", 2)
            raise missing_error(kind, what)
        raise MmwemuError(f"the link ended with exit code {code}: {text.removeprefix('error ')}")


@dataclass(frozen=True)
class Network:
    """A network of a sandbox, by the path that leads to it; a `mmwemu.testbed.place.Launcher`."""

    sandbox: Sandbox
    path: str

    @property
    def manage(self) -> list[str]:
        """The command that runs a tool of ours in this network, as root of the whole sandbox."""
        return self.sandbox.manage(self.path)

    @property
    def owner_pid(self) -> str:
        """A process that is in this network, or has it open."""
        return Path(self.path).parts[2]

    def popen(
        self,
        argv: Sequence[str],
        variables: Mapping[str, str] | None = None,
        *,
        foreground: bool = False,
        probe: bool = True,
        **options: Any,
    ) -> subprocess.Popen[Any]:
        """Start a program in this network; see `mmwemu.testbed.place.Place.popen`.

        A place says of each program whether it is a probe. What the testbed itself starts is no application.
        """
        env = environment(options, variables or {})
        if shutil.which(argv[0], path=env.get("PATH")) is None:
            raise InputError(argv[0], "is not a program in PATH")
        if not foreground:
            options.setdefault("process_group", 0)
        program = process.start([*self.sandbox.enter(self.path), *argv], **(options | {"env": env}))
        self.sandbox.started(program, probe=probe)
        return program

    def start_tool(self, argv: Sequence[str], **options: Any) -> subprocess.Popen[Any]:
        """Start a tool of ours in this network, which may change the whole sandbox; never a program of the user."""
        tool = process.start([*self.manage, *argv], process_group=0, **options)
        self.sandbox.started(tool, probe=True)
        return tool


def only_child(pid: int) -> int:
    """Return the process that another one started."""
    return children(pid)[0]


def children(pid: int) -> list[int]:
    """Return the processes that the first thread of another one started, or was left with."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]


def _open_log(folder: Path | None) -> IO[bytes]:
    """Open the log, which its owner closes; without a folder it has no name."""
    if folder is None:
        return tempfile.TemporaryFile()
    return (folder / "link.log").open("w+b")
