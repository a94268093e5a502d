"""The summary of runs in plain words, computed from groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from mmwemu.core.figure import RAT_LABELS
from mmwemu.report.effects import effects
from mmwemu.report.page.document import Sentence
from mmwemu.report.page.groups import CaseGroup
from mmwemu.report.statistics import Average, Estimate
from mmwemu.report.summary import number
from mmwemu.report.view import Metric

_SAID_AS_TIMES = 2.0
_NAMED = 3
_5G, _4G = RAT_LABELS["mmwave"], RAT_LABELS["lte"]
_T = TypeVar("_T")
_Outcome = Literal["higher", "lower", "same", "few", "none"]


def sentences(metric: Metric, groups: Sequence[CaseGroup], average: Average) -> list[Sentence]:
    """Return a sentence for each case: 5G over 4G where there are such pairs, else what each case shows alone."""
    pairs = _split(_pairs(metric, groups), lambda pair: pair.over.case)
    if pairs:
        return [_of_pairs(metric, same) for same in pairs]
    alone = [each for each in groups if each.values(metric.column)]
    return [_of_groups(metric, same, average) for same in _split(alone, lambda each: (each.case, each.series))]


@dataclass(frozen=True)
class _Pair:
    """A group over mmWave, the same over LTE, and the ratio of their averages."""

    over: CaseGroup
    under: CaseGroup
    ratio: Estimate
    paired: bool

    @property
    def outcome(self) -> _Outcome:
        if self.ratio.value != self.ratio.value:
            return "none"
        if not self.ratio.has_interval:
            return "few"
        return "higher" if self.ratio.low > 1 else "lower" if self.ratio.high < 1 else "same"

    @property
    def is_cpu_bound(self) -> bool:
        return self.over.group.is_cpu_bound or self.under.group.is_cpu_bound


def _pairs(metric: Metric, groups: Sequence[CaseGroup]) -> Iterator[_Pair]:
    by_keys = {tuple(each.group.keys.values()): each for each in groups}
    for effect in effects([each.group for each in groups], [metric.column]):
        keys = {"pattern": effect.mmwave, "rat": "mmwave", **effect.keys}
        over = by_keys[tuple(keys.values())]
        under = by_keys[tuple({**keys, "pattern": effect.lte, "rat": "lte"}.values())]
        yield _Pair(over, under, effect.ratio, effect.paired)


def _split(items: Iterable[_T], key: Callable[[_T], object]) -> list[list[_T]]:
    """Return the items in lists of the same key, in the order in which keys occur first."""
    found: dict[object, list[_T]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return list(found.values())


def _of_pairs(metric: Metric, pairs: Sequence[_Pair]) -> Sentence:
    each = tuple(_compared(metric, pair) for pair in pairs)
    if len(pairs) == 1:
        return Sentence(each[0])
    split = _split(pairs, lambda pair: pair.outcome)
    clauses = [_clause(metric, same, len(pairs)) for same in sorted(split, key=len, reverse=True)]
    bound = sum(pair.is_cpu_bound for pair in pairs)
    notes = f" (mostly CPU-bound in {bound})" if bound else ""
    return Sentence(f"{_opening(pairs[0].over)}{metric.name} over {_5G} was {'; '.join(clauses)}{notes}.", each)


def _clause(metric: Metric, pairs: Sequence[_Pair], total: int) -> str:
    """Return what the pairs of one outcome have in common, as the end of a sentence about 5G."""
    outcome = pairs[0].outcome
    whole = "both" if total == 2 else f"all {total}"
    count = f"in {whole} patterns" if len(pairs) == total else f"in {len(pairs)} of {total} patterns"
    names = ", ".join(pair.over.place for pair in pairs)
    where = f" ({names})" if len(pairs) <= _NAMED and len(pairs) < total else ""
    if outcome == "none":
        return f"without a ratio {count}{where}, since a value is 0"
    least, most = (end(pairs, key=lambda pair: pair.ratio.value) for end in (min, max))
    times = f"{number(least.ratio.value, 2)} times"
    if times == f"{number(most.ratio.value, 2)} times":
        times += where
    else:
        times = f"{_times(least)} to {_times(most)}"
    if outcome == "few":
        return f"{times} that over {_4G} {count}, of too few runs for an interval"
    if outcome == "same":
        return f"no different from that over {_4G} {count}{where}"
    return f"{outcome}{_judged(metric, outcome)} than over {_4G} {count}: {times}"


def _times(pair: _Pair) -> str:
    return f"{number(pair.ratio.value, 2)} times ({pair.over.place})"


def _compared(metric: Metric, pair: _Pair) -> str:
    over, under, ratio = pair.over, pair.under, pair.ratio
    shown = " against ".join(metric.show(each.group.metrics[metric.column].value) for each in (over, under))
    shown = shown.replace(f" {metric.unit} against", " against") if metric.unit else shown
    runs = f"{ratio.n} {'pairs of runs' if pair.paired else 'runs of each'}" if ratio.n > 1 else "one run of each"
    if pair.is_cpu_bound:
        runs += ", mostly CPU-bound"
    where = _where(over)
    if pair.outcome == "none":
        return f"{where}: {metric.name} {shown} over {_5G} and {_4G} ({runs}; no ratio, since a value is 0)."
    if pair.outcome == "few":
        times = f"{metric.name} over {_5G} was {number(ratio.value, 2)} times that over {_4G}"
        return f"{where}: {times}: {shown} ({runs}; too few for an interval)."
    spread = f"95 % interval {number(ratio.low, 2)} - {number(ratio.high, 2)} times, {runs}"
    if pair.outcome == "same":
        words = f"{metric.name} shows no difference between {_5G} and {_4G}"
        return f"{where}: {words}: {shown}, ratio {number(ratio.value, 2)} ({spread})."
    return f"{where}: {metric.name} was {_verdict(metric, ratio.value)} over {_4G}: {shown} ({spread})."


def _verdict(metric: Metric, ratio: float) -> str:
    """Return by how much it was above or below over 5G, and whether that is better, up to the words over 4G."""
    direction: _Outcome = "higher" if ratio >= 1 else "lower"
    judged = _judged(metric, direction)
    if ratio >= _SAID_AS_TIMES:
        return f"{number(ratio, 1)} times as high{judged} over {_5G} as"
    return f"{abs(ratio - 1) * 100:.0f} % {direction}{judged} over {_5G} than"


def _judged(metric: Metric, direction: _Outcome) -> str:
    return "" if not metric.better else " (better)" if metric.better == direction else " (worse)"


def _of_groups(metric: Metric, groups: Sequence[CaseGroup], average: Average) -> Sentence:
    each = tuple(_alone(metric, group, average) for group in groups)
    if len(groups) == 1:
        return Sentence(each[0])
    values = [group.group.metrics[metric.column].value for group in groups]
    least, most = (groups[values.index(end(values))] for end in (min, max))
    spread = f"{metric.show(min(values))} ({least.place}) to {metric.show(max(values))} ({most.place})"
    over = f" over {least.series}" if least.series in RAT_LABELS.values() else ""
    bound = sum(group.group.is_cpu_bound for group in groups)
    notes = f"; mostly CPU-bound in {bound}" if bound else ""
    text = f"{_opening(least)}{metric.name} {spread}{over} in {len(groups)} patterns ({average}s{notes})."
    return Sentence(text, each)


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


def _opening(each: CaseGroup) -> str:
    return f"{each.case}: " if each.case else ""
