"""One command on the clients of a testbed while a pattern is replayed: the library function behind ``mmwemu link``."""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from mmwemu.core import interruption, process
from mmwemu.core.errors import InputError, InterruptedRunError
from mmwemu.core.files import has_content, locked_folder, whole_file
from mmwemu.link.settings import LinkSettings
from mmwemu.probe.tcp import INTERVAL_S, sampling_tcp
from mmwemu.testbed.outside import Gateway, open_outside
from mmwemu.testbed.packets import check_files, keeping_packets
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.testbed import Testbed, open_testbed

LIMIT_EXIT_CODE = 124
"""Exit code of a command that the limit ended, as that of timeout(1)."""
_TICK_S = 0.1
_GRACE_S = 2.0
_TWICE_S = 5.0

Tick = Callable[[], None]
Watch = Callable[[Testbed], AbstractContextManager[Tick]]


@dataclass(frozen=True, kw_only=True)
class Session:
    """A command and what it runs behind.

    Attributes
    ----------
    argv
        The command, run on every client.
    settings
        Of each access link, or one for all.
    setup
        The testbed.
    congestion_control
        TCP congestion control of all places; None leaves the kernel's.
    serve, serve_edge
        Commands to run as the server and at the edge, as long as the clients run; empty for none.
    outside
        Connect the testbed to the real network: ``any`` by the first gateway that can be had, or a gateway's name.
    limit_s
        End the command after this time; None: never.
    log_dir
        Folder to keep the links' telemetry in.
    packet_files
        Files for the packets of all links, in the form that each suffix tells.
    tcp_file, tcp_interval_s
        File for samples of the state of TCP connections, and the time between samples.
    """

    argv: Sequence[str]
    settings: tuple[LinkSettings, ...]
    setup: Setup = field(default_factory=Setup)
    congestion_control: str | None = None
    serve: str = ""
    serve_edge: str = ""
    outside: Gateway | str = ""
    limit_s: float | None = None
    log_dir: Path | None = None
    packet_files: tuple[Path, ...] = ()
    tcp_file: Path | None = None
    tcp_interval_s: float = INTERVAL_S


@dataclass(frozen=True)
class SessionResult:
    """The first exit code of a client that is not 0, or 0; and warnings about the session."""

    exit_code: int
    warnings: tuple[str, ...]


def run_session(session: Session, watch: Watch | None = None) -> SessionResult:
    """Run a command on all clients of a new testbed.

    Parameters
    ----------
    session
        What to run.
    watch
        Entered when the replay has started; yields a function to be called ten times a second meanwhile.

    Raises
    ------
    InputError
        If something that was asked for cannot be had, a file cannot be written or there is no such program.
    MissingError
        If the machine lacks what it takes.
    InterruptedRunError
        On SIGTERM, SIGHUP, or Ctrl-C twice, if telemetry is kept; the message names the folder.
    """
    _check_before(session)
    warnings: list[str] = []
    with ExitStack() as stack:
        if session.log_dir is not None:
            stack.enter_context(_log_folder(session.log_dir))
        testbed = stack.enter_context(open_testbed(session.setup, session.log_dir))
        if session.congestion_control:
            testbed.set_congestion_control(session.congestion_control)
        env = dict(os.environ)
        if session.outside:
            gateway = None if session.outside == "any" else session.outside
            outside = stack.enter_context(open_outside(testbed, gateway))  # type: ignore[arg-type]
            env |= outside.environment
            if not outside.names:
                warnings.append("no name server can be reached: the machine's own are on its loopback")
        testbed.start(*session.settings)  # a missing kernel feature ends the session before a server is started
        servers = {}
        for place, command in ((testbed.server, session.serve), (testbed.edge, session.serve_edge)):
            if command and place is not None:
                words = process.split(command, f"the program at the {place.name}")
                servers[place.name] = place.popen(words, stdin=subprocess.DEVNULL, env=env)
        if session.tcp_file is not None:
            stack.enter_context(_keeping_tcp(testbed, session.tcp_file, session.tcp_interval_s))
        logs = stack.enter_context(keeping_packets(testbed, session.packet_files))
        testbed.start(*session.settings, packets=logs)
        tick = stack.enter_context(watch(testbed)) if watch else None
        try:
            codes = _run_clients(testbed, session, env, tick)
        except KeyboardInterrupt as error:
            if session.log_dir is None:
                raise
            _keep_and_check(testbed, session.log_dir)
            message = f"{interruption.word(error)}; the telemetry is kept in {session.log_dir}"
            raise InterruptedRunError(message, interruption.exit_code(error)) from None
        if None in codes:
            warnings.append(f"the command did not end within {session.limit_s:g} s")
        for name, server in servers.items():
            if (server_code := server.poll()) is not None:
                warnings.append(f"the program at the {name} ended before the client, with exit code {server_code}")
        if problem := testbed.proxy_problem():
            warnings.append(problem)
        warnings += _keep_and_check(testbed, session.log_dir)
    code = next((LIMIT_EXIT_CODE if code is None else code for code in codes if code != 0), 0)
    return SessionResult(code, tuple(warnings))


def _check_before(session: Session) -> None:
    """Refuse, before anything is made, whatever cannot be had."""
    if session.serve_edge and session.setup.topology.core is None:
        raise InputError("edge", "there is none to run a server at; it needs a core link")
    for settings in session.settings:
        session.setup.refuse(settings)
    if session.outside:
        session.setup.require("the real network")
    if session.tcp_file is not None:
        session.setup.require("TCP state")
        if not session.tcp_file.parent.is_dir():
            raise InputError(str(session.tcp_file), "cannot be written: its folder does not exist")
    if session.packet_files:
        session.setup.require("packets")
        check_files(session.packet_files)


@contextmanager
def _log_folder(path: Path) -> Iterator[None]:
    """Have a folder, which may be there, for this session alone; when it fails and wrote nothing, remove it again."""
    is_new = not path.exists()
    with locked_folder(path):
        try:
            yield
        except BaseException:
            with interruption.held():
                if is_new and not has_content(path):
                    shutil.rmtree(path, ignore_errors=True)
            raise


@contextmanager
def _keeping_tcp(testbed: Testbed, path: Path, interval_s: float) -> Iterator[None]:
    """Sample the state of TCP, and write it to a file at the end."""
    with sampling_tcp(testbed, interval_s) as samples:
        yield
        with whole_file(path) as draft:
            samples.frame().to_parquet(draft, index=False)


def _run_clients(testbed: Testbed, session: Session, env: dict[str, str], tick: Tick | None) -> list[int | None]:
    """Run the command on all clients; return their exit codes, None where the limit ended it."""
    # Only a single client can have the terminal's input.
    stdin = None if len(testbed.clients) == 1 else subprocess.DEVNULL
    end_s = math.inf if session.limit_s is None else time.monotonic() + session.limit_s
    programs: list[subprocess.Popen[bytes]] = []
    with _leaving_ctrl_c_to_programs():
        try:
            for client in testbed.clients:
                programs.append(client.popen(session.argv, foreground=True, stdin=stdin, env=env))
            return [wait_for(program, end_s - time.monotonic(), tick) for program in programs]
        except KeyboardInterrupt:
            for program in programs:
                program.terminate()
            for program in programs:
                process.end(program, _GRACE_S)
            raise


@contextmanager
def _leaving_ctrl_c_to_programs() -> Iterator[None]:
    """Let Ctrl-C interrupt this process only when it comes twice within a few seconds, as the programs get it, too."""
    before = signal.getsignal(signal.SIGINT)
    last_s = -math.inf

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal last_s
        earlier_s, last_s = last_s, time.monotonic()
        if last_s - earlier_s < _TWICE_S and callable(before):
            before(number, frame)

    if callable(before):
        signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def wait_for(program: subprocess.Popen[bytes], limit_s: float, tick: Tick | None = None) -> int | None:
    """Wait for a program; return its exit code as a shell would, None if it was ended at the limit."""
    end_s = time.monotonic() + limit_s
    while program.poll() is None:
        left_s = end_s - time.monotonic()
        if left_s <= 0:
            process.end(program, _GRACE_S)
            return None
        if tick is not None:
            tick()
        pause_s = min(left_s, math.inf if tick is None else _TICK_S)
        with suppress(subprocess.TimeoutExpired):
            program.wait(None if math.isinf(pause_s) else pause_s)
    return program.returncode if program.returncode >= 0 else 128 - program.returncode


def _keep_and_check(testbed: Testbed, folder: Path | None) -> list[str]:
    """Keep the telemetry of all links; return a warning for each tolerance that was not kept."""
    telemetry = testbed.telemetry()
    if folder is not None:
        with whole_file(folder / "link.parquet") as draft:
            telemetry.to_parquet(draft, index=False)
        cell = testbed.links[1].client_telemetry()
        if len(cell):
            with whole_file(folder / "cell.parquet") as draft:
                cell.to_parquet(draft, index=False)
    check = testbed.check(telemetry)
    only = "the link" if len(testbed.links) == 1 else "a link"
    return [f"{only} was not valid: {reason}" for reason in check.reasons]
