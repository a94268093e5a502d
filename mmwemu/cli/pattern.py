"""mmwemu pattern."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.apps.option_types import FileOrName, FilePath, Number, Seconds
from mmwemu.cli import pattern_algebra, pattern_compare, pattern_generate, pattern_input
from mmwemu.cli.output import json_option, print_json, print_table, say
from mmwemu.core.bounds import HIGHEST_RATE_BPS, LONGEST_S, SHORTEST_STEP_S
from mmwemu.core.errors import InputError
from mmwemu.core.units import ms

if TYPE_CHECKING:
    from mmwemu.pattern.model import Pattern

_output = click.option("-o", "--output", type=FilePath(), required=True, help="Pattern to write.")
_end = click.option(
    "--end",
    type=click.Choice(["loop", "hold", "stop"]),
    default="loop",
    show_default=True,
    help="What follows its end.",
)


class _Group(click.Group):
    """The verbs below; convert, whose options come from the registered formats, is imported when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), "convert"])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name != "convert":
            return super().get_command(ctx, cmd_name)
        from mmwemu.cli.pattern_convert import convert

        return convert


@click.group("pattern", cls=_Group)
def command() -> None:
    """Make, show, check, draw and convert patterns.

    PATTERN is a file of any format that convert knows, its format in front if it cannot be guessed, as in
    mahimahi:trace.down, or the name of a shipped pattern, such as s1-long-nlos.mmwave,
    or - for standard input.
    """


for _verb in (*pattern_algebra.VERBS, pattern_compare.command, pattern_generate.command):
    command.add_command(_verb)


@command.command("list")
def list_patterns() -> None:
    """List the patterns that come with mmwemu."""
    from mmwemu.pattern import library

    for name in library.shipped():
        say(name)


@command.command("build")
@click.argument("trace", required=False, type=FilePath())
@_output
@click.option("--method", type=click.Choice(["segments", "window"]), default="segments", show_default=True,
              help="One step for each LOS or NLOS interval (Hurtig 2019), or for each window.")  # fmt: skip
@click.option("--source", type=click.Choice(["throughput_bps", "phy_rate_bps"]), default="throughput_bps",
              show_default=True, help="Column of the trace that gives the rate.")  # fmt: skip
@click.option(
    "--threshold-db",
    type=Number("dB", least=-1000, most=1000),
    default=20.0,
    show_default=True,
    help="segments: LOS from this SINR on.",
)
@click.option(
    "--window-ms",
    type=Number("ms", least=0.001, most=ms(LONGEST_S)),
    default=10.0,
    show_default=True,
    help="window: length of a step.",
)
@click.option(
    "--outage-below-bps",
    type=Number("bit/s", most=HIGHEST_RATE_BPS),
    help="Less than this becomes 0.  [default: as the trace]",
)
@click.option("--outage", type=click.Choice(["hold", "drop"]), help="Packets in an outage.  [default: as the trace]")
@_end
@click.option(
    "--constant-bps",
    type=Number("bit/s", most=HIGHEST_RATE_BPS, or_inf=True),
    help="No trace: one step of this rate; inf is unlimited.",
)
@click.option("--duration-s", type=Seconds(least=SHORTEST_STEP_S), help="Duration with --constant-bps.")
def build(trace: Path | None, output: Path, **options: Any) -> None:
    """Make a pattern from TRACE (Parquet), or of a constant rate."""
    from mmwemu.pattern import convert
    from mmwemu.pattern.formats import native
    from mmwemu.trace import parquet

    rate_bps, duration_s = options.pop("constant_bps"), options.pop("duration_s")
    window_s = options.pop("window_ms") / 1e3
    if (trace is None) == (rate_bps is None):
        raise click.UsageError("give either TRACE or --constant-bps")
    if (rate_bps is None) != (duration_s is None):
        raise click.UsageError("--constant-bps and --duration-s go together")
    if trace is None:
        pattern = convert.constant(rate_bps, duration_s, options["outage"] or "hold", options["end"])
    else:
        try:
            pattern = convert.convert(parquet.load(trace), convert.Conversion(window_s=window_s, **options))
        except InputError as error:
            if error.where.startswith(str(trace)):
                raise
            raise InputError(f"{trace}: {error.where}", error.problem) from None
    native.save(pattern, output)
    say(output)


@command.command("show")
@click.argument("pattern", type=FileOrName())
@json_option
def show(pattern: str, as_json: bool) -> None:
    """Show what a pattern does: mean rates, steps, outages, where it comes from."""
    from mmwemu.pattern import measures

    found = pattern_input.load_telling(pattern)
    summary = measures.summary(found)
    if as_json:
        print_json({"pattern": pattern} | summary)
        return
    _print_summary(pattern, found, summary)


def _print_summary(name: str, pattern: Pattern, summary: dict[str, Any]) -> None:
    from mmwemu.core.units import mbps

    say(
        f"{name}: {len(pattern.time_s)} steps in {pattern.duration_s:g} s; then {pattern.end}; outages {pattern.outage}"
    )
    rows = [
        (d, *(f"{mbps(summary[key][d]):.3f}" for key in ("mean_rate_bps", "min_rate_bps", "max_rate_bps")),
         f"{summary['outage_s'][d]:g}")
        for d in ("downlink", "uplink")
    ]  # fmt: skip
    print_table(("Mbit/s of IP packets", "mean", "least", "most", "outage [s]"), rows, right=(1, 2, 3, 4))
    for key, value in pattern.meta.items():
        say(f"{key}: {value}")


@command.command("check")
@click.argument("patterns", type=FileOrName(), nargs=-1, required=True, metavar="PATTERN...")
def check(patterns: tuple[str, ...]) -> None:
    """Check that patterns can be used; the first that breaks a rule ends it with 2."""
    for name in patterns:
        found = pattern_input.load_telling(name)
        say(f"{name}: ok ({len(found.time_s)} steps, {found.duration_s:g} s)")


@command.command("plot")
@click.argument("pattern", type=FileOrName())
@click.option("-o", "--output", type=FilePath(), help="Picture to write.  [default: NAME.png]")
def plot(pattern: str, output: Path | None) -> None:
    """Draw the rate of a pattern over time."""
    from mmwemu.pattern import draw, library

    name = "pattern" if pattern == pattern_input.STANDARD_STREAM else library.find(pattern).stem
    output = output or Path(f"{name}.png")
    draw.plot(pattern_input.load_telling(pattern), output, name)
    say(output)
