"""mmwemu simulate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mmwemu.apps.option_types import SIMULATION_SEED, FileOrName, FilePath, Rats, Seeds, Text, Whole
from mmwemu.cli.output import print_table, progress, say

if TYPE_CHECKING:
    from mmwemu.campaign.dataset import Levels
    from mmwemu.scenario.model import Rat, Scenario

_SHOWN = (("sinr_db", "p50", "SINR median [dB]", 1.0, 2), ("throughput_bps", "mean", "throughput [Mbit/s]", 1e-6, 1))


@dataclass(frozen=True)
class _Engine:
    """An engine as the command line names it."""

    name: str
    root: Path | None


@click.command("simulate")
@click.argument("scenarios", type=FileOrName(), nargs=-1, required=True, metavar="SCENARIO...")
@click.option("--rat", "rats", type=Rats(), required=True, help="Radio access technology: mmwave, lte or mmwave,lte.")
@click.option("--seed", type=SIMULATION_SEED, default=1, show_default=True, help="Same seed, same bytes.")
@click.option("--seeds", type=Seeds(), help="Several seeds, such as 1-30 or 1,4,7-9: a campaign.")
@click.option("--engine", type=Text(), default="mmwemu-cell", show_default=True,
              help="What simulates: mmwemu-cell, ns3-mmwave, or one of another package.")  # fmt: skip
@click.option("--ns3-root", type=FilePath(),
              help="Engine ns3-mmwave: folder of your build of it.  [default: MMWEMU_NS3_MMWAVE]")  # fmt: skip
@click.option("-o", "--output", type=FilePath(),
              help="Trace to write, or a campaign's folder.  [default: NAME.RAT.trace.parquet; campaign]")  # fmt: skip
@click.option("--plot", type=FilePath(), help="Draw SINR and throughput into this picture as well; no campaign.")
@click.option("--jobs", type=Whole(least=1, most=1024), help="Campaign: simulations at a time.  [default: processors]")
@click.option("--scheduler", type=Text(), help="Campaign: address of a Dask scheduler, such as tcp://10.0.0.1:8786.")
def command(
    scenarios: tuple[str, ...],
    rats: tuple[Rat, ...],
    seed: int,
    seeds: tuple[int, ...] | None,
    engine: str,
    ns3_root: Path | None,
    output: Path | None,
    plot: Path | None,
    jobs: int | None,
    scheduler: str | None,
) -> None:
    """Simulate the mmWave or LTE cell of SCENARIO with ns-3; writes a trace (Parquet).

    Several scenarios (also as 's*', in quotes), RATs or seeds are a campaign: they run in parallel, and a folder gets
    their traces and a data set with means and 95 % intervals over seeds. The same command again continues one that was
    cut off.
    """
    from mmwemu.campaign import plan

    found = plan.find_scenarios(scenarios)
    chosen = _Engine(engine, ns3_root and ns3_root.absolute())
    if len(found) == len(rats) == 1 and seeds is None:
        if jobs or scheduler:
            raise click.UsageError("--jobs and --scheduler are for campaigns: give several seeds, RATs or scenarios")
        _simulate_one(found[0], rats[0], seed, chosen, output, plot)
        return
    if plot:
        raise click.UsageError("--plot is for one simulation")
    if jobs and scheduler:
        raise click.UsageError("--jobs is for this machine: a scheduler's cluster has workers of its own")
    _run_campaign(found, rats, seeds or (seed,), chosen, output or Path("campaign"), jobs, scheduler)


def _simulate_one(
    found: Scenario, rat: Rat, seed: int, engine: _Engine, output: Path | None, plot: Path | None
) -> None:
    from mmwemu.core import figure
    from mmwemu.core.files import whole_file
    from mmwemu.report import figures
    from mmwemu.simulate import registry
    from mmwemu.trace import parquet

    chosen = registry.load(engine.name).make(engine.root)
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


def _run_campaign(
    found: list[Scenario],
    rats: tuple[Rat, ...],
    seeds: tuple[int, ...],
    engine: _Engine,
    folder: Path,
    jobs: int | None,
    scheduler: str | None,
) -> None:
    import os

    from mmwemu.campaign import plan, run
    from mmwemu.simulate import registry

    registry.load(engine.name)
    simulations = plan.make_plan(found, rats, seeds, engine.name, engine.root)
    where = run.Where(folder, jobs or len(os.sched_getaffinity(0)), scheduler)
    with progress() as on_progress:
        done = run.run(simulations, where, on_progress)
    _print(done)
    say(done.over_time)
    say(done.levels_file)


def _print(done: Levels) -> None:
    from mmwemu.report.summary import number

    rows = []
    for (scenario, rat, state), part in done.levels.groupby(["scenario", "rat", "state"], sort=False):
        cells = []
        for column, figure, _, scale, digits in _SHOWN:
            one = part[(part["column"] == column) & (part["figure"] == figure)]
            values = one[["mean", "low", "high"]].to_numpy().ravel().tolist() or [math.nan] * 3
            cells += [number(value, digits, scale) for value in values]
        rows.append((scenario, rat, state, int(part["seeds"].max()), *cells))
    names = [word for _, _, label, _, _ in _SHOWN for word in (label, "95 % from", "to")]
    print_table(("scenario", "rat", "state", "seeds", *names), rows, right=range(3, 4 + len(names)))
