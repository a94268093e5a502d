"""mmwemu pattern cut, shift, scale and the like: verbs that make a pattern of a pattern and chain through pipes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.apps.option_types import FilePath, Number, Rate, Seconds, Whole
from mmwemu.apps.shipped_types import PATTERN
from mmwemu.cli import pattern_input
from mmwemu.core.bounds import LONGEST_DELAY_S, LONGEST_S, MOST_STEPS, SHORTEST_STEP_S
from mmwemu.core.units import ms

if TYPE_CHECKING:
    from mmwemu.pattern.model import Pattern

VERBS: list[click.Command] = []

output_option = click.option(
    "-o", "--output", type=FilePath(), help="Pattern to write.  [default: standard output, for a pipe]"
)
_direction = click.option(
    "--direction", type=click.Choice(["both", "downlink", "uplink"]), default="both", show_default=True
)
_outage = click.option(
    "--outage", type=click.Choice(["hold", "drop"]), help="Packets in outages of the result.  [default: as IN]"
)
_in = click.argument("pattern", type=PATTERN, metavar="IN")
_ins = click.argument("pattern", type=PATTERN, metavar="IN...", nargs=-1, required=True)
_FACTOR = Number("", above=0.0, most=1e9)


def _verb(name: str, argument: Any = _in) -> Callable[[Callable[..., Pattern]], click.Command]:
    """Return a decorator that makes a verb of a function from the patterns IN and options to a pattern."""

    def make(function: Callable[..., Pattern]) -> click.Command:
        @functools.wraps(function)
        def run(pattern: str | tuple[str, ...], output: Path | None, **options: Any) -> None:
            load = pattern_input.load_telling
            found = [load(one) for one in pattern] if isinstance(pattern, tuple) else load(pattern)
            pattern_input.save(function(found, **options), output)

        verb = click.command(name)(argument(output_option(run)))
        VERBS.append(verb)
        return verb

    return make


@_verb("cut")
@click.option("--from-s", type=Seconds(), default=0.0, show_default=True, help="Start of the part.")
@click.option("--to-s", type=Seconds(above=0.0), help="End of the part.  [default: end of IN]")
def cut(pattern: Pattern, **options: Any) -> Pattern:
    """Take the part of a pattern between two times."""
    from mmwemu.pattern import algebra

    return algebra.cut(pattern, **options)


@_verb("shift")
@click.option("--by-s", type=Seconds(least=-LONGEST_S), required=True, help="Later by this; negative is earlier.")
def shift(pattern: Pattern, **options: Any) -> Pattern:
    """Rotate a pattern in time; what leaves the end enters at the start."""
    from mmwemu.pattern import algebra

    return algebra.shift(pattern, **options)


@_verb("scale")
@click.option("--factor", type=_FACTOR, help="Multiply rates by this.")
@click.option("--mean", "mean_bps", type=Rate(), help="Or: mean rate of the result, such as 50Mbit/s.")
@click.option("--peak", "peak_bps", type=Rate(), help="Or: highest rate of the result.")
@_direction
def scale(pattern: Pattern, **options: Any) -> Pattern:
    """Multiply rates, by a factor or to a mean or peak; with both directions that is the downlink's."""
    from mmwemu.pattern import algebra

    if sum(options[name] is not None for name in ("factor", "mean_bps", "peak_bps")) != 1:
        raise click.UsageError("give one of --factor, --mean and --peak")
    return algebra.scale(pattern, **options)


@_verb("clip")
@click.option("--least", "least_bps", type=Rate(), help="Lowest rate; ends outages, too.")
@click.option("--most", "most_bps", type=Rate(), help="Highest rate.")
@_direction
def clip(pattern: Pattern, **options: Any) -> Pattern:
    """Keep rates between bounds."""
    from mmwemu.pattern import algebra

    given = {name: value for name, value in options.items() if value is not None}
    if not given.keys() & {"least_bps", "most_bps"}:
        raise click.UsageError("give --least, --most or both")
    return algebra.clip(pattern, **given)


@_verb("concat", _ins)
@_outage
def concat(patterns: list[Pattern], **options: Any) -> Pattern:
    """Put patterns one after the other; the end of the last one holds."""
    from mmwemu.pattern import algebra

    return algebra.concat(patterns, **options)


@_verb("repeat")
@click.option("--times", type=Whole(least=1, most=MOST_STEPS), required=True, help="How often it plays.")
def repeat(pattern: Pattern, **options: Any) -> Pattern:
    """Play a pattern several times."""
    from mmwemu.pattern import algebra

    return algebra.repeat(pattern, **options)


@_verb("blockage")
@click.option("--start-s", type=Seconds(), required=True, help="Start of the fall.")
@click.option("--blocked-s", "duration_s", type=Seconds(least=SHORTEST_STEP_S), required=True,
              help="From the start of the fall to the end of the recovery.")  # fmt: skip
@click.option("--depth-db", type=Number("dB", most=1000.0), help="Fall of the rate: 10 dB leave a tenth.")
@click.option(
    "--remaining", type=Number("", most=1.0), help="Or: share of the rate that remains.  [default: 0, outage]"
)
@click.option("--ramp-s", type=Seconds(), default=0.0, show_default=True, help="Length of fall and recovery each.")
@click.option("--every-s", type=Seconds(above=0.0), help="Again after this.  [default: once]")
@_direction
@_outage
def blockage(pattern: Pattern, depth_db: float | None, remaining: float | None, **options: Any) -> Pattern:
    """Lay a blockage over a pattern, once or again and again."""
    from mmwemu.pattern import algebra
    from mmwemu.pattern.algebra.blocking import Blockage, remaining_of

    if depth_db is not None and remaining is not None:
        raise click.UsageError("give either --depth-db or --remaining")
    share = remaining or 0.0 if depth_db is None else remaining_of(depth_db)
    direction, outage = options.pop("direction"), options.pop("outage")
    return algebra.blockage(pattern, Blockage(remaining=share, **options), direction, outage)


@_verb("resample")
@click.option("--step-ms", type=Number("ms", least=ms(SHORTEST_STEP_S), most=ms(LONGEST_S)), required=True,
              help="Length of a step.")  # fmt: skip
def resample(pattern: Pattern, step_ms: float) -> Pattern:
    """Take the mean over each step of equal length; the bytes stay the same."""
    from mmwemu.pattern import algebra

    return algebra.resample(pattern, step_ms / 1e3)


@_verb("join-uplink")
@click.option("--uplink-of", "other", type=PATTERN, required=True, help="Pattern whose uplink is taken.")
@_outage
def join_uplink(pattern: Pattern, other: str, **options: Any) -> Pattern:
    """Take the uplink of another pattern, for as long as IN lasts."""
    from mmwemu.pattern import algebra

    return algebra.join_uplink(pattern, pattern_input.load_telling(other), **options)


@_verb("delay")
@click.option("--add-ms", type=Number("ms", most=ms(LONGEST_DELAY_S)), required=True, help="Delay to add.")
@_direction
def delay(pattern: Pattern, add_ms: float, **options: Any) -> Pattern:
    """Add a delay behind the bottleneck."""
    from mmwemu.pattern import algebra

    return algebra.delay(pattern, add_ms / 1e3, **options)


@_verb("loss")
@click.option("--add", "loss", type=Number("", most=1.0), required=True, help="Probability; independent of IN's loss.")
@_direction
def loss(pattern: Pattern, **options: Any) -> Pattern:
    """Add an independent loss of packets."""
    from mmwemu.pattern import algebra

    return algebra.loss(pattern, **options)


@_verb("slow")
@click.option("--factor", type=_FACTOR, required=True, help="Each step lasts this times as long.")
def slow(pattern: Pattern, **options: Any) -> Pattern:
    """Slow down time; rates and delays stay."""
    from mmwemu.pattern import algebra

    return algebra.slow(pattern, **options)
