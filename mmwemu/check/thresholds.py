"""Thresholds: what is expected of a metric, as one line of text."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from mmwemu.core.errors import InputError
from mmwemu.core.text import shown
from mmwemu.report.sequential import Rule

Relation = Literal["", "ratio", "difference"]

_NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
_LINE = re.compile(
    r"\s*(?P<metric>[a-z][a-z0-9_]{0,62})\s*(?:\s(?P<average>mean|p[0-9]{1,2}(?:\.[0-9]{1,3})?))?\s*(?P<side><=|>=)\s*"
    rf"(?:(?P<bound>-?{_NUMBER})(?P<ratio>\s+of\s+baseline)?|baseline\s*(?P<sign>[+-])\s*(?P<difference>{_NUMBER}))\s*"
)
_FORM = "METRIC [mean|p50|p95|...] >= or <= NUMBER, NUMBER of baseline, or baseline + NUMBER"


@dataclass(frozen=True)
class Threshold:
    """A bound of an average or quantile of a metric.

    Attributes
    ----------
    text
        As it was written, with single spaces.
    metric
        A column of the application's record, or a metric that a command reports.
    quantile
        None: the mean; else that quantile, 0 to 1.
    is_least
        Whether the bound is the least that is accepted; else it is the most.
    bound
        The number.
    relation
        What is held against the bound: the value (empty), its ratio to the baseline or its difference from it.
    """

    text: str
    metric: str
    quantile: float | None
    is_least: bool
    bound: float
    relation: Relation

    @property
    def worst(self) -> float:
        """The infinite number that stands for a run which came to no value."""
        return -math.inf if self.is_least else math.inf

    def rule(self, fail_error: float, allowance: float = 0.0) -> Rule:
        """Return the rule for its values; for a ratio, that for their logarithms."""
        bound = math.log(self.bound) if self.relation == "ratio" else self.bound
        bounds = {"low": bound} if self.is_least else {"high": bound}
        return Rule(**bounds, quantile=self.quantile, fail_error=fail_error, allowance=allowance)


def parse(text: str, where: str) -> Threshold:
    """Return the threshold that a line such as ``goodput_bps >= 0.9 of baseline`` states.

    Raises
    ------
    InputError
        If the line is none; ``where`` names its place.
    """
    found = _LINE.fullmatch(text)
    if found is None:
        raise InputError(where, f"is {shown(text)}; must be {_FORM}")
    average = found["average"] or "mean"
    quantile = None if average == "mean" else float(average[1:]) / 100
    if quantile == 0:
        raise InputError(where, f"is {shown(text)}; a quantile is from p1 to p99")
    relation: Relation = "difference" if found["sign"] else "ratio" if found["ratio"] else ""
    bound = float(found["difference"] or found["bound"])
    if not math.isfinite(bound):
        raise InputError(where, f"is {shown(text)}; its number must be finite")
    if found["sign"] == "-":
        bound = -bound
    if relation == "ratio" and bound <= 0:
        raise InputError(where, f"is {shown(text)}; a share of the baseline is above 0")
    return Threshold(" ".join(text.split()), found["metric"], quantile, found["side"] == ">=", bound, relation)
