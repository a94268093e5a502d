"""mmwemu trace."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mmwemu.apps.option_types import FilePath, Seconds, Whole
from mmwemu.apps.shipped_types import SCENARIO
from mmwemu.cli.output import json_option, print_json, print_table, say

if TYPE_CHECKING:
    from mmwemu.trace.measures import Level, Summary


@click.group("trace")
def command() -> None:
    """Show, draw, compare and import traces of cells.

    TRACE is a file that mmwemu simulate or mmwemu trace import wrote.
    """


@command.command("show")
@click.argument("trace", type=FilePath())
@json_option
def show(trace: Path, as_json: bool) -> None:
    """Show what a trace holds: levels and quantiles by line of sight, its changes, where it comes from."""
    from mmwemu.trace import measures, parquet

    found = measures.summary(parquet.load(trace))
    if as_json:
        print_json({"trace": str(trace)} | asdict(found))
        return
    say(f"{trace}: {found.duration_s:g} s in bins of {found.bin_s:g} s")
    rows = [(level.state, *_of_level(level)) for level in found.levels]
    print_table(("state", "column", "mean", "5 %", "median", "95 %", "bins"), rows, right=(2, 3, 4, 5, 6))
    say(_changes(found))
    for key, value in found.meta.items():
        say(f"{key}: {value}")


def _of_level(level: Level) -> tuple[str, ...]:
    values = (level.mean, level.p05, level.p50, level.p95)
    return (level.column, *(f"{value:.6g}" for value in values), str(level.bins))


def _changes(found: Summary) -> str:
    if not found.share:
        return "line of sight: unknown"
    changes = ", ".join(f"{time_s:g} s" for time_s in found.los_changes_s) or "never"
    return f"line of sight: {100 * found.share['los']:.1f} % of the time; changes at: {changes}"


@command.command("plot")
@click.argument("trace", type=FilePath())
@click.option("-o", "--output", type=FilePath(), help="Picture to write.  [default: NAME.png]")
def plot(trace: Path, output: Path | None) -> None:
    """Draw all columns of a trace over time."""
    from mmwemu.core import figure
    from mmwemu.report import trace_figures
    from mmwemu.trace import parquet

    output = output or Path(f"{trace.stem}.png")
    figure.check_path(output)
    trace_figures.plot(parquet.load(trace), output, trace.stem)
    say(output)


@command.command("compare")
@click.argument("trace", type=FilePath())
@click.argument("second", type=FilePath())
@click.option("--plot", "picture", type=FilePath(), help="Draw both into this picture as well.")
@json_option
def compare(trace: Path, second: Path, picture: Path | None, as_json: bool) -> None:
    """Compare two traces, as of two engines: levels by state, changes of LOS, correlation over 100 ms."""
    from mmwemu.core import figure
    from mmwemu.report import trace_figures
    from mmwemu.trace import measures, parquet

    if picture:
        figure.check_path(picture)
    traces = parquet.load(trace), parquet.load(second)
    found = measures.compare(*traces)
    if picture:
        trace_figures.plot_pair(*traces, (trace.stem, second.stem), picture)
    if as_json:
        print_json({"traces": [str(trace), str(second)]} | asdict(found))
        return
    rows = []
    for level in found.first.levels:
        other = found.second.level(level.state, level.column)
        if other is not None:
            pairs = zip(_of_level(level)[1:5], _of_level(other)[1:5], strict=True)
            rows.append((level.state, level.column, *(value for pair in pairs for value in pair)))
    header = ("state", "column", "mean 1", "2", "5 % 1", "2", "median 1", "2", "95 % 1", "2")
    print_table(header, rows, right=range(2, 10))
    for name, one in (("1", found.first), ("2", found.second)):
        say(f"{name}: {_changes(one)}")
    for column, value in found.correlation.items():
        say(f"correlation of {column}: {value:.3f}")
    if picture:
        say(picture)


@command.command("import")
@click.argument("packets", type=FilePath(), nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", type=FilePath(), required=True, help="Trace to write.")
@click.option("--deliveries", type=FilePath(), help="DlPdcpStats or the like: packets that the UE received.")
@click.option("--uplink-deliveries", type=FilePath(), help="UlPdcpStats or the like: packets that the UE sent.")
@click.option("--scenario", type=SCENARIO, help="Scenario that was simulated: gives LOS and the core's delay.")
@click.option("--rnti", type=Whole(least=0, most=65_535), help="The UE, if the files have several.")
@click.option("--duration-s", type=Seconds(least=0.002), help="Length of the trace.  [default: to the last block]")
@click.option("--payload-bytes", type=Whole("bytes", least=1, most=65_535), default=1400, show_default=True,
              help="Payload of a packet, where there are no deliveries.")  # fmt: skip
@click.option("--header-bytes", type=Whole("bytes", least=0, most=1000), default=28, show_default=True,
              help="Headers of IP and transport of a packet.")  # fmt: skip
def import_trace(
    packets: tuple[Path, ...],
    output: Path,
    deliveries: Path | None,
    uplink_deliveries: Path | None,
    scenario: str | None,
    rnti: int | None,
    duration_s: float | None,
    payload_bytes: int,
    header_bytes: int,
) -> None:
    """Make a trace of RxPacketTrace files of ns3-mmwave, plain or gzipped; several files are joined."""
    from mmwemu.scenario import read
    from mmwemu.trace import parquet
    from mmwemu.trace.importing import files

    source = files.Source(packets, deliveries, uplink_deliveries, rnti, duration_s, payload_bytes, header_bytes)
    trace = files.load(source, None if scenario is None else read.load(scenario))
    parquet.save(trace, output)
    say(output)
