"""mmwemu simulate."""

from __future__ import annotations

import math
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import cloup

from mmwemu.apps.option_types import SIMULATION_SEED, FilePath, Rats, Seeds, Text, Whole
from mmwemu.apps.shipped_types import SCENARIO
from mmwemu.cli.cell_options import cell_options, changes
from mmwemu.cli.output import print_table, progress, say
from mmwemu.core.errors import InputError

if TYPE_CHECKING:
    from mmwemu.campaign.dataset import Levels
    from mmwemu.campaign.plan import Simulation
    from mmwemu.rays.model import Rays
    from mmwemu.scenario.model import Rat, Scenario
    from mmwemu.simulate.engine import Engine

_SHOWN = (("sinr_db", "p50", "SINR median [dB]", 1.0, 2), ("throughput_bps", "mean", "throughput [Mbit/s]", 1e-6, 1))
_TRACE = ".trace.parquet"


@dataclass(frozen=True)
class _Asked:
    """The engine as the command line names it, and the files of one simulation."""

    engine: str
    root: Path | None
    rays: Path | None = None
    channel_in: Path | None = None
    channel_out: Path | None = None
    output: Path | None = None
    plot: Path | None = None

    def refuse_files(self) -> None:
        """Refuse what is for one simulation."""
        for option in ("rays", "channel_in", "channel_out", "plot"):
            if getattr(self, option):
                raise click.UsageError(f"--{option.replace('_', '-')} is for one simulation")


@cloup.command("simulate")
@click.argument("scenarios", type=SCENARIO, nargs=-1, required=True, metavar="SCENARIO...")
@cloup.option_group(
    "Simulation",
    cloup.option("--rat", "rats", type=Rats(), required=True,
                 help="Radio access technology: mmwave, lte or mmwave,lte."),
    cloup.option("--seed", type=SIMULATION_SEED, default=1, show_default=True, help="Same seed, same bytes."),
    cloup.option("--engine", type=Text(), default="mmwemu-cell", show_default=True,
                 help="What simulates: mmwemu-cell, ns3-mmwave, or one of another package."),
    cloup.option("--ns3-root", "root", type=FilePath(),
                 help="Engine ns3-mmwave: folder of your build of it.  [default: MMWEMU_NS3_MMWAVE]"),
    cloup.option("--rays", type=FilePath(), help="Take the mmWave channel from these rays (mmwemu rays)."),
    cloup.option("--channel-in", type=FilePath(), help="Take the mmWave channel from this file (--channel-out)."),
    cloup.option("--channel-out", type=FilePath(), help="Write the mmWave channel to this file."),
    cloup.option("-o", "--output", type=FilePath(),
                 help="Trace to write, of several UEs .ue1 and so on before its ending; or a campaign's folder.  "
                      "[default: NAME.RAT.trace.parquet; campaign]"),
    cloup.option("--plot", type=FilePath(), help="Draw SINR and throughput into this picture as well; no campaign."),
)  # fmt: skip
@cloup.option_group(
    "Campaign",
    cloup.option("--seeds", type=Seeds(), help="Several seeds, such as 1-30 or 1,4,7-9."),
    cloup.option("--jobs", type=Whole(least=1, most=1024), help="Simulations at a time.  [default: processors]"),
    cloup.option("--scheduler", type=Text(), help="Address of a Dask scheduler, such as tcp://10.0.0.1:8786."),
)  # fmt: skip
@cell_options
def command(
    scenarios: tuple[str, ...],
    rats: tuple[Rat, ...],
    seed: int,
    seeds: tuple[int, ...] | None,
    jobs: int | None,
    scheduler: str | None,
    **options: Any,
) -> None:
    """Simulate the mmWave or LTE cell of SCENARIO with ns-3; writes a trace (Parquet) of each UE.

    Several scenarios (also as 's*', in quotes), RATs or seeds are a campaign: they run in parallel, and a folder gets
    their traces and a data set with means and 95 % intervals over seeds. The same command again continues one that was
    cut off.
    """
    from mmwemu.campaign import plan
    from mmwemu.simulate import registry

    instead = changes(options)
    asked = _Asked(**options)
    found = plan.find_scenarios(scenarios)
    registry.load(asked.engine)
    if len(found) == len(rats) == 1 and seeds is None:
        if jobs or scheduler:
            raise click.UsageError("--jobs and --scheduler are for campaigns: give several seeds, RATs or scenarios")
        _simulate_one(instead.apply(found[0], rats[0]), rats[0], seed, asked)
        return
    asked.refuse_files()
    if jobs and scheduler:
        raise click.UsageError("--jobs is for this machine: a scheduler's cluster has workers of its own")
    simulations = plan.make_plan(
        found, rats, seeds or (seed,), asked.engine, asked.root and asked.root.absolute(), instead
    )
    _run_campaign(simulations, asked.output or Path("campaign"), jobs, scheduler)


def _simulate_one(found: Scenario, rat: Rat, seed: int, asked: _Asked) -> None:
    from mmwemu.core import figure
    from mmwemu.core.files import whole_file
    from mmwemu.report import figures
    from mmwemu.simulate.engine import simulate_each
    from mmwemu.trace import parquet

    rays = _rays(asked.rays, found, rat)
    count = len(found.ues)
    outputs = _of_each(asked.output or Path(f"{found.name}.{rat}{_TRACE}"), count)
    if asked.plot:
        figure.check_path(asked.plot)
    # Find out that a trace cannot be written before the work, not after it.
    with ExitStack() as stack:
        drafts = [stack.enter_context(whole_file(path)) for path in outputs]
        channel_draft = stack.enter_context(whole_file(asked.channel_out)) if asked.channel_out else None
        for draft in drafts:
            draft.touch()
        engine = _engine(asked, rays, channel_draft)
        with progress() as on_progress:
            traces = simulate_each(engine, found, rat, seed, on_progress)
        for trace, draft in zip(traces, drafts, strict=True):
            parquet.write(trace, draft)
    for path in (*outputs, *([asked.channel_out] if asked.channel_out else [])):
        say(path)
    if not asked.plot:
        return
    for number, (trace, picture) in enumerate(zip(traces, _of_each(asked.plot, count), strict=True), 1):
        ue = f", UE {number}" if count > 1 else ""
        figures.plot_trace(trace, picture, f"{found.title}: {figure.RAT_LABELS[rat]}{ue}")


def _of_each(path: Path, ues: int) -> list[Path]:
    """Return the file of each UE: the path itself for one, ``a.ue2.trace.parquet`` for the second of several."""
    if ues < 2:
        return [path]
    ending = _TRACE if path.name.endswith(_TRACE) else path.suffix
    stem = path.name.removesuffix(ending)
    return [path.with_name(f"{stem}.ue{number}{ending}") for number in range(1, ues + 1)]


def _engine(asked: _Asked, rays: Rays | None, channel_out: Path | None) -> Engine:
    from mmwemu.simulate import registry
    from mmwemu.simulate.ns3 import Ns3Engine

    if asked.engine == registry.OWN:
        return Ns3Engine(rays=rays, channel_in=asked.channel_in, channel_out=channel_out)
    if rays or asked.channel_in or channel_out:
        option = "--rays" if rays else "--channel-in" if asked.channel_in else "--channel-out"
        raise InputError(option, f"is for --engine {registry.OWN}")
    return registry.load(asked.engine).make(asked.root)


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


def _run_campaign(simulations: list[Simulation], folder: Path, jobs: int | None, scheduler: str | None) -> None:
    import os

    from mmwemu.campaign import run

    where = run.Where(folder, jobs or len(os.sched_getaffinity(0)), scheduler)
    with progress() as on_progress:
        done = run.run(simulations, where, on_progress)
    _print(done)
    say(done.over_time)
    say(done.levels_file)


def _print(done: Levels) -> None:
    from mmwemu.report.summary import number

    rows = []
    several = done.levels["ue"].max() > 1
    for (scenario, rat, ue, state), part in done.levels.groupby(["scenario", "rat", "ue", "state"], sort=False):
        cells = []
        for column, figure, _, scale, digits in _SHOWN:
            one = part[(part["column"] == column) & (part["figure"] == figure)]
            values = one[["mean", "low", "high"]].to_numpy().ravel().tolist() or [math.nan] * 3
            cells += [number(value, digits, scale) for value in values]
        of = (scenario, rat, ue) if several else (scenario, rat)
        rows.append((*of, state, int(part["seeds"].max()), *cells))
    names = [word for _, _, label, _, _ in _SHOWN for word in (label, "95 % from", "to")]
    of = ("scenario", "rat", "UE") if several else ("scenario", "rat")
    first = len(of) + 1
    print_table((*of, "state", "seeds", *names), rows, right=range(first, first + 1 + len(names)))
