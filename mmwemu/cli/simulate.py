"""mmwemu simulate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mmwemu.apps.option_types import SIMULATION_SEED, FileOrName, FilePath, Text
from mmwemu.cli.output import progress, say

if TYPE_CHECKING:
    from mmwemu.scenario.model import Rat


@click.command("simulate")
@click.argument("scenario", type=FileOrName())
@click.option("--rat", type=click.Choice(["mmwave", "lte"]), required=True, help="Radio access technology.")
@click.option("--seed", type=SIMULATION_SEED, default=1, show_default=True, help="Same seed, same bytes.")
@click.option("--engine", type=Text(), default="mmwemu-cell", show_default=True,
              help="What simulates: mmwemu-cell, ns3-mmwave, or one of another package.")  # fmt: skip
@click.option("--ns3-root", type=FilePath(),
              help="Engine ns3-mmwave: folder of your build of it.  [default: MMWEMU_NS3_MMWAVE]")  # fmt: skip
@click.option("-o", "--output", type=FilePath(), help="Trace to write.  [default: NAME.RAT.trace.parquet]")
@click.option("--plot", type=FilePath(), help="Draw SINR and throughput into this picture as well.")
def command(
    scenario: str, rat: Rat, seed: int, engine: str, ns3_root: Path | None, output: Path | None, plot: Path | None
) -> None:
    """Simulate the mmWave or LTE cell of SCENARIO with ns-3; writes a trace (Parquet)."""
    from mmwemu.core import figure
    from mmwemu.core.files import whole_file
    from mmwemu.report import figures
    from mmwemu.scenario import read
    from mmwemu.simulate import registry
    from mmwemu.trace import parquet

    found = read.load(scenario)
    chosen = registry.load(engine).make(ns3_root)
    output = output or Path(f"{found.name}.{rat}.trace.parquet")
    if plot:
        figure.check_path(plot)
    # Find out that the trace cannot be written before the work, not after it.
    with whole_file(output) as draft:
        draft.touch()
        with progress() as on_progress:
            trace = chosen.simulate(found, rat, seed, on_progress)
        parquet.write(trace, draft)
    if plot:
        figures.plot_trace(trace, plot, f"{found.title}: {figure.RAT_LABELS[rat]}")
    say(output)
