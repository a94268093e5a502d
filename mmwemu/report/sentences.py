"""The summary of runs in plain words, computed from groups."""

from __future__ import annotations

from collections.abc import Sequence

from mmwemu.core.figure import RAT_LABELS
from mmwemu.report.effects import effects
from mmwemu.report.page.groups import CaseGroup
from mmwemu.report.statistics import Average, Estimate
from mmwemu.report.summary import number
from mmwemu.report.view import Metric

_SAID_AS_TIMES = 2.0
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
    shown = " against ".join(metric.show(each.group.metrics[metric.column].value) for each in (over, under))
    shown = shown.replace(f" {metric.unit} against", " against") if metric.unit else shown
    runs = f"{ratio.n} {'pairs of runs' if paired else 'runs of each'}" if ratio.n > 1 else "one run of each"
    if over.group.is_cpu_bound or under.group.is_cpu_bound:
        runs += ", mostly CPU-bound"
    where = _where(over)
    if ratio.value != ratio.value:
        return f"{where}: {metric.name} {shown} over {_5G} and {_4G} ({runs}; no ratio, since a value is 0)."
    if not ratio.has_interval:
        times = f"{metric.name} over {_5G} was {number(ratio.value, 2)} times that over {_4G}"
        return f"{where}: {times}: {shown} ({runs}; too few for an interval)."
    spread = f"95 % interval {number(ratio.low, 2)} - {number(ratio.high, 2)} times, {runs}"
    if ratio.low <= 1 <= ratio.high:
        words = f"{metric.name} shows no difference between {_5G} and {_4G}"
        return f"{where}: {words}: {shown}, ratio {number(ratio.value, 2)} ({spread})."
    return f"{where}: {metric.name} was {_verdict(metric, ratio.value)} over {_4G}: {shown} ({spread})."


def _verdict(metric: Metric, ratio: float) -> str:
    """Return by how much it was above or below over 5G, and whether that is better, up to the words over 4G."""
    direction = "higher" if ratio >= 1 else "lower"
    judged = "" if not metric.better else " (better)" if metric.better == direction else " (worse)"
    if ratio >= _SAID_AS_TIMES:
        return f"{number(ratio, 1)} times as high{judged} over {_5G} as"
    return f"{abs(ratio - 1) * 100:.0f} % {direction}{judged} over {_5G} than"


def _alone(metric: Metric, each: CaseGroup, average: Average) -> str:
    estimate = each.group.metrics[metric.column]
    value = metric.show(estimate.value)
    of = f"{average} of {estimate.n} runs" if estimate.n > 1 else "one run"
    spread = ""
    if estimate.has_interval:
        spread = f", 95 % interval {metric.show(estimate.low)} - {metric.show(estimate.high)}"
    spread += ", mostly CPU-bound" if each.group.is_cpu_bound else ""
    series = each.series if each.series in RAT_LABELS.values() else each.place
    return f"{_where(each)}: {metric.name} {value} over {series} ({of}{spread})."


def _where(each: CaseGroup) -> str:
    return f"{each.place}, {each.case}" if each.case else each.place
