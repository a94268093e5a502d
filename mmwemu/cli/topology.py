"""mmwemu topology."""

from __future__ import annotations

import math
import os
import shlex
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.cli.linking import (
    check_outputs,
    kind_options,
    link_kind,
    make_folder,
    outside_environment,
    outside_options,
    packets_option,
    tcp_options,
    wait_for,
    warn_of_rate,
)
from mmwemu.cli.output import warn
from mmwemu.cli.types import Rate
from mmwemu.core.files import whole_file

if TYPE_CHECKING:
    from mmwemu.testbed.outside import Way
    from mmwemu.testbed.topology import CellTestbed, Place, Topology

_LONGEST_S = 1e9


@click.command("topology", context_settings={"allow_interspersed_args": False})
@click.option("--pattern", "patterns", multiple=True, required=True,
              help="Pattern of the cell that clients share; given more than once, of each client's link.")  # fmt: skip
@click.option("--clients", type=click.IntRange(1, 250), help="How many share the cell.  [default: 1]")
@click.option("--edge", is_flag=True, help="Put an edge between access link and core link.")
@click.option("--core-rate", "core_rate_bps", type=Rate(), help="Rate of the core link, such as 1Gbit/s.")
@click.option("--core-loss", type=click.FloatRange(0, 1), default=0.0, show_default=True,
              help="Share of packets that the core link loses.")  # fmt: skip
@click.option("--scheduler", type=click.Choice(["fifo", "round-robin"]), default="fifo", show_default=True,
              help="Clients of a cell share its queue, or each has its own and they take turns.")  # fmt: skip
@kind_options
@click.option("--start", type=click.Choice(["now", "first-packet"]), default="first-packet", show_default=True,
              help="When a pattern's time starts; each link has a first packet of its own.")  # fmt: skip
@click.option("--start-at", "start_at_s", type=click.FloatRange(min=0), default=0.0,
              help="Time in the pattern to start at, s.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True,
              help="Seed of all that is random; link i uses seed + i - 1.")  # fmt: skip
@click.option("--cc", "congestion_control", help="TCP congestion control of all.  [default: the kernel's]")
@click.option("--serve", metavar="'CMD'", help="Run this as the server, for as long as the clients run.")
@click.option("--serve-edge", metavar="'CMD'", help="Run this at the edge, for as long as the clients run.")
@outside_options
@tcp_options
@click.option("--limit-s", type=click.FloatRange(min=0, min_open=True),
              help="End the clients after this time, with exit code 124.")  # fmt: skip
@click.option("--log", "log_dir", type=click.Path(path_type=Path), help="Folder to keep the links' telemetry in.")
@packets_option
@click.argument("argv", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD...")
def command(
    patterns: tuple[str, ...],
    clients: int | None,
    *,
    edge: bool,
    core_rate_bps: float | None,
    core_loss: float,
    congestion_control: str | None,
    serve: str | None,
    serve_edge: str | None,
    outside: bool,
    outside_by: Way | None,
    tcp_path: Path | None,
    tcp_interval_s: float,
    limit_s: float | None,
    log_dir: Path | None,
    packet_files: tuple[Path, ...],
    argv: tuple[str, ...],
    seed: int,
    **options: Any,
) -> int:
    """Run a command as each of several clients of a cell, or with an edge between access and core link.

    The exit code is that of the first client whose command failed. Who is where is in MMWEMU_CLIENT, MMWEMU_SERVER,
    MMWEMU_EDGE and MMWEMU_NUMBER, the client's own:

    \b
    mmwemu topology --pattern s1-long-nlos.mmwave --clients 10 --serve 'iperf3 -s' -- \\
        sh -c 'iperf3 -c $MMWEMU_SERVER'
    """
    from mmwemu.link.settings import LinkSettings
    from mmwemu.pattern import library
    from mmwemu.testbed.packets import keeping_cell_packets
    from mmwemu.testbed.topology import CellTestbed, Core, Topology

    kind = link_kind(options)
    core = None
    if edge or serve_edge or core_rate_bps is not None or core_loss:
        core = Core(kind["delay_s"], core_rate_bps or math.inf, core_loss, kind["queue_bytes"])
    shared = len(patterns) == 1
    if clients is not None and not shared and clients != len(patterns):
        raise click.UsageError(f"--clients {clients}: there are {len(patterns)} patterns, one for each client")
    topology = Topology(clients or len(patterns), shared, core)
    settings = [LinkSettings(library.load(name), seed=seed + i, **kind, **options) for i, name in enumerate(patterns)]
    warn_of_rate(patterns, "tun")
    if log_dir is not None:
        make_folder(log_dir)
    check_outputs(packet_files, tcp_path)
    with ExitStack() as stack:
        testbed = stack.enter_context(CellTestbed(topology, log_dir))
        if congestion_control:
            testbed.set_congestion_control(congestion_control)
        env = dict(os.environ)
        if outside or outside_by:
            env |= outside_environment(stack.enter_context(testbed.open_outside(outside_by)))
        servers: dict[Place, subprocess.Popen[bytes]] = {}
        if serve:
            servers["server"] = testbed.popen("server", shlex.split(serve), stdin=subprocess.DEVNULL, env=env)
        if serve_edge:
            servers["edge"] = testbed.popen("edge", shlex.split(serve_edge), stdin=subprocess.DEVNULL, env=env)
        if tcp_path is not None:
            stack.enter_context(_tcp_kept(testbed, tcp_path, tcp_interval_s))
        if packet_files:
            stack.enter_context(keeping_cell_packets(testbed, packet_files))
        testbed.start(*settings)
        code = _run(testbed, topology.clients, argv, limit_s, env)
        for place, server in servers.items():
            if (server_code := server.poll()) is not None:
                warn(f"what runs at the {place} ended before the clients, with exit code {server_code}")
        _keep_and_check(testbed, topology, log_dir)
    return code


@contextmanager
def _tcp_kept(testbed: CellTestbed, path: Path, interval_s: float) -> Iterator[None]:
    """Sample the state of all connections, and write it down at the end."""
    from mmwemu.probe.cell_tcp import cell_frame, sampling_cell_tcp

    with sampling_cell_tcp(testbed, interval_s) as samples:
        yield
        with whole_file(path) as draft:
            cell_frame(testbed, samples).to_parquet(draft, index=False)


def _run(testbed: CellTestbed, clients: int, argv: Sequence[str], limit_s: float | None, env: Mapping[str, str]) -> int:
    """Run a command on all clients and give the first exit code that is not 0."""
    stdin = None if clients == 1 else subprocess.DEVNULL
    end_s = time.monotonic() + (limit_s or _LONGEST_S)
    programs = [
        testbed.popen("client", argv, client=i, foreground=True, stdin=stdin, env=env) for i in range(1, clients + 1)
    ]
    codes = []
    for program in programs:
        left_s = None if limit_s is None else max(0.0, end_s - time.monotonic())
        codes.append(wait_for(program, left_s, None))
    return next((code for code in codes if code), 0)


def _keep_and_check(testbed: CellTestbed, topology: Topology, log_dir: Path | None) -> None:
    import pandas as pd

    from mmwemu.link.check import check

    tables = {f"access link {i}": testbed.telemetry(i).assign(link=i) for i in range(1, topology.links + 1)}
    if log_dir is not None:
        with whole_file(log_dir / "link.parquet") as draft:
            pd.concat(tables.values(), ignore_index=True).to_parquet(draft, index=False)
    if topology.core is not None:
        tables["core link"] = testbed.core_telemetry()
        if log_dir is not None:
            with whole_file(log_dir / "core.parquet") as draft:
                tables["core link"].to_parquet(draft, index=False)
    for name, telemetry in tables.items():
        for reason in check(telemetry).reasons:
            warn(f"the {name} was not valid: {reason}")
