"""mmwemu demo."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from mmwemu.cli import run_download
from mmwemu.cli.linking import link_kind, warn_of_cost
from mmwemu.cli.output import print_json, progress
from mmwemu.cli.replaying import exit_code, repetition_options


@click.command("demo")
@click.option("--scenario", default="s1-long-nlos", show_default=True, help="Scenario file or shipped scenario.")
@click.option(
    "--seed", type=click.IntRange(1, 2**31 - 1), default=1, show_default=True, help="Seed of the simulations."
)
@run_download.options
@repetition_options(repetitions=3)
def command(
    scenario: str,
    seed: int,
    output: Path | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Run the main job: simulate a scenario for mmWave and LTE, make patterns, download over both, draw."""
    from dataclasses import asdict

    from mmwemu.results import store
    from mmwemu.study.demo import run_demo
    from mmwemu.study.replay import ReplayPlan

    names = ("repetitions", "congestion_control", "backend", "tc_mode")
    plan = ReplayPlan(**link_kind(options), **{name: options.pop(name) for name in names}, seed=seed)
    warn_of_cost(plan.tc_mode)
    downloads = run_download.application(**options)
    output = output or store.default_path(Path("results"), "demo")
    with progress() as on_progress:
        demo = run_demo(scenario, plan, downloads, output, sys.argv, on_progress)
    if as_json:
        print_json(asdict(demo))
    else:
        run_download.print_goodput(demo.goodput)
        click.echo("figures:")
        for plot in demo.plots:
            click.echo(f"  {plot}")
        click.echo(f"results: {demo.folder}")
    return exit_code(demo.runs)
