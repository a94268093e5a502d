"""mmwemu pattern compare."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mmwemu.apps.option_types import FilePath
from mmwemu.apps.shipped_types import PATTERN
from mmwemu.cli import pattern_input
from mmwemu.cli.output import json_option, print_json, say

if TYPE_CHECKING:
    from mmwemu.pattern.comparison.series import Series
    from mmwemu.pattern.model import DirectionName

_TRACE_SUFFIX = ".parquet"


@click.command("compare")
@click.argument("reference", metavar="A", type=PATTERN)
@click.argument("others", metavar="B...", type=PATTERN, nargs=-1, required=True)
@click.option("--direction", type=click.Choice(["downlink", "uplink"]), default="downlink", show_default=True,
              help="Which direction of the patterns.")  # fmt: skip
@click.option("--plot", type=FilePath(), help="Draw the rates into this picture as well.")
@json_option
def command(
    reference: str, others: tuple[str, ...], *, direction: DirectionName, plot: Path | None, as_json: bool
) -> None:
    """Compare patterns B with A, a pattern or the trace (.parquet) that they were made from.

    Shows correlation and root mean square error of the rates, and count and length of outages and of phases without
    line of sight, for as long as the shortest lasts.
    """
    from mmwemu.cli.comparison_output import print_comparison, to_json
    from mmwemu.core import figure
    from mmwemu.pattern.comparison import draw, likeness
    from mmwemu.pattern.comparison.series import of_pattern

    if plot is not None:
        figure.check_path(plot)
    first = _first(reference, direction)
    compared = [of_pattern(short, one, direction, one.duration_s) for short, one in pattern_input.load_named(others)]
    comparison = likeness.compare(first, compared)
    if plot is not None:
        draw.plot(comparison, plot)
    if as_json:
        print_json(to_json(comparison))
        return
    print_comparison(comparison)
    if plot is not None:
        say(plot)


def _first(name: str, direction: DirectionName) -> Series:
    """Return the series of a trace or a pattern."""
    from mmwemu.pattern.comparison.series import of_pattern, of_trace
    from mmwemu.trace import parquet

    if name.endswith(_TRACE_SUFFIX):
        return of_trace(Path(name).stem, parquet.load(Path(name)))
    [(short, pattern)] = pattern_input.load_named([name])
    return of_pattern(short, pattern, direction, pattern.duration_s)
