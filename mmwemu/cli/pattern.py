"""mmwemu pattern."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.apps.option_types import FilePath
from mmwemu.apps.shipped_types import PATTERN
from mmwemu.cli import pattern_algebra, pattern_compare, pattern_generate, pattern_input
from mmwemu.cli.output import can_print, json_option, print_json, print_table, say, terminal_width, warn

if TYPE_CHECKING:
    from mmwemu.pattern.model import Pattern

# Verbs whose options come from what is registered; their modules are imported when they are used.
_LATE = {"build": "mmwemu.cli.pattern_build", "convert": "mmwemu.cli.pattern_convert"}


_PICTURE_LINES = 6


class _Group(click.Group):
    """The verbs below, and those that are imported late."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *_LATE])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _LATE:
            return super().get_command(ctx, cmd_name)
        found: click.Command = getattr(import_module(_LATE[cmd_name]), cmd_name)
        return found


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
@click.option("-l", "--long", "is_long", is_flag=True, help="Their key figures, too.")
def list_patterns(is_long: bool) -> None:
    """List the patterns that come with mmwemu."""
    from mmwemu.pattern import library, measures

    if not is_long:
        for name in library.shipped():
            say(name)
        return
    rows = [(name, *measures.key_figures(library.load(name))) for name in library.shipped()]
    print_table(("Mbit/s of IP packets", *measures.KEY_FIGURES), rows, right=range(2, 2 + len(measures.KEY_FIGURES)))


@command.command("show")
@click.argument("pattern", type=PATTERN)
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
    _draw(pattern)


def _draw(pattern: Pattern) -> None:
    """Print a picture as wide as the terminal, of both directions if they differ."""
    from mmwemu.pattern import sketch

    width = terminal_width()
    up, down = pattern.uplink.rate_bps, pattern.downlink.rate_bps
    pictures = {"both directions": down} if (up == down).all() else {"downlink": down, "uplink": up}
    for title, rate_bps in pictures.items():
        say(f"{title}, Mbit/s{'; x: outage' if (rate_bps == 0).any() else ''}")
        for line in sketch.in_text(pattern, rate_bps, width, _PICTURE_LINES, blocks=can_print(sketch.BLOCKS)):
            say(line)


@command.command("check")
@click.argument("patterns", type=PATTERN, nargs=-1, required=True, metavar="PATTERN...")
def check(patterns: tuple[str, ...]) -> None:
    """Check that patterns can be used; the first that breaks a rule ends it with 2.

    A line on stderr tells what is odd: gaps, repeated times, a rate that this machine did not carry at its calibration.
    """
    from mmwemu.probe import calibrate

    known = calibrate.remembered()
    for name in patterns:
        found = pattern_input.load_telling(name)
        if problem := calibrate.warning([found], known):
            warn(f"{name}: {problem}")
        say(f"{name}: ok ({len(found.time_s)} steps, {found.duration_s:g} s)")


@command.command("plot")
@click.argument("pattern", type=PATTERN)
@click.option("-o", "--output", type=FilePath(), help="Picture to write.  [default: NAME.png]")
def plot(pattern: str, output: Path | None) -> None:
    """Draw the rate of a pattern over time."""
    from mmwemu.pattern import draw, library

    name = "pattern" if pattern == pattern_input.STANDARD_STREAM else library.find(pattern).stem
    output = output or Path(f"{name}.png")
    draw.plot(pattern_input.load_telling(pattern), output, name)
    say(output)
