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
from mmwemu.cli.sender_options import sender_options

# Long enough for the player to leave its lowest quality.
_FILM_S = 10.0


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
    cloup.option("--all", "everything", is_flag=True,
                 help="Load a page and play a short film over both too; needs what `mmwemu web setup` sets up."),
    *results_options(),
)  # fmt: skip
@link_options(several=True)
@cloup.option_group(
    "Testbed",
    congestion_control_option("cubic", several=True),
    *sender_options(),
    *backend_options(),
)
def command(scenario: str, output: Path | None, *, everything: bool, as_json: bool, **options: Any) -> int:
    """Run the main job: simulate a scenario for mmWave and LTE, make patterns, download over both, draw.

    The last line names a page for a browser, which has all results.
    """
    from mmwemu.apps.download.summary import goodput_table
    from mmwemu.report.summary import Summary
    from mmwemu.results import store
    from mmwemu.study.demo import run_demo

    plan = replay_plan(options)
    for warning in warnings_of(plan.setup, []):
        warn(warning)
    output = output or store.default_path(Path("results"), "demo")
    with progress() as on_progress:
        more = _more() if everything else []
        demo = run_demo(scenario, plan, download.create(**options), output, sys.argv, more, on_progress)
    if as_json:
        goodput = [group.to_json() for group in demo.goodput]
        print_json(
            {
                "folder": demo.folder,
                "goodput": goodput,
                "plots": demo.plots,
                "runs": [r.row() for r in demo.runs],
                "folders": demo.folders,
                "report": demo.page,
            }
        )
    else:
        print_summary(
            Summary(tables=[goodput_table(demo.goodput)], lines=["figures:", *(f"  {p}" for p in demo.plots)])
        )
        for folder in demo.folders:
            say(f"results: {folder}")
        say(f"report: {demo.page}")
    return exit_code(demo.runs)


def _more() -> list[Any]:
    """Return a page load and a short film, once what they need is there."""
    from mmwemu.apps.shared.browser.modules import find_tools
    from mmwemu.apps.stream.application import Streams
    from mmwemu.apps.web.application import Pages

    find_tools()
    return [Pages(sites=("cnn",), keep=True), Streams(limit_s=_FILM_S)]
