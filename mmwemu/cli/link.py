"""mmwemu link."""

from __future__ import annotations

import math
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.cli.output import warn
from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file

if TYPE_CHECKING:
    from mmwemu.emulate.link import Backend, LinkSettings, Role, TcMode, Testbed
    from mmwemu.emulate.namespaces import NamespaceTestbed
    from mmwemu.emulate.outside import Way
    from mmwemu.emulate.packets import PacketLog
    from mmwemu.emulate.remote import Machine

_TICK_S = 0.1
_GRACE_S = 2.0
_LIMIT_EXIT_CODE = 124  # that of timeout(1)


def link_options(function: click.decorators.FC) -> click.decorators.FC:
    """Add the options of every verb that makes one link; `link_kind` reads all but the backend's."""
    for option in (
        click.option("--tc-mode", type=click.Choice(["tbf", "netem-rate"]), default="tbf", show_default=True,
                     help="With --backend tc: tbf under netem, or netem alone as in earlier studies."),
        click.option("--backend", type=click.Choice(["tun", "tc"]), default="tun", show_default=True,
                     help="The engine in user space, or the kernel's queueing disciplines."),
    ):  # fmt: skip
        function = option(function)
    return kind_options(function)


def kind_options(function: click.decorators.FC) -> click.decorators.FC:
    """Add the options that `link_kind` reads."""
    for option in (
        click.option("--slot-us", type=click.FloatRange(0, 1e6), default=0.0, show_default=True,
                     help="Packets leave in bursts at the ends of slots of this length; 0: smoothly."),
        click.option("--ecn", is_flag=True,
                     help="codel, fq_codel, pie: mark packets instead of dropping them, and let TCP ask for it."),
        click.option("--aqm", type=click.Choice(["drop-tail", "drop-head", "codel", "fq_codel", "pie"]),
                     default="drop-tail", show_default=True, help="What the queue drops."),
        click.option("--queue-bdp", type=float,
                     help="Queue in products of mean rate and round trip, instead of bytes."),
        click.option("--queue-ms", type=float, help="Queue in time at the pattern's mean rate, instead of bytes."),
        click.option("--queue-packets", type=int, help="Queue in packets, instead of bytes."),
        click.option("--queue-bytes", type=click.IntRange(min=1500), default=1_500_000, show_default=True,
                     help="Queue of the bottleneck, each direction."),
        click.option("--delay-ms", type=click.FloatRange(min=0), default=11.0, show_default=True,
                     help="Delay of the core link, each way."),
    ):  # fmt: skip
        function = option(function)
    return function


def link_kind(options: dict[str, Any]) -> dict[str, Any]:
    """Take the options of `link_options` out of ``options`` and give them as fields of a `LinkKind`."""
    names = ("queue_bytes", "queue_packets", "queue_bdp", "aqm", "ecn")
    queue_ms = options.pop("queue_ms")
    return {
        "delay_s": options.pop("delay_ms") / 1e3,
        "queue_s": None if queue_ms is None else queue_ms / 1e3,
        "slot_s": options.pop("slot_us") / 1e6,
        **{name: options.pop(name) for name in names},
    }


@click.command("link", context_settings={"allow_interspersed_args": False})
@click.option("--pattern", required=True, help="Pattern file, or the name of a shipped one.")
@link_options
@click.option("--start", type=click.Choice(["now", "first-packet"]), default="first-packet", show_default=True,
              help="When the pattern's time starts.")  # fmt: skip
@click.option(
    "--start-at", "start_at_s", type=click.FloatRange(min=0), default=0.0, help="Time in the pattern to start at, s."
)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of all that is random.")
@click.option("--cc", "congestion_control", help="TCP congestion control of both ends.  [default: the kernel's]")
@click.option("--serve", metavar="'CMD'", help="Run this as the server, for as long as the client runs.")
@click.option("--client", "client_login", metavar="USER@HOST", help="Another machine as the client, by SSH.")
@click.option("--client-interface", metavar="NAME=ADDRESS/BITS",
              help="This machine's interface to it, and a free address there to take.")  # fmt: skip
@click.option("--server", "server_login", metavar="USER@HOST", help="Another machine as the server, by SSH.")
@click.option("--server-interface", metavar="NAME=ADDRESS/BITS",
              help="This machine's interface to it, and a free address there to take.")  # fmt: skip
@click.option("--ssh", default="ssh", show_default=True, help="How to log in there: the command with its options.")
@click.option("--outside", is_flag=True, help="Give the client the real network; by the first of the ways below.")
@click.option("--outside-by", type=click.Choice(["nat", "pasta", "slirp4netns"]),
              help="Give it by this: nat as root, the others without.")  # fmt: skip
@click.option("--tcp", "tcp_path", type=click.Path(path_type=Path), metavar="FILE.parquet",
              help="Sample the state of TCP connections at both ends into this file.")  # fmt: skip
@click.option("--tcp-interval-s", type=click.FloatRange(min=0.005), default=0.1, show_default=True,
              help="Time between these samples.")  # fmt: skip
@click.option("--limit-s", type=click.FloatRange(min=0, min_open=True),
              help="End the command after this time, with exit code 124.")  # fmt: skip
@click.option("--live", is_flag=True, help="Draw rate, queue and delay in the terminal's lowest lines meanwhile.")
@click.option("--log", "log_dir", type=click.Path(path_type=Path), help="Folder to keep the link's telemetry in.")
@click.option("--packets", "packet_files", type=click.Path(path_type=Path), multiple=True, metavar="FILE",
              help="Write down each packet: .parquet, or .pcapng for Wireshark; may be given twice.")  # fmt: skip
@click.argument("argv", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD...")
def command(
    pattern: str,
    backend: Backend,
    tc_mode: TcMode,
    start: str,
    start_at_s: float,
    seed: int,
    congestion_control: str | None,
    serve: str | None,
    client_login: str | None,
    client_interface: str | None,
    server_login: str | None,
    server_interface: str | None,
    ssh: str,
    outside: bool,
    outside_by: Way | None,
    tcp_path: Path | None,
    tcp_interval_s: float,
    limit_s: float | None,
    live: bool,
    log_dir: Path | None,
    packet_files: tuple[Path, ...],
    argv: tuple[str, ...],
    **options: Any,
) -> int:
    """Run any command behind a pattern, as the client; the exit code is the command's.

    Client and server find each other's addresses in MMWEMU_SERVER and MMWEMU_CLIENT:

    \b
    mmwemu link --pattern s1-long-nlos.mmwave --serve 'python3 -m http.server' -- \\
        sh -c 'curl -O http://$MMWEMU_SERVER:8000/file'
    """
    from mmwemu.emulate import packets
    from mmwemu.emulate.backend import open_testbed
    from mmwemu.emulate.check import check
    from mmwemu.emulate.link import LinkSettings
    from mmwemu.emulate.outside import open_outside
    from mmwemu.emulate.remote import RemoteTestbed
    from mmwemu.emulate.tcp import sampling_tcp
    from mmwemu.pattern import library

    settings = LinkSettings(
        library.load(pattern),
        start="now" if start == "now" else "first-packet",
        start_at_s=start_at_s,
        seed=seed,
        **link_kind(options),
    )
    if live and not sys.stderr.isatty():
        raise InputError("--live", "needs a terminal on stderr")
    asked: dict[Role, tuple[str | None, str | None]] = {
        "client": (client_login, client_interface),
        "server": (server_login, server_interface),
    }
    machines = _machines(asked, ssh)
    if machines and (outside or outside_by or tcp_path or backend != "tun"):
        raise InputError("other machines", "cannot be had with --outside, --tcp or --backend tc")
    if log_dir is not None:
        make_folder(log_dir)
    if tcp_path is not None and not tcp_path.parent.is_dir():
        raise InputError(str(tcp_path), "cannot be written: its folder does not exist")
    warn_of_cost(tc_mode)
    warn_of_rate([pattern], backend)
    with ExitStack() as stack:
        log = stack.enter_context(packets.open_log(packet_files))
        testbed: NamespaceTestbed = stack.enter_context(
            RemoteTestbed(machines, log_dir) if machines else open_testbed(settings, log_dir, backend, tc_mode)
        )
        if log is not None:
            testbed.log_packets(log)
        if congestion_control:
            testbed.set_congestion_control(congestion_control)
        server = testbed.popen("server", shlex.split(serve), stdin=subprocess.DEVNULL) if serve else None
        env = dict(os.environ)
        if outside or outside_by:
            way = stack.enter_context(open_outside(testbed, outside_by))
            env |= way.environment
            if not way.names:
                warn("no name server can be reached: the machine's own are on its loopback")
        samples = stack.enter_context(sampling_tcp(testbed, tcp_interval_s)) if tcp_path else None
        testbed.start(settings)
        client = testbed.popen("client", argv, foreground=True, env=env)
        code = wait_for(client, limit_s, stack.enter_context(_drawing(testbed, settings)) if live else None)
        if server is not None and (server_code := server.poll()) is not None:
            warn(f"the server ended before the client, with exit code {server_code}")
        telemetry, tolerance = testbed.telemetry(), testbed.tolerance
        if log_dir is not None:
            with whole_file(log_dir / "link.parquet") as draft:
                telemetry.to_parquet(draft, index=False)
        if tcp_path is not None and samples is not None:
            with whole_file(tcp_path) as draft:
                samples.since(testbed.epoch_ns()).to_parquet(draft, index=False)
        if log is not None:
            testbed.finish_packets()
            _write_packets(log, packet_files, settings)
    for reason in check(telemetry, tolerance).reasons:
        warn(f"the link was not valid: {reason}")
    return code


def _machines(asked: Mapping[Role, tuple[str | None, str | None]], ssh: str) -> dict[Role, Machine]:
    """Read which machines have which role, and by which interface."""
    from mmwemu.emulate.remote import Machine

    found: dict[Role, Machine] = {}
    for role, (login, interface) in asked.items():
        if (login is None) != (interface is None):
            raise InputError(f"--{role}", f"needs --{role}-interface, and the other way round")
        if login is not None and interface is not None:
            name, _, address = interface.partition("=")
            found[role] = Machine(login, name, address, tuple(shlex.split(ssh)))
    return found


@contextmanager
def _drawing(testbed: Testbed, settings: LinkSettings) -> Iterator[Callable[[], None]]:
    """Give what draws the link as it is, on stderr."""
    from mmwemu.cli.live import strip
    from mmwemu.report.live import LINES, History

    history = History(settings)
    with strip(sys.stderr.fileno(), LINES) as draw:

        def tick() -> None:
            history.add(testbed.telemetry(history.time_s))
            draw(history.draw)

        yield tick


def warn_of_cost(tc_mode: TcMode) -> None:
    """Say on stderr what is wrong with a mode that was asked for."""
    from mmwemu.emulate.tc.plan import COSTS

    if cost := COSTS.get(tc_mode):
        warn(f"tc-mode {tc_mode}: {cost}")


def warn_of_rate(patterns: Sequence[str], backend: Backend) -> None:
    """Say on stderr when patterns ask for more than this machine carried when it was calibrated."""
    from mmwemu.emulate import calibrate
    from mmwemu.pattern import library

    known = calibrate.remembered() if backend == "tun" else None
    if known is not None and (problem := calibrate.warning([library.load(name) for name in patterns], known)):
        warn(problem)


def _write_packets(log: PacketLog, files: Sequence[Path], settings: LinkSettings) -> None:
    for path in files:
        with whole_file(path) as draft:
            log.write(draft, settings.delay_s)


def make_folder(path: Path) -> None:
    """Make a folder to keep things in, which may be there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(str(path), f"cannot be made: {error.strerror}") from None


def wait_for(client: subprocess.Popen[bytes], limit_s: float | None, tick: Callable[[], None] | None) -> int:
    """Wait for a program, to which Ctrl-C belongs meanwhile; gives its exit code as a shell or `timeout` would.

    ``tick`` is called ten times a second.
    """
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_s = math.inf if limit_s is None else time.monotonic() + limit_s
    try:
        while client.poll() is None:
            left_s = end_s - time.monotonic()
            if left_s <= 0:
                warn(f"the command did not end within {limit_s:g} s")
                _end(client)
                return _LIMIT_EXIT_CODE
            if tick is not None:
                tick()
            pause_s = min(left_s, math.inf if tick is None else _TICK_S)
            with suppress(subprocess.TimeoutExpired):
                client.wait(None if math.isinf(pause_s) else pause_s)
    finally:
        signal.signal(signal.SIGINT, before)
    return client.returncode if client.returncode >= 0 else 128 - client.returncode


def _end(client: subprocess.Popen[bytes]) -> None:
    """Ask a program to end, and make it; what it started ends with the testbed."""
    client.terminate()
    try:
        client.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        client.kill()
        client.wait()
