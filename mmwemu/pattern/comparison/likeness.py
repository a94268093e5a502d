"""Figures of how far a series is like another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.pattern.comparison import phases
from mmwemu.pattern.comparison.phases import Span
from mmwemu.pattern.comparison.series import BIN_S, Series
from mmwemu.pattern.model import Floats

WIDTHS_S = (0.010, 0.100)
"""Widths over which rates and delays are averaged before they are compared."""
QUANTILES = (0.05, 0.5, 0.95, 0.99)
"""Of the delay."""


@dataclass(frozen=True)
class Figures:
    """Figures of one series, and of its likeness to the reference; None where there is no such number.

    Attributes
    ----------
    name
        The series.
    mean_rate_bps
        Its mean rate, bit/s.
    outages, nlos_phases
        Start and length of each, s; see `mmwemu.pattern.comparison.phases`. The level is the reference's.
    delay_quantiles_s
        Quantiles of `QUANTILES` of the bins' delays, each bin weighted by its bytes, s.
    rate_correlation, rate_rmse_bps
        By width of `WIDTHS_S`: correlation of the mean rates, and their root mean square error, bit/s. None for the
        reference itself.
    delay_correlation, delay_rmse_s
        The same of the mean delays, where both series have one.
    """

    name: str
    mean_rate_bps: float
    outages: list[Span]
    nlos_phases: list[Span]
    delay_quantiles_s: dict[float, float] | None
    rate_correlation: dict[float, float | None] | None = None
    rate_rmse_bps: dict[float, float] | None = None
    delay_correlation: dict[float, float | None] | None = None
    delay_rmse_s: dict[float, float] | None = None


@dataclass(frozen=True)
class Comparison:
    """A reference and what was compared with it.

    Attributes
    ----------
    begin_s, end_s
        The time that was compared, s.
    level_bps
        The reference's rate in line of sight, bit/s.
    reference, others
        Their figures.
    series
        The series of that time, the reference first.
    """

    begin_s: float
    end_s: float
    level_bps: float
    reference: Figures
    others: tuple[Figures, ...]
    series: tuple[Series, ...]


def compare(reference: Series, others: Sequence[Series]) -> Comparison:
    """Compare series with a reference.

    The time compared is what all of them cover, from the first whole 100 ms after the reference's first byte on, so
    that a source's start does not count.

    Raises
    ------
    InputError
        If they have less than half a second in common, or nothing came in the reference.
    """
    came = np.flatnonzero(reference.rate_bps > 0)
    if not came.size:
        raise InputError(reference.name, "never has a rate above 0; there is nothing to compare")
    per_wide = round(WIDTHS_S[-1] / BIN_S)
    first = -(-int(came[0]) // per_wide) * per_wide
    end = min(len(one.rate_bps) for one in (reference, *others)) // per_wide * per_wide
    if end - first < 5 * per_wide:
        problem = f"have {max(0, end - first) * BIN_S:g} s in common; at least 0.5 s are needed"
        raise InputError(" and ".join(one.name for one in (reference, *others)), problem)
    cut = tuple(one.cut(first, end) for one in (reference, *others))
    level_bps = phases.level_bps(cut[0].wider(per_wide).rate_bps)
    own = [_own(one, level_bps, first * BIN_S) for one in cut]
    figures = [_alike(cut[0], one, mine) for one, mine in zip(cut[1:], own[1:], strict=True)]
    return Comparison(first * BIN_S, end * BIN_S, level_bps, own[0], tuple(figures), cut)


def _own(series: Series, level_bps: float, begin_s: float) -> Figures:
    """Return the figures of a series alone; phases count from the start of the whole series."""
    wide_s = WIDTHS_S[-1]
    wide = series.wider(round(wide_s / BIN_S)).rate_bps
    spans = (
        phases.outages(series.rate_bps, BIN_S, level_bps),
        phases.nlos_phases(wide, wide_s, level_bps),
    )
    outages, nlos = ([(round(begin_s + at, 3), round(length, 3)) for at, length in found] for found in spans)
    mean_bps = float(series.rate_bps.mean())
    return Figures(series.name, mean_bps, outages, nlos, _delay_quantiles(series))


def _alike(reference: Series, series: Series, own: Figures) -> Figures:
    rates, delays = [], []
    for width_s in WIDTHS_S:
        one, other = (this.wider(round(width_s / BIN_S)) for this in (reference, series))
        rates.append(_pair(one.rate_bps, other.rate_bps))
        if one.delay_s is not None and other.delay_s is not None:
            delays.append(_pair(one.delay_s, other.delay_s))
    more = {}
    if delays and all(np.isfinite(error) for _, error in delays):
        more = {
            "delay_correlation": dict(zip(WIDTHS_S, (one for one, _ in delays), strict=True)),
            "delay_rmse_s": dict(zip(WIDTHS_S, (one for _, one in delays), strict=True)),
        }
    return Figures(
        own.name, own.mean_rate_bps, own.outages, own.nlos_phases, own.delay_quantiles_s,
        rate_correlation=dict(zip(WIDTHS_S, (one for one, _ in rates), strict=True)),
        rate_rmse_bps=dict(zip(WIDTHS_S, (one for _, one in rates), strict=True)),
        **more,  # type: ignore[arg-type]
    )  # fmt: skip


def _pair(one: Floats, other: Floats) -> tuple[float | None, float]:
    """Return correlation, None where one of both never changes, and root mean square error, where both are known."""
    known = np.isfinite(one) & np.isfinite(other)
    one, other = one[known], other[known]
    if not len(one):
        return None, float("nan")
    error = float(np.sqrt(np.mean((one - other) ** 2)))
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return None, error
    return float(np.corrcoef(one, other)[0, 1]), error


def _delay_quantiles(series: Series) -> dict[float, float] | None:
    if series.delay_s is None:
        return None
    known = np.isfinite(series.delay_s) & (series.rate_bps > 0)
    if not known.any():
        return None
    delay_s, weights = series.delay_s[known], series.rate_bps[known]
    order = np.argsort(delay_s)
    reached = np.cumsum(weights[order])
    places = np.searchsorted(reached, np.array(QUANTILES) * reached[-1] * (1 - 1e-12))
    return {share: float(delay_s[order[min(i, len(order) - 1)]]) for share, i in zip(QUANTILES, places, strict=True)}
