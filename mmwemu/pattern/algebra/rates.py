"""Operations on the rates of a pattern: scale and clip."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from mmwemu.core.bounds import HIGHEST_RATE_BPS
from mmwemu.core.errors import InputError
from mmwemu.pattern import measures
from mmwemu.pattern.algebra.steps import Directions, changed, check_number, edges_ns, noted, rebuilt
from mmwemu.pattern.model import Direction, Pattern


def scale(
    pattern: Pattern,
    factor: float | None = None,
    *,
    mean_bps: float | None = None,
    peak_bps: float | None = None,
    direction: Directions = "both",
) -> Pattern:
    """Multiply the rates of a pattern.

    Parameters
    ----------
    pattern
        Any pattern; unlimited steps stay unlimited.
    factor
        Above 0.
    mean_bps, peak_bps
        Instead of the factor: the mean or highest rate of the result, bit/s. With both directions it is that of the
        downlink, and the uplink keeps its ratio to it.
    direction
        Which rates are multiplied.

    Raises
    ------
    InputError
        Unless exactly one of the three is given; if the pattern has no finite mean or peak above 0; if a rate would
        exceed 1 Tbit/s.
    """
    if sum(value is not None for value in (factor, mean_bps, peak_bps)) != 1:
        raise InputError("scale", "needs one of a factor, a mean and a peak")
    measured = "uplink" if direction == "uplink" else "downlink"
    rate_bps = getattr(pattern, measured).rate_bps
    if mean_bps is not None:
        factor = _ratio(measured, "mean", mean_bps, measures.mean_rate_bps(pattern, rate_bps))
    if peak_bps is not None:
        factor = _ratio(measured, "peak", peak_bps, float(rate_bps.max()))
    assert factor is not None
    if not 0 < factor < math.inf:
        raise InputError("factor", f"is {factor:.10g}; must be a number above 0")
    multiplied = changed(pattern, direction, lambda one: _multiplied(one, factor))
    return noted(multiplied, "scale", factor=factor, mean_bps=mean_bps, peak_bps=peak_bps, direction=direction)


def _multiplied(direction: Direction, factor: float) -> Direction:
    finite = direction.rate_bps[np.isfinite(direction.rate_bps)]
    if finite.size and finite.max() > HIGHEST_RATE_BPS / factor:
        problem = f"would be {finite.max() * factor:.10g} bit/s; must be at most {HIGHEST_RATE_BPS:g} bit/s"
        raise InputError("the highest rate", problem)
    return replace(direction, rate_bps=direction.rate_bps * factor)


def _ratio(direction: str, name: str, wanted_bps: float, found_bps: float) -> float:
    check_number(name, wanted_bps, 0.0, HIGHEST_RATE_BPS)
    if not 0 < found_bps < math.inf:
        state = "unlimited; clip it first" if found_bps else "0, which no factor changes"
        raise InputError("pattern", f"has a {name} rate in the {direction} that is {state}")
    return wanted_bps / found_bps


def clip(
    pattern: Pattern, least_bps: float = 0.0, most_bps: float = math.inf, direction: Directions = "both"
) -> Pattern:
    """Keep the rates of a pattern between bounds; a lower bound above 0 also ends outages.

    Parameters
    ----------
    pattern
        Any pattern.
    least_bps, most_bps
        Bounds, bit/s.
    direction
        Which rates are clipped.

    Raises
    ------
    InputError
        If the bounds are negative or cross.
    """
    check_number("least", least_bps, 0.0, HIGHEST_RATE_BPS)
    if not least_bps <= most_bps:
        raise InputError("most", f"is {most_bps:.10g} bit/s; must be at least {least_bps:.10g}")
    done = changed(pattern, direction, lambda one: _clipped(one, least_bps, most_bps))
    merged = rebuilt(done, edges_ns(done), done.downlink, done.uplink)
    given_bps = None if math.isinf(most_bps) else most_bps
    return noted(merged, "clip", least_bps=least_bps, most_bps=given_bps, direction=direction)


def _clipped(direction: Direction, least_bps: float, most_bps: float) -> Direction:
    return replace(direction, rate_bps=np.clip(direction.rate_bps, least_bps, most_bps))


def without_outages(pattern: Pattern) -> Pattern:
    """Fill each outage with the rate of the step before it, or after it at the start; all else stays.

    Raises
    ------
    InputError
        If a direction has no rate but 0, or there is no outage.
    """
    if not any((one.rate_bps == 0).any() for one in (pattern.downlink, pattern.uplink)):
        raise InputError("pattern", "has no outage")
    return noted(changed(pattern, "both", _filled), "without-outages")


def _filled(direction: Direction) -> Direction:
    there = np.flatnonzero(direction.rate_bps > 0)
    if not there.size:
        raise InputError("pattern", "has a direction without any rate; nothing can take its place")
    before = np.searchsorted(there, np.arange(len(direction.rate_bps)), side="right") - 1
    return replace(direction, rate_bps=direction.rate_bps[there[np.maximum(before, 0)]])
