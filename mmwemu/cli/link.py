"""mmwemu link."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
import cloup

from mmwemu.apps.option_types import SEED, FilePath, Seconds, Text
from mmwemu.apps.shipped_types import PATTERN
from mmwemu.cli import pattern_input
from mmwemu.cli.link_options import (
    congestion_control_option,
    link_options,
    link_profile,
    testbed_options,
    warnings_of,
)
from mmwemu.cli.output import print_table, warn
from mmwemu.core import process
from mmwemu.core.errors import InputError

if TYPE_CHECKING:
    from mmwemu.testbed.machines import Machine
    from mmwemu.testbed.place import Role
    from mmwemu.testbed.testbed import Testbed


def _list_profiles(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from mmwemu.link import profile_files

        profiles = [profile_files.load(name) for name in profile_files.names()]
        print_table(("profile", "title", "source"), [(one.name, one.title, one.source) for one in profiles])
        ctx.exit()


@cloup.command("link", context_settings={"allow_interspersed_args": False})
@cloup.option_group(
    "Session",
    cloup.option(
        "--pattern",
        "patterns",
        type=PATTERN,
        multiple=True,
        required=True,
        help="Pattern file, the name of a shipped one, or a folder with a pattern for each client; given more than "
        "once, one for each client.",
    ),
    cloup.option(
        "--start",
        type=click.Choice(["now", "first-packet"]),
        default="first-packet",
        show_default=True,
        help="When the pattern's time starts; each link has a first packet of its own.",
    ),
    cloup.option(
        "--start-at",
        "start_at_s",
        type=Seconds(),
        default=0.0,
        help="Time in the pattern to start at, s.",
    ),
    cloup.option(
        "--seed",
        type=SEED,
        default=1,
        show_default=True,
        help="Seed of all that is random; link i uses seed + i - 1.",
    ),
    congestion_control_option("the kernel's"),
    cloup.option("--serve", type=Text(), metavar="'CMD'", default="", help="Run this as the server meanwhile."),
    cloup.option(
        "--limit-s",
        type=Seconds(above=0),
        help="End the command after this time, with exit code 124.",
    ),
    cloup.option("--live", is_flag=True, help="Draw rate, queue and delay in the terminal's lowest lines meanwhile."),
    cloup.option("--log", "log_dir", type=FilePath(), help="Folder to keep the links' telemetry in."),
    cloup.option(
        "--packets",
        "packet_files",
        type=FilePath(),
        multiple=True,
        metavar="FILE",
        help="Write down each packet: .parquet, or .pcapng for Wireshark; may be given twice.",
    ),
    cloup.option(
        "--tcp",
        "tcp_file",
        type=FilePath(),
        metavar="FILE.parquet",
        help="Sample the state of TCP connections in all places into this file.",
    ),
    cloup.option(
        "--tcp-interval-s",
        type=Seconds(least=0.005),
        default=0.1,
        show_default=True,
        help="Time between these samples.",
    ),
    cloup.option(
        "--list-profiles",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_list_profiles,
        help="List the shipped link profiles.",
    ),
)
@link_options()
@testbed_options
@cloup.option_group(
    "Real network and machines",
    cloup.option("--outside", is_flag=True, help="Give clients the real network, by the first gateway below."),
    cloup.option(
        "--outside-by",
        type=click.Choice(["nat", "pasta", "slirp4netns"]),
        help="Give it by this gateway: nat as root, the others without.",
    ),
    cloup.option(
        "--client", "client_login", type=Text(), metavar="USER@HOST", help="Another machine as the client, by SSH."
    ),
    cloup.option(
        "--client-interface",
        type=Text(),
        metavar="NAME=ADDRESS/BITS",
        help="This machine's interface to it, and a free address there to take.",
    ),
    cloup.option(
        "--server", "server_login", type=Text(), metavar="USER@HOST", help="Another machine as the server, by SSH."
    ),
    cloup.option(
        "--server-interface",
        type=Text(),
        metavar="NAME=ADDRESS/BITS",
        help="This machine's interface to it, and a free address there to take.",
    ),
    cloup.option(
        "--ssh",
        type=Text(),
        default="ssh",
        show_default=True,
        help="How to log in there: the command with its options.",
    ),
)
@click.argument("argv", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD...")
def command(
    patterns: tuple[str, ...],
    *,
    clients: int | None,
    edge: bool,
    core_rate_bps: float | None,
    core_loss: float,
    access_delay_s: float,
    edge_proxy: str | None,
    edge_congestion_control: str | None,
    backend: Any,
    tc_mode: Any,
    live: bool,
    outside: bool,
    outside_by: str | None,
    client_login: str | None,
    client_interface: str | None,
    server_login: str | None,
    server_interface: str | None,
    ssh: str,
    start: Any,
    start_at_s: float,
    seed: int,
    scheduler: Any,
    client_shift_s: float,
    **options: Any,
) -> int:
    """Run any command behind a pattern, as the client or as each of several; the exit code is the command's.

    Programs find each other's addresses in MMWEMU_CLIENT, MMWEMU_EDGE and MMWEMU_SERVER, and a client its number in
    MMWEMU_NUMBER:

    \b
    mmwemu link --pattern s1-long-nlos.mmwave --serve 'python3 -m http.server' -- \\
        sh -c 'curl -O http://$MMWEMU_SERVER:8000/file'
    mmwemu link --pattern s1-long-nlos.mmwave --clients 10 --serve 'iperf3 -s' -- \\
        sh -c 'iperf3 -c $MMWEMU_SERVER'

    Programs are root of their network alone, but keep the rights on files of whoever starts them: run programs that you
    do not trust as an ordinary user.
    """
    from mmwemu.link.settings import LinkSettings
    from mmwemu.study.session import Session, run_session
    from mmwemu.testbed.setup import Setup
    from mmwemu.testbed.topology import Topology, core_link

    found = [each.pattern for name in patterns for each in pattern_input.read_each(name)]
    if clients is not None and len(found) > 1 and clients != len(found):
        raise click.UsageError(f"--clients {clients}: there are {len(found)} patterns, one for each client")
    if live and not sys.stderr.isatty():
        raise InputError("--live", "needs a terminal on stderr")
    shared = len(found) == 1 or scheduler != "fifo"
    if live and len(found) > 1:
        raise InputError("--live", "draws one access link; give one pattern")
    core = core_link(bool(edge or options["serve_edge"] or edge_proxy), core_rate_bps, core_loss, access_delay_s)
    topology = Topology(clients or len(found), shared, core)
    asked: Mapping[Role, tuple[str | None, str | None]] = {
        "client": (client_login, client_interface),
        "server": (server_login, server_interface),
    }
    setup = Setup(topology, backend, tc_mode, _machines(asked, ssh), edge_proxy, edge_congestion_control)
    profile = link_profile(options)
    cell = {"scheduler": scheduler, "client_shift_s": client_shift_s, "clients": topology.clients if shared else 1}
    if shared and len(found) > 1:
        cell["others"] = tuple(found[1:])
    settings = tuple(
        LinkSettings(pattern, start=start, start_at_s=start_at_s, seed=seed + i, **cell, **profile)
        for i, pattern in enumerate(found[:1] if shared else found)
    )
    for warning in warnings_of(setup, patterns):
        warn(warning)
    session = Session(settings=settings, setup=setup, outside=outside_by or ("any" if outside else ""), **options)
    result = run_session(session, _drawing if live else None)
    for warning in result.warnings:
        warn(warning)
    return result.exit_code


def _machines(asked: Mapping[Role, tuple[str | None, str | None]], ssh: str) -> dict[Role, Machine]:
    """Read which machines have which role, and by which interface."""
    from mmwemu.testbed.machines import Machine

    found: dict[Role, Machine] = {}
    for role, (login, interface) in asked.items():
        if (login is None) != (interface is None):
            raise InputError(f"--{role}", f"needs --{role}-interface, and the other way round")
        if login is not None and interface is not None:
            name, _, address = interface.partition("=")
            found[role] = Machine(login, name, address, tuple(process.split(ssh, "--ssh")))
    return found


@contextmanager
def _drawing(testbed: Testbed) -> Iterator[Callable[[], None]]:
    """Yield a function that draws the first access link as it is, on stderr."""
    from mmwemu.cli.live import strip
    from mmwemu.report.live import LINES, History

    link = testbed.links[1]
    assert link.replay is not None
    history = History(link.replay)
    with strip(sys.stderr.fileno(), LINES) as draw:

        def tick() -> None:
            history.add(link.telemetry(history.time_s))
            draw(history.draw)

        yield tick
