"""mmwemu simulate."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import cloup

from mmwemu.apps.option_types import SIMULATION_SEED, FileOrName, FilePath, Text
from mmwemu.cli.cell_options import cell_options, changes
from mmwemu.cli.output import progress, say
from mmwemu.core.errors import InputError

if TYPE_CHECKING:
    from mmwemu.rays.model import Rays
    from mmwemu.scenario.model import Rat, Scenario
    from mmwemu.simulate.engine import Engine

_TRACE = ".trace.parquet"


@cloup.command("simulate")
@click.argument("scenario", type=FileOrName())
@click.option("--rat", type=click.Choice(["mmwave", "lte"]), required=True, help="Radio access technology.")
@click.option("--seed", type=SIMULATION_SEED, default=1, show_default=True, help="Same seed, same bytes.")
@click.option("--engine", type=Text(), default="mmwemu-cell", show_default=True,
              help="What simulates: mmwemu-cell, ns3-mmwave, or one of another package.")  # fmt: skip
@click.option("--ns3-root", type=FilePath(),
              help="Engine ns3-mmwave: folder of your build of it.  [default: MMWEMU_NS3_MMWAVE]")  # fmt: skip
@click.option("--rays", "rays_file", type=FilePath(), help="Take the mmWave channel from these rays (mmwemu rays).")
@click.option(
    "-o",
    "--output",
    type=FilePath(),
    help="Trace to write; of several UEs, .ue1 and so on before its ending.  [default: NAME.RAT.trace.parquet]",
)
@click.option("--plot", type=FilePath(), help="Draw SINR and throughput into this picture as well.")
@cell_options
def command(
    scenario: str,
    rat: Rat,
    seed: int,
    engine: str,
    ns3_root: Path | None,
    rays_file: Path | None,
    output: Path | None,
    plot: Path | None,
    **options: Any,
) -> None:
    """Simulate the mmWave or LTE cell of SCENARIO with ns-3; writes a trace (Parquet) of each UE."""
    from mmwemu.core import figure
    from mmwemu.core.files import whole_file
    from mmwemu.report import figures
    from mmwemu.scenario import read
    from mmwemu.simulate.engine import simulate_each
    from mmwemu.trace import parquet

    found = changes(options).apply(read.load(scenario), rat)
    chosen = _engine(engine, ns3_root, _rays(rays_file, found, rat))
    count = len(found.ues)
    outputs = _of_each(output or Path(f"{found.name}.{rat}.trace.parquet"), count)
    if plot:
        figure.check_path(plot)
    # Find out that a trace cannot be written before the work, not after it.
    with ExitStack() as stack:
        drafts = [stack.enter_context(whole_file(path)) for path in outputs]
        for draft in drafts:
            draft.touch()
        with progress() as on_progress:
            traces = simulate_each(chosen, found, rat, seed, on_progress)
        for trace, draft in zip(traces, drafts, strict=True):
            parquet.write(trace, draft)
    for path in outputs:
        say(path)
    if not plot:
        return
    for number, (trace, picture) in enumerate(zip(traces, _of_each(plot, count), strict=True), 1):
        ue = f", UE {number}" if count > 1 else ""
        figures.plot_trace(trace, picture, f"{found.title}: {figure.RAT_LABELS[rat]}{ue}")


def _of_each(path: Path, ues: int) -> list[Path]:
    """Return the file of each UE: the path itself for one, ``a.ue2.trace.parquet`` for the second of several."""
    if ues < 2:
        return [path]
    ending = _TRACE if path.name.endswith(_TRACE) else path.suffix
    stem = path.name.removesuffix(ending)
    return [path.with_name(f"{stem}.ue{number}{ending}") for number in range(1, ues + 1)]


def _engine(name: str, ns3_root: Path | None, rays: Rays | None) -> Engine:
    from mmwemu.simulate import registry
    from mmwemu.simulate.ns3 import Ns3Engine

    if rays is None:
        return registry.load(name).make(ns3_root)
    if name != registry.OWN:
        raise InputError("--rays", f"is for --engine {registry.OWN}")
    return Ns3Engine(rays=rays)


def _rays(path: Path | None, scenario: Scenario, rat: Rat) -> Rays | None:
    """Read the rays of a scenario's mmWave channel."""
    if path is None:
        return None
    if rat != "mmwave":
        raise InputError("--rays", f"is for --rat mmwave; the {rat} cell has a channel of its own")
    if len(scenario.ues) > 1:
        raise InputError("--rays", f"is for one UE; {scenario.name} has {len(scenario.ues)}")
    from mmwemu.rays import fit, parquet

    rays = parquet.load(path)
    fit.check(rays, scenario, str(path))
    return rays
