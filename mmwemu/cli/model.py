"""mmwemu model."""

from __future__ import annotations

import itertools
from pathlib import Path

import click

from mmwemu.apps.option_types import FilePath, Number, Rate, Several, Size, Whole
from mmwemu.cli.output import json_option, print_json, print_table, say
from mmwemu.core.bounds import LONGEST_DELAY_S
from mmwemu.core.units import format_size, mbps, ms

_MS = Number("ms", above=0, most=ms(LONGEST_DELAY_S))


@click.group("model")
def command() -> None:
    """Closed forms that measurements are held against."""


@command.command("slowstart")
@click.option("--size", "sizes_bytes", type=Several(Size()), default="1MB,10MB,100MB", show_default=True,
              help="Bytes to carry.")  # fmt: skip
@click.option("--rate", "rates_bps", type=Several(Rate()), default="100Mbit/s,1Gbit/s,10Gbit/s", show_default=True,
              help="Rate of the bottleneck.")  # fmt: skip
@click.option("--rtt-ms", "rtts_ms", type=Several(_MS), default="10,50,100", show_default=True,
              help="Round-trip time without queueing.")  # fmt: skip
@click.option("--initial-window", type=Whole("segments", least=1, most=1_000_000), default=10, show_default=True,
              help="First congestion window, segments.")  # fmt: skip
@click.option("--mss", type=Whole("bytes", least=1, most=65_535), default=1460, show_default=True,
              help="Payload of a segment, bytes.")  # fmt: skip
@click.option("--plot", type=FilePath(), help="Draw the share of the rate over the size, for each rate and round trip.")
@json_option
def slowstart(
    sizes_bytes: tuple[int, ...],
    rates_bps: tuple[float, ...],
    rtts_ms: tuple[float, ...],
    initial_window: int,
    mss: int,
    plot: Path | None,
    *,
    as_json: bool,
) -> None:
    """Show how long TCP takes with slow start, and how much of the rate it uses (Krasilov et al. 2019).

    Sizes, rates and round trips may be several, separated by commas: each with each.
    """
    import numpy as np

    from mmwemu.core import figure
    from mmwemu.model import draw
    from mmwemu.model.slowstart import Transfer, efficiency, rounds, time_s

    if plot is not None:
        figure.check_path(plot)
    window = initial_window * mss
    sizes, rates, rtts = np.array(list(itertools.product(sizes_bytes, rates_bps, rtts_ms)), dtype=float).T
    transfer = Transfer(sizes, rates, rtts / 1e3, window)
    found = {
        "size_bytes": sizes, "rate_bps": rates, "rtt_s": rtts / 1e3, "rounds": rounds(transfer),
        "time_s": time_s(transfer), "efficiency": efficiency(transfer),
    }  # fmt: skip
    if plot is not None:
        seconds = [rtt_ms / 1e3 for rtt_ms in rtts_ms]
        draw.plot_efficiency(rates_bps, seconds, window, (min(sizes_bytes), max(sizes_bytes)), plot)
    if as_json:
        rows = [dict(zip(found, map(float, row), strict=True)) for row in zip(*found.values(), strict=True)]
        print_json({"initial_window_bytes": window, "transfers": rows})
        return
    table = [
        (format_size(int(size)), f"{mbps(rate):g}", f"{ms(rtt):g}", f"{n:.1f}", f"{time:.4g}",
         f"{mbps(8 * size / time):.4g}", f"{share * 100:.1f}")
        for size, rate, rtt, n, time, share in zip(*found.values(), strict=True)
    ]  # fmt: skip
    header = ("size", "rate [Mbit/s]", "RTT [ms]", "rounds", "time [s]", "mean [Mbit/s]", "of the rate [%]")
    print_table(header, table, range(7))
    if plot is not None:
        say(plot)
