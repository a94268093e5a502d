"""mmwemu fidelity."""

from __future__ import annotations

from pathlib import Path

import click

from mmwemu.apps.option_types import FilePath, Text, Whole
from mmwemu.apps.shipped_types import PATTERN, SCENARIO
from mmwemu.cli import pattern_input
from mmwemu.cli.output import json_option, print_json, progress, say, warn


@click.command("fidelity")
@click.argument("trace", type=FilePath())
@click.argument("patterns", metavar="PATTERN...", type=PATTERN, nargs=-1, required=True)
@click.option("--scenario", type=SCENARIO, help="Scenario of TRACE.  [default: the shipped one that it names]")
@click.option("--protocol", type=click.Choice(["udp", "tcp"]), help="Transport of the traffic.  [default: as in TRACE]")
@click.option("--cc", "congestion_control", type=Text(), default="reno", show_default=True,
              help="TCP congestion control.")  # fmt: skip
@click.option(
    "--tries",
    type=Whole(least=1, most=100),
    default=3,
    show_default=True,
    help="Replays of a pattern at most, until one is valid.",
)
@click.option("--plot", type=FilePath(), help="Draw rates and delays into this picture as well.")  # fmt: skip
@json_option
def command(
    trace: Path,
    patterns: tuple[str, ...],
    *,
    scenario: str | None,
    protocol: str | None,
    congestion_control: str,
    tries: int,
    plot: Path | None,
    as_json: bool,
) -> int:
    """Replay the traffic of a simulation over patterns of its TRACE, and compare what comes with the simulation.

    The source sends at its own rate, payload and time; the link has the simulation's core delay, and a queue of the
    size of its RLC buffer. Takes as long as the trace for each pattern. A replay that a busy machine spoils is
    repeated.
    """
    from dataclasses import replace

    from mmwemu.cli.comparison_output import print_comparison, to_json
    from mmwemu.core import figure
    from mmwemu.core.errors import InvalidRunError
    from mmwemu.pattern.comparison import draw
    from mmwemu.scenario import read
    from mmwemu.study.fidelity import replay_source, source_of
    from mmwemu.trace import parquet

    if plot is not None:
        figure.check_path(plot)
    simulated = parquet.load(trace)
    source = source_of(simulated, read.load(scenario) if scenario else None, protocol)  # type: ignore[arg-type]
    source = replace(source, congestion_control=congestion_control)
    loaded = pattern_input.load_named(patterns)
    with progress() as on_progress:
        found = replay_source(trace.stem, simulated, loaded, source, on_progress, tries=tries)
    if plot is not None:
        draw.plot(found.comparison, plot, trace.stem)
    if as_json:
        replays = [
            {"name": one.name, "valid": not one.reasons, "reasons": one.reasons, "tries": one.tries}
            for one in found.replays
        ]
        print_json(to_json(found.comparison) | {"replays": replays})
    else:
        print_comparison(found.comparison)
        if plot is not None:
            say(plot)
    for reason in found.reasons:
        warn(f"not valid: {reason}")
    return InvalidRunError.exit_code if found.reasons else 0
