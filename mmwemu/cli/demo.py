"""mmwemu demo."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import cloup

from mmwemu.apps.download import registration as download
from mmwemu.apps.option_types import SIMULATION_SEED, FileOrName
from mmwemu.cli.link_options import backend_options, congestion_control_option, link_options, warnings_of
from mmwemu.cli.output import print_json, progress, say, warn
from mmwemu.cli.replay_options import repetitions_option, replay_plan, results_options
from mmwemu.cli.results_output import exit_code, print_summary


def _download_options(function: Any) -> Any:
    for option in reversed(download.OPTIONS):
        function = option(function)
    return function


@cloup.command("demo")
@_download_options
@cloup.option_group(
    "Demo",
    cloup.option("--scenario", type=FileOrName(), default="s1-long-nlos", show_default=True,
                 help="Scenario file or shipped scenario."),
    cloup.option("--seed", type=SIMULATION_SEED, default=1, show_default=True,
                 help="Seed of the simulations."),
    repetitions_option(3),
    *results_options(),
)  # fmt: skip
@link_options(several=True)
@cloup.option_group(
    "Testbed",
    congestion_control_option("cubic", several=True),
    *backend_options(),
)
def command(scenario: str, output: Path | None, *, as_json: bool, **options: Any) -> int:
    """Run the main job: simulate a scenario for mmWave and LTE, make patterns, download over both, draw."""
    from mmwemu.apps.download.summary import goodput_table
    from mmwemu.report.summary import Summary
    from mmwemu.results import store
    from mmwemu.study.demo import run_demo

    plan = replay_plan(options)
    for warning in warnings_of(plan.setup, []):
        warn(warning)
    output = output or store.default_path(Path("results"), "demo")
    with progress() as on_progress:
        demo = run_demo(scenario, plan, download.create(**options), output, sys.argv, on_progress)
    if as_json:
        goodput = [group.to_json() for group in demo.goodput]
        print_json(
            {"folder": demo.folder, "goodput": goodput, "plots": demo.plots, "runs": [r.row() for r in demo.runs]}
        )
    else:
        print_summary(
            Summary(tables=[goodput_table(demo.goodput)], lines=["figures:", *(f"  {p}" for p in demo.plots)])
        )
        say(f"results: {demo.folder}")
    return exit_code(demo.runs)
