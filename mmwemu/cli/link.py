"""mmwemu link."""

from __future__ import annotations

import shlex
import signal
import subprocess
from pathlib import Path
from typing import Any

import click

from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file


def link_options(function: click.decorators.FC) -> click.decorators.FC:
    """Add the options of every verb that makes a link; `link_kind` reads them."""
    for option in (
        click.option("--slot-us", type=click.FloatRange(0, 1e6), default=0.0, show_default=True,
                     help="Packets leave in bursts at the ends of slots of this length; 0: smoothly."),
        click.option("--ecn", is_flag=True,
                     help="codel, pie: mark packets instead of dropping them, and let TCP ask for it."),
        click.option("--aqm", type=click.Choice(["drop-tail", "drop-head", "codel", "pie"]), default="drop-tail",
                     show_default=True, help="What the queue drops."),
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
@click.option("--log", "log_dir", type=click.Path(path_type=Path), help="Folder to keep the link's telemetry in.")
@click.argument("argv", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD...")
def command(
    pattern: str,
    start: str,
    start_at_s: float,
    seed: int,
    congestion_control: str | None,
    serve: str | None,
    log_dir: Path | None,
    argv: tuple[str, ...],
    **options: Any,
) -> int:
    """Run any command behind a pattern, as the client; the exit code is the command's.

    Client and server find each other's addresses in MMWEMU_SERVER and MMWEMU_CLIENT:

    \b
    mmwemu link --pattern s1-long-nlos.mmwave --serve 'python3 -m http.server' -- \\
        sh -c 'curl -O http://$MMWEMU_SERVER:8000/file'
    """
    from mmwemu.emulate.check import check
    from mmwemu.emulate.link import LinkSettings
    from mmwemu.emulate.tun import open_testbed
    from mmwemu.pattern import library

    settings = LinkSettings(
        library.load(pattern),
        start="now" if start == "now" else "first-packet",
        start_at_s=start_at_s,
        seed=seed,
        **link_kind(options),
    )
    if log_dir is not None:
        _make_folder(log_dir)
    with open_testbed(settings, log_dir) as testbed:
        if congestion_control:
            testbed.set_congestion_control(congestion_control)
        server = testbed.popen("server", shlex.split(serve), stdin=subprocess.DEVNULL) if serve else None
        testbed.start(settings)
        client = testbed.popen("client", argv, foreground=True)
        code = _wait(client)
        if server is not None and (server_code := server.poll()) is not None:
            click.echo(f"mmwemu: the server ended before the client, with exit code {server_code}", err=True)
        telemetry = testbed.telemetry()
    if log_dir is not None:
        with whole_file(log_dir / "link.parquet") as draft:
            telemetry.to_parquet(draft, index=False)
    for reason in check(telemetry).reasons:
        click.echo(f"mmwemu: the link was not valid: {reason}", err=True)
    return code


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(str(path), f"cannot be made: {error.strerror}") from None


def _wait(client: subprocess.Popen[bytes]) -> int:
    """Wait for the client, to whom Ctrl-C belongs meanwhile; gives its exit code as a shell would."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        code = client.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return code if code >= 0 else 128 - code
