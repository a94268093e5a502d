"""Claims and findings in words and numbers for people."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mmwemu.core.units import mbps
from mmwemu.papers.claims import Claim
from mmwemu.papers.judge import Finding, Judged
from mmwemu.report.claims import JudgedClaim
from mmwemu.report.statistics import LEAST

_UNITS = {"_bps": ("Mbit/s", mbps(1.0)), "_bytes": ("MB", 1e-6), "_s": ("s", 1.0), "_db": ("dB", 1.0)}
_MOST_SHOWN = 4


def rows(judged: Sequence[Judged], source: str) -> list[JudgedClaim]:
    """Return claims of a ``source`` such as ``Hurtig 2019`` as the report page shows them."""
    return [
        JudgedClaim(
            one.claim.name, f"{source}, {one.claim.source}", one.claim.says, expected(one.claim), found(one),
            one.verdict, one.why,
        )
        for one in judged
    ]  # fmt: skip


def expected(claim: Claim) -> str:
    """Return what a claim expects, such as ``at most 330 Mbit/s``."""
    unit, scale = _unit(claim)
    low, high = (_number(bound, scale) for bound in (claim.low, claim.high))
    if math.isinf(claim.low):
        bounds = f"at most {high}"
    elif math.isinf(claim.high):
        bounds = f"at least {low}"
    else:
        bounds = f"{low} to {high}"
    return f"{bounds}{unit}"


def found(judged: Judged) -> str:
    """Return what was found of a claim: one estimate, or the least and largest of several and the few that differ."""
    if len(judged.findings) == 1:
        return estimate(judged.claim, judged.findings[0])
    unit, scale = _unit(judged.claim)
    values = [one.estimate.value for one in judged.findings if not math.isnan(one.estimate.value)]
    if not values:
        return ""
    spread = f"{_number(min(values), scale)} to {_number(max(values), scale)}{unit}"
    others = [one for one in judged.findings if one.verdict == "differs"]
    named = [f"{one.of}: {_number(one.estimate.value, scale)}{unit}" for one in others[:_MOST_SHOWN]]
    more = [f"and {len(others) - _MOST_SHOWN} more"] if len(others) > _MOST_SHOWN else []
    return f"{spread}; differing: {', '.join([*named, *more])}" if named else spread


def estimate(claim: Claim, finding: Finding) -> str:
    """Return an estimate with its interval, or with its extremes where there are few values; empty for none."""
    one = finding.estimate
    if math.isnan(one.value):
        return ""
    unit, scale = _unit(claim)
    low, value, high = (_number(number, scale) for number in (one.low, one.value, one.high))
    if low == high:
        spread = ""
    else:
        is_interval = one.n >= LEAST or claim.statistic == "share"
        spread = f" ({low} to {high}, {'95 % interval' if is_interval else 'smallest and largest'})"
    return f"{value}{unit}{spread}, n = {one.n}"


def count(verdicts: Sequence[str]) -> str:
    """Return counts of verdicts in words, such as ``20 found, 3 differ, 2 cannot be judged``."""
    counts = [verdicts.count(verdict) for verdict in ("found", "differs", "cannot be judged")]
    return "{} found, {} differ, {} cannot be judged".format(*counts)


def _unit(claim: Claim) -> tuple[str, float]:
    """Return the unit after a number, and what to multiply the number with."""
    if claim.statistic == "share":
        return " %", 100.0
    if claim.over:
        return " times", 1.0
    for ending, (unit, scale) in _UNITS.items():
        if claim.quantity.endswith(ending):
            return f" {unit}", scale
    return "", 1.0


def _number(value: float, scale: float) -> str:
    return f"{value * scale:.3g}" if abs(value * scale) < 1000 else f"{value * scale:.0f}"
