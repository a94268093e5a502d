"""mmwemu demo."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from mmwemu.cli.link import warn_of_cost
from mmwemu.cli.output import json_option, print_json, progress
from mmwemu.cli.run import download_options, exit_code, output_option, print_goodput


@click.command("demo")
@click.option("--scenario", default="s1-long-nlos", show_default=True, help="Scenario file or shipped scenario.")
@click.option(
    "--seed", type=click.IntRange(1, 2**31 - 1), default=1, show_default=True, help="Seed of the simulations."
)
@download_options
@output_option
@json_option
def command(scenario: str, seed: int, output: Path | None, as_json: bool, delay_ms: float, **options: Any) -> int:
    """Run the main job: simulate a scenario for mmWave and LTE, make patterns, download over both, draw."""
    from dataclasses import asdict

    from mmwemu.results import store
    from mmwemu.study.demo import run_demo
    from mmwemu.study.downloads import DownloadPlan

    plan = DownloadPlan(delay_s=delay_ms / 1e3, seed=seed, **options)
    warn_of_cost(plan.tc_mode)
    output = output or store.default_path(Path("results"), "demo")
    with progress() as on_progress:
        demo = run_demo(scenario, plan, output, sys.argv, on_progress)
    if as_json:
        print_json(asdict(demo))
    else:
        print_goodput(demo.goodput)
        click.echo("figures:")
        for plot in demo.plots:
            click.echo(f"  {plot}")
        click.echo(f"results: {demo.folder}")
    return exit_code(demo.runs)
