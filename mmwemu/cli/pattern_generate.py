"""mmwemu pattern generate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mmwemu.apps.option_types import SEED, DrawnLength, FilePath, Number, Rate, Seconds, Whole
from mmwemu.apps.shipped_types import PATTERN
from mmwemu.cli import pattern_input
from mmwemu.core.bounds import LONGEST_S, MOST_STEPS, SHORTEST_STEP_S

_FORMS = "S, uniform:LOW-HIGH, exponential:MEAN or lognormal:MEDIAN,SIGMA, in s"
_output = click.option(
    "-o", "--output", type=FilePath(), help="Pattern to write.  [default: standard output, for a pipe]"
)
_seed = click.option("--seed", type=SEED, default=1, show_default=True, help="The same seed gives the same pattern.")
_outage = click.option(
    "--outage", type=click.Choice(["hold", "drop"]), default="hold", show_default=True, help="Packets in an outage."
)
_end = click.option(
    "--end",
    type=click.Choice(["loop", "hold", "stop"]),
    default="loop",
    show_default=True,
    help="What follows its end.",
)


@click.group("generate")
def command() -> None:
    """Make patterns from drawn lengths of time or from a chain fitted to other patterns."""


@command.command("onoff")
@click.option("--rate", "rate_bps", type=Rate(), required=True, help="Rate between outages, such as 500Mbit/s.")
@click.option("--on", type=DrawnLength(), required=True, help=f"Times between outages: {_FORMS}.")
@click.option("--off", type=DrawnLength(), required=True, help="Lengths of outages, likewise.")
@click.option("--duration-s", type=Seconds(least=SHORTEST_STEP_S), required=True, help="Length of the pattern.")
@_seed
@_outage
@_end
@_output
def onoff(output: Path | None, **options: Any) -> None:
    """Make a rate with outages of drawn lengths."""
    from mmwemu.pattern.synthesis import onoff

    pattern_input.save(onoff.generate(onoff.OnOff(**options)), output)


@command.command("blockage")
@click.option("--obstacle", type=click.Choice(["iron-plate", "cardboard", "body"]), required=True,
              help="What blocks the path.")  # fmt: skip
@click.option("--blocked", type=DrawnLength(), required=True, help=f"Lengths of blockages: {_FORMS}.")
@click.option("--remaining", type=Number("", most=1.0),
              help="Share of the rate that remains; measured for the iron plate only: 0.2.")  # fmt: skip
@click.option("--rate", "rate_bps", type=Rate(), default="2500Mbit/s", show_default=True, help="Rate of the bare link.")
@click.option("--at", "starts_s", type=Seconds(), multiple=True, default=(7.0, 15.0), show_default=True,
              help="Start of a blockage, s; may be given more than once.")  # fmt: skip
@click.option("--gap", type=DrawnLength(), help="Instead of --at: times between blockages, drawn.")
@click.option("--duration-s", type=Seconds(least=SHORTEST_STEP_S), default=20.0, show_default=True,
              help="Length of the pattern.")  # fmt: skip
@_seed
@_outage
@_end
@_output
def blockage(output: Path | None, **options: Any) -> None:
    """Make a 60 GHz link that an obstacle blocks, as measured by Chen et al. 2020.

    They state the rate of the bare link, the starts, and the fall for the iron plate.
    """
    from mmwemu.pattern.synthesis import blockages

    pattern_input.save(blockages.generate(blockages.Obstacles(**options)), output)


@command.command("markov")
@click.argument("sources", type=PATTERN, nargs=-1, required=True, metavar="SOURCE...")
@click.option("--states", type=Whole(least=1, most=MOST_STEPS), default=4, show_default=True,
              help="Rate levels beside the outage.")  # fmt: skip
@click.option("--duration-s", type=Seconds(least=SHORTEST_STEP_S),
              help="Length of the pattern.  [default: mean of the sources]")  # fmt: skip
@_seed
@_output
def markov(sources: tuple[str, ...], output: Path | None, states: int, duration_s: float | None, seed: int) -> None:
    """Make a drive of the same kind as SOURCE: patterns, or folders of pattern files (*.csv).

    Levels of the downlink's rate are the states of a chain; the times in each state are drawn from those of SOURCE.
    """
    from mmwemu.pattern.synthesis import markov

    named = pattern_input.load_named(sources)
    chain = markov.fit([pattern for _, pattern in named], states)
    mean_s = min(sum(pattern.duration_s for _, pattern in named) / len(named), LONGEST_S)
    pattern = markov.generate(chain, duration_s or mean_s, seed)
    pattern_input.save(markov.with_sources(pattern, named), output)
