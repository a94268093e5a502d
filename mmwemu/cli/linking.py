"""What the verbs that make links share."""

from __future__ import annotations

import math
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.cli.output import warn
from mmwemu.core import process
from mmwemu.core.errors import InputError

if TYPE_CHECKING:
    from mmwemu.link.settings import Backend, TcMode
    from mmwemu.testbed.outside import Outside

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


def outside_options(function: click.decorators.FC) -> click.decorators.FC:
    """Add the options of a way to the real network."""
    for option in (
        click.option("--outside-by", type=click.Choice(["nat", "pasta", "slirp4netns"]),
                     help="Give it by this: nat as root, the others without."),
        click.option("--outside", is_flag=True,
                     help="Give clients the real network; by the first of the ways below."),
    ):  # fmt: skip
        function = option(function)
    return function


def outside_environment(way: Outside) -> dict[str, str]:
    """Give the variables that say the way to clients, and say on stderr when it has no name servers."""
    if not way.names:
        warn("no name server can be reached: the machine's own are on its loopback")
    return way.environment


def tcp_options(function: click.decorators.FC) -> click.decorators.FC:
    """Add the options of samples of TCP."""
    for option in (
        click.option("--tcp-interval-s", type=click.FloatRange(min=0.005), default=0.1, show_default=True,
                     help="Time between these samples."),
        click.option("--tcp", "tcp_path", type=click.Path(path_type=Path), metavar="FILE.parquet",
                     help="Sample the state of TCP connections at all ends into this file."),
    ):  # fmt: skip
        function = option(function)
    return function


def packets_option(function: click.decorators.FC) -> click.decorators.FC:
    """Add the option of files for packets."""
    return click.option("--packets", "packet_files", type=click.Path(path_type=Path), multiple=True, metavar="FILE",
                        help="Write down each packet: .parquet, or .pcapng for Wireshark; may be given twice."
                        )(function)  # fmt: skip


def check_outputs(packet_files: Sequence[Path], tcp_path: Path | None) -> None:
    """Refuse files that cannot be written before anything runs."""
    from mmwemu.link.packets import check_files

    check_files(packet_files)
    if tcp_path is not None and not tcp_path.parent.is_dir():
        raise InputError(str(tcp_path), "cannot be written: its folder does not exist")


def warn_of_cost(tc_mode: TcMode) -> None:
    """Say on stderr what is wrong with a mode that was asked for."""
    from mmwemu.testbed.backends.tc.tbf import COSTS

    if cost := COSTS.get(tc_mode):
        warn(f"tc-mode {tc_mode}: {cost}")


def warn_of_rate(patterns: Sequence[str], backend: Backend) -> None:
    """Say on stderr when patterns ask for more than this machine carried when it was calibrated."""
    from mmwemu.pattern import library
    from mmwemu.probe import calibrate

    known = calibrate.remembered() if backend == "tun" else None
    if known is not None and (problem := calibrate.warning([library.load(name) for name in patterns], known)):
        warn(problem)


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
                process.end(client, _GRACE_S)  # what it started ends with the testbed
                return _LIMIT_EXIT_CODE
            if tick is not None:
                tick()
            pause_s = min(left_s, math.inf if tick is None else _TICK_S)
            with suppress(subprocess.TimeoutExpired):
                client.wait(None if math.isinf(pause_s) else pause_s)
    finally:
        signal.signal(signal.SIGINT, before)
    return client.returncode if client.returncode >= 0 else 128 - client.returncode
