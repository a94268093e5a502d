"""mmwemu link."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.cli.linking import (
    check_outputs,
    link_kind,
    link_options,
    make_folder,
    outside_environment,
    outside_options,
    packets_option,
    tcp_options,
    wait_for,
    warn_of_cost,
    warn_of_rate,
)
from mmwemu.cli.output import warn
from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file

if TYPE_CHECKING:
    from mmwemu.link.settings import Backend, LinkSettings, Role, TcMode, Testbed
    from mmwemu.testbed.machines import Machine
    from mmwemu.testbed.outside import Way
    from mmwemu.testbed.sandbox import NamespaceTestbed


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
@outside_options
@tcp_options
@click.option("--limit-s", type=click.FloatRange(min=0, min_open=True),
              help="End the command after this time, with exit code 124.")  # fmt: skip
@click.option("--live", is_flag=True, help="Draw rate, queue and delay in the terminal's lowest lines meanwhile.")
@click.option("--log", "log_dir", type=click.Path(path_type=Path), help="Folder to keep the link's telemetry in.")
@packets_option
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
    from mmwemu.link.check import check
    from mmwemu.link.packets import keeping_packets
    from mmwemu.link.settings import LinkSettings
    from mmwemu.pattern import library
    from mmwemu.testbed.machines import RemoteTestbed
    from mmwemu.testbed.opening import open_testbed
    from mmwemu.testbed.outside import open_outside

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
    check_outputs(packet_files, tcp_path)
    warn_of_cost(tc_mode)
    warn_of_rate([pattern], backend)
    with ExitStack() as stack:
        testbed: NamespaceTestbed = stack.enter_context(
            RemoteTestbed(machines, log_dir) if machines else open_testbed(settings, log_dir, backend, tc_mode)
        )
        if congestion_control:
            testbed.set_congestion_control(congestion_control)
        server = testbed.popen("server", shlex.split(serve), stdin=subprocess.DEVNULL) if serve else None
        env = dict(os.environ)
        if outside or outside_by:
            env |= outside_environment(stack.enter_context(open_outside(testbed, outside_by)))
        if tcp_path is not None:
            stack.enter_context(_tcp_kept(testbed, tcp_path, tcp_interval_s))
        if packet_files:
            stack.enter_context(keeping_packets(testbed, packet_files, settings.delay_s))
        testbed.start(settings)
        client = testbed.popen("client", argv, foreground=True, env=env)
        code = wait_for(client, limit_s, stack.enter_context(_drawing(testbed, settings)) if live else None)
        if server is not None and (server_code := server.poll()) is not None:
            warn(f"the server ended before the client, with exit code {server_code}")
        telemetry = testbed.telemetry()
        if log_dir is not None:
            with whole_file(log_dir / "link.parquet") as draft:
                telemetry.to_parquet(draft, index=False)
        for reason in check(telemetry, testbed.tolerance).reasons:
            warn(f"the link was not valid: {reason}")
    return code


def _machines(asked: Mapping[Role, tuple[str | None, str | None]], ssh: str) -> dict[Role, Machine]:
    """Read which machines have which role, and by which interface."""
    from mmwemu.testbed.machines import Machine

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


@contextmanager
def _tcp_kept(testbed: Testbed, path: Path, interval_s: float) -> Iterator[None]:
    """Sample the state of TCP, and write it down at the end."""
    from mmwemu.probe.tcp import sampling_tcp

    with sampling_tcp(testbed, interval_s) as samples:
        yield
        with whole_file(path) as draft:
            samples.since(testbed.epoch_ns()).to_parquet(draft, index=False)
