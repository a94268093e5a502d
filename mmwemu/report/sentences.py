"""The summary of runs in plain words, computed from groups."""

from __future__ import annotations

from collections.abc import Sequence

from mmwemu.core.figure import RAT_LABELS
from mmwemu.report.effects import effects
from mmwemu.report.page.groups import CaseGroup
from mmwemu.report.statistics import Average, Estimate
from mmwemu.report.summary import number
from mmwemu.report.view import Metric

_5G, _4G = RAT_LABELS["mmwave"], RAT_LABELS["lte"]


def sentences(metric: Metric, groups: Sequence[CaseGroup], average: Average) -> list[str]:
    """Return a sentence for each pair of groups that differ by the radio access technology, else for each group."""
    by_keys = {tuple(each.group.keys.values()): each for each in groups}
    found = []
    for effect in effects([each.group for each in groups], [metric.column]):
        keys = {"pattern": effect.mmwave, "rat": "mmwave", **effect.keys}
        over = by_keys[tuple(keys.values())]
        under = by_keys[tuple({**keys, "pattern": effect.lte, "rat": "lte"}.values())]
        found.append(_compared(metric, over, under, effect.ratio, paired=effect.paired))
    return found or [_alone(metric, each, average) for each in groups if each.values(metric.column)]


def _compared(metric: Metric, over: CaseGroup, under: CaseGroup, ratio: Estimate, *, paired: bool) -> str:
    values = [each.group.metrics[metric.column].value * metric.scale for each in (over, under)]
    shown = " against ".join(_short(value) for value in values) + (f" {metric.unit}" if metric.unit else "")
    runs = f"{ratio.n} {'pairs of runs' if paired else 'runs of each'}" if ratio.n > 1 else "one run of each"
    head = f"{_where(over)}: {metric.name} "
    if ratio.value != ratio.value:
        return f"{head}{shown} over {_5G} and {_4G} ({runs}; no ratio, since a value is 0)."
    if not ratio.has_interval:
        times = f"{number(ratio.value, 2)} times that of {_4G} over {_5G}"
        return f"{head}was {times}: {shown} ({runs}, too few for an interval)."
    spread = f"95 % interval {number(ratio.low, 2)} - {number(ratio.high, 2)} times, {runs}"
    if ratio.low <= 1 <= ratio.high:
        return f"{head}shows no difference between {_5G} and {_4G}: {shown}, ratio {number(ratio.value, 2)} ({spread})."
    return f"{head}was {_verdict(metric, ratio.value)} over {_5G} than over {_4G}: {shown} ({spread})."


def _verdict(metric: Metric, ratio: float) -> str:
    """Return by how much one is above or below the other, and whether that is better."""
    if ratio >= 1:
        words = f"{number(ratio, 1)} times as high" if ratio >= 2 else f"{(ratio - 1) * 100:.0f} % higher"
    else:
        words = f"{(1 - ratio) * 100:.0f} % lower"
    direction = "higher" if ratio >= 1 else "lower"
    judged = "" if not metric.better else " (better)" if metric.better == direction else " (worse)"
    return words + judged


def _alone(metric: Metric, each: CaseGroup, average: Average) -> str:
    estimate = each.group.metrics[metric.column]
    value = f"{_short(estimate.value * metric.scale)} {metric.unit}".strip()
    of = f"{average} of {estimate.n} runs" if estimate.n > 1 else "one run"
    spread = ""
    if estimate.has_interval:
        spread = f", 95 % interval {_short(estimate.low * metric.scale)} - {_short(estimate.high * metric.scale)}"
    series = each.series if each.series in RAT_LABELS.values() else each.place
    return f"{_where(each)}: {metric.name} {value} over {series} ({of}{spread})."


def _where(each: CaseGroup) -> str:
    return f"{each.place}, {each.case}" if each.case else each.place


def _short(value: float) -> str:
    return "-" if value != value else f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
