"""mmwemu simulate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mmwemu.apps.option_types import SIMULATION_SEED, FileOrName, FilePath
from mmwemu.cli.output import progress, say
from mmwemu.core.errors import InputError

if TYPE_CHECKING:
    from mmwemu.rays.model import Rays
    from mmwemu.scenario.model import Rat, Scenario


@click.command("simulate")
@click.argument("scenario", type=FileOrName())
@click.option("--rat", type=click.Choice(["mmwave", "lte"]), required=True, help="Radio access technology.")
@click.option("--seed", type=SIMULATION_SEED, default=1, show_default=True, help="Same seed, same bytes.")
@click.option("--rays", "rays_file", type=FilePath(), help="Take the mmWave channel from these rays (mmwemu rays).")
@click.option("-o", "--output", type=FilePath(), help="Trace to write.  [default: NAME.RAT.trace.parquet]")
@click.option("--plot", type=FilePath(), help="Draw SINR and throughput into this picture as well.")
def command(scenario: str, rat: Rat, seed: int, rays_file: Path | None, output: Path | None, plot: Path | None) -> None:
    """Simulate the mmWave or LTE cell of SCENARIO with ns-3; writes a trace (Parquet)."""
    from mmwemu.core import figure
    from mmwemu.core.files import whole_file
    from mmwemu.report import figures
    from mmwemu.scenario import read
    from mmwemu.simulate.ns3 import Ns3Engine
    from mmwemu.trace import parquet

    found = read.load(scenario)
    rays = _rays(rays_file, found, rat)
    output = output or Path(f"{found.name}.{rat}.trace.parquet")
    if plot:
        figure.check_path(plot)
    # Find out that the trace cannot be written before the work, not after it.
    with whole_file(output) as draft:
        draft.touch()
        with progress() as on_progress:
            trace = Ns3Engine(rays=rays).simulate(found, rat, seed, on_progress)
        parquet.write(trace, draft)
    if plot:
        figures.plot_trace(trace, plot, f"{found.title}: {figure.RAT_LABELS[rat]}")
    say(output)


def _rays(path: Path | None, scenario: Scenario, rat: Rat) -> Rays | None:
    """Read the rays of a scenario's mmWave channel."""
    if path is None:
        return None
    if rat != "mmwave":
        raise InputError("--rays", f"is for --rat mmwave; the {rat} cell has a channel of its own")
    from mmwemu.rays import fit, parquet

    rays = parquet.load(path)
    fit.check(rays, scenario, str(path))
    return rays
