"""Printing of a comparison: of patterns, or of what came through a link."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mmwemu.cli.output import print_table, say
from mmwemu.core.units import mbps, ms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mmwemu.pattern.comparison.likeness import Comparison, Figures
    from mmwemu.pattern.comparison.phases import Span


def print_comparison(comparison: Comparison) -> None:
    """Print tables of the rates, the phases and, where all series have one, the delays."""
    from mmwemu.pattern.comparison.likeness import QUANTILES, WIDTHS_S

    say(f"compared from {comparison.begin_s:g} to {comparison.end_s:g} s with {comparison.reference.name}")
    everything = (comparison.reference, *comparison.others)
    widths = [f"{ms(width_s):g} ms" for width_s in WIDTHS_S]
    rows = [
        (
            one.name,
            f"{mbps(one.mean_rate_bps):.1f}",
            *(_number(one.rate_correlation, width_s, "{:.4f}") for width_s in WIDTHS_S),
            *(_number(one.rate_rmse_bps, width_s, "{:.1f}", 1e-6) for width_s in WIDTHS_S),
        )
        for one in everything
    ]
    header = ("rate", "mean [Mbit/s]", *(f"correlation {w}" for w in widths), *(f"RMSE {w} [Mbit/s]" for w in widths))
    print_table(header, rows, right=range(1, 6))
    phases = [(one.name, *_phases(one.outages), *_phases(one.nlos_phases)) for one in everything]
    words = ("outages", "total [s]", "longest [s]", "NLOS phases", "total [s]", "longest [s]")
    print_table(("phases", *words), phases, right=range(1, 7))
    if any(one.delay_rmse_s for one in comparison.others):
        delays = [
            (
                one.name,
                *(_number(one.delay_quantiles_s, share, "{:.1f}", 1e3) for share in QUANTILES),
                *(_number(one.delay_correlation, width_s, "{:.4f}") for width_s in WIDTHS_S),
                *(_number(one.delay_rmse_s, width_s, "{:.1f}", 1e3) for width_s in WIDTHS_S),
            )
            for one in everything
        ]
        header = ("delay", *(f"{share:.0%} [ms]" for share in QUANTILES), *(f"correlation {w}" for w in widths),
                  *(f"RMSE {w} [ms]" for w in widths))  # fmt: skip
        print_table(header, delays, right=range(1, 9))


def to_json(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as values of JSON."""
    return {
        "begin_s": comparison.begin_s,
        "end_s": comparison.end_s,
        "level_bps": comparison.level_bps,
        "reference": _plain(comparison.reference),
        "compared": [_plain(one) for one in comparison.others],
    }


def _plain(figures: Figures) -> dict[str, Any]:
    values = asdict(figures)
    for key, value in values.items():
        if isinstance(value, dict):
            values[key] = {f"{number:g}": one for number, one in value.items()}
    for key in ("outages", "nlos_phases"):
        values[key] = [{"start_s": start_s, "length_s": length_s} for start_s, length_s in values[key]]
    return values


def _phases(spans: Sequence[Span]) -> tuple[str, str, str]:
    lengths = [length_s for _, length_s in spans]
    return str(len(spans)), f"{sum(lengths):.2f}", f"{max(lengths):.2f}" if lengths else "-"


def _number(values: Mapping[float, float | None] | None, key: float, form: str, scale: float = 1.0) -> str:
    value = (values or {}).get(key)
    return "-" if value is None else form.format(value * scale)
