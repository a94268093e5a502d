"""From values to verdicts: each threshold is judged for each group. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from mmwemu.check.samples import Group, Samples, Values, known_metrics
from mmwemu.check.thresholds import Threshold
from mmwemu.core.errors import InputError
from mmwemu.report.sequential import Decision, decide, next_look

Verdict = Literal["pass", "fail", "inconclusive"]

FAIL_ERROR = 0.01
"""The probability that a check fails although all thresholds hold; it is divided among the lines."""


@dataclass(frozen=True)
class Line:
    """The verdict on a threshold for a group.

    Attributes
    ----------
    threshold, group
        What is expected, and of what.
    relation
        As of the threshold; ``value``, ``low``, ``high`` and ``bound`` are ratios or differences then.
    value, low, high
        The average or quantile, and its limits.
    bound
        The number of the threshold.
    n
        Number of values, or pairs, that decided.
    verdict, reason
        The verdict; why there is none.
    more
        How many more values it takes until the next decision may fall; None if there is none.
    """

    threshold: str
    group: str
    relation: str
    value: float
    low: float
    high: float
    bound: float
    n: int
    verdict: Verdict
    reason: str
    more: int | None


def candidates(thresholds: Sequence[Threshold], groups: Sequence[Group]) -> list[tuple[Threshold, Group]]:
    """Return what may have to be judged: all pairs of a threshold and a group whose runs can have the metric.

    Raises
    ------
    InputError
        If a threshold is of a metric that no group has.
    """
    found = []
    for one in thresholds:
        mine = [group for group in groups if one.metric in (known_metrics(group.record) or {one.metric})]
        if not mine:
            names = sorted(set.union(*(known_metrics(group.record) or set() for group in groups)))
            raise _unknown(one, names)
        found += [(one, group) for group in mine]
    return found


def applicable(
    pairs: Sequence[tuple[Threshold, Group]], samples: Samples, base: Mapping[Group, Values]
) -> list[tuple[Threshold, Group]]:
    """Return those of the candidates whose runs have the metric, as far as runs that ended by themselves tell.

    Raises
    ------
    InputError
        If that is known to be none for a threshold.
    """
    found = [(one, group) for one, group in pairs if _has(one.metric, group, samples, base)]
    kept = {one for one, _ in found}
    for one, _ in pairs:
        if one not in kept:
            raise _unknown(one, sorted({name for group in samples.reporting for name in samples.metrics(group)}))
    return found


def judge(
    one: Threshold, group: Group, head: Values, base: Values | None, *, fail_error: float, allowance: float = 0.0
) -> Line:
    """Return the verdict on a threshold by the values so far.

    Parameters
    ----------
    one, group
        The threshold and what it is judged for.
    head, base
        Values; ``base`` may be None if the threshold is absolute.
    fail_error
        The allowed probability of a wrong fail of this line.
    allowance
        By how much two machines may differ, as the logarithm of a ratio.
    """
    if not one.relation:
        values = [row.get(one.metric, one.worst) for _, row in sorted(head.items())]
        return _line(one, group, decide(values, one.rule(fail_error)), values, ())
    pairs = [
        (head[i].get(one.metric), (base or {})[i].get(one.metric)) for i in sorted(head.keys() & (base or {}).keys())
    ]
    values, bases = _transformed(one, [pair for pair in pairs if pair != (None, None)])
    if one.relation == "difference" and allowance:
        known = [abs(value) for value in bases if math.isfinite(value)]
        allowance = math.expm1(allowance) * float(np.mean(known)) if known else math.inf
    if any(math.isnan(value) for value in (*values, *bases)):
        line = _line(one, group, decide((), one.rule(fail_error), ()), values, bases)
        return replace(
            line, reason=f"{one.metric} is negative; a ratio means nothing: use baseline + NUMBER", more=None
        )
    return _line(one, group, decide(values, one.rule(fail_error, allowance), bases), values, bases)


def overall(lines: Sequence[Line]) -> Verdict:
    """Return fail if a line fails, pass if there are lines and all pass, else inconclusive."""
    verdicts = {line.verdict for line in lines}
    return "fail" if "fail" in verdicts else "pass" if verdicts == {"pass"} else "inconclusive"


def _has(metric: str, group: Group, samples: Samples, base: Mapping[Group, Values]) -> bool:
    if known_metrics(group.record) is not None or group not in samples.reporting:
        return True
    others = (name for row in base.get(group, {}).values() for name in row)
    return metric in samples.metrics(group) or metric in others


def _unknown(one: Threshold, names: Sequence[str]) -> InputError:
    known = f"the metrics are {', '.join(names)}" if names else "the runs report no metric"
    return InputError(f"threshold {one.text}", f"{one.metric} is no metric of any run; {known}")


def _transformed(one: Threshold, pairs: Sequence[tuple[float | None, float | None]]) -> tuple[list[float], list[float]]:
    """Return the values of head and base, as logarithms for a ratio; NaN for that of a negative number."""
    values, bases = [], []
    for pair in pairs:
        value, base = (_transformed_value(one, each) for each in pair)
        if value == base and one.quantile is None:  # both 0, say; equal infinite numbers have no difference
            value = base = 0.0 if math.isinf(value) else value
        values.append(value)
        bases.append(base)
    return values, bases


def _transformed_value(one: Threshold, value: float | None) -> float:
    if value is None:
        return one.worst
    if one.relation == "difference":
        return value
    return math.log(value) if value > 0 else -math.inf if value == 0 else math.nan


def _line(one: Threshold, group: Group, found: Decision, values: Sequence[float], bases: Sequence[float]) -> Line:
    show = _exp if one.relation == "ratio" else float
    numbers = show(found.value), show(found.low), show(found.high)
    verdict: Verdict = "inconclusive" if found.outcome == "undecided" else found.outcome
    count = len(values)
    look = next_look(count)
    infinite = sum(map(math.isinf, (*values, *bases)))
    is_hopeless = one.quantile is None and 0 < infinite < count / 2  # it cannot pass, and the others may be good
    more = None if verdict != "inconclusive" or look is None or is_hopeless else look - count
    reason = _reason(one, found, infinite) if verdict == "inconclusive" else ""
    return Line(one.text, group.label, one.relation, *numbers, one.bound, found.n, verdict, reason, more)


def _reason(one: Threshold, found: Decision, infinite: int) -> str:
    if found.n == 0:
        return "no values"
    if infinite and one.relation == "ratio":
        return f"{one.metric} is 0 or missing in {infinite} runs, which no mean of ratios holds; use baseline + NUMBER"
    if infinite and one.quantile is None:
        return f"{infinite} runs came to no value, which no mean holds; use p50, which takes them as the worst"
    if math.isinf(found.low) or math.isinf(found.high):
        return "too few values"
    return "the bound is within the interval"


def _exp(number: float) -> float:
    return math.exp(number) if number < 700 else math.inf
