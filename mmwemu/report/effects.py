"""The effect of the radio access technology: a metric over mmWave against the same over LTE."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from mmwemu.core.units import format_size
from mmwemu.report.statistics import Average, Estimate, ratio
from mmwemu.report.summary import Group, Table, number

_RATS = ("mmwave", "lte")


@dataclass(frozen=True)
class Effect:
    """Ratio of the averages of a metric over two patterns, mmWave over LTE.

    Attributes
    ----------
    mmwave, lte
        Names of the patterns.
    keys
        What else the runs of both have in common, by name.
    metric, average
        Name of the metric, and which average.
    ratio
        The ratio with its interval; NaN where a value of LTE is not above 0.
    paired
        Whether runs are compared that had the same start and repetition.
    """

    mmwave: str
    lte: str
    keys: Mapping[str, Any]
    metric: str
    average: Average
    ratio: Estimate
    paired: bool

    def to_json(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        return asdict(self)


def effects(groups: Sequence[Group], metrics: Sequence[str]) -> list[Effect]:
    """Return the effect on each metric for each pair of groups that differ by the radio access technology alone.

    Patterns belong together if their names are equal without the technology's, as in s1-long-nlos.mmwave and
    s1-long-nlos.lte, or if there is one of each technology.
    """
    found = []
    for mmwave, lte in _pairs(groups):
        keys = {name: value for name, value in mmwave.keys.items() if name not in ("pattern", "rat")}
        names = str(mmwave.keys["pattern"]), str(lte.keys["pattern"])
        for metric in metrics:
            over, under, paired = _matched(mmwave, lte, metric)
            if over and under:
                estimate = ratio(over, under, paired=paired, of=mmwave.average)
                found.append(Effect(*names, keys, metric, mmwave.average, estimate, paired))
    return found


def effect_table(found: Sequence[Effect], label: Mapping[str, str]) -> list[Table]:
    """Return the printed table of the effects on the metrics that ``label`` names for people; none without any."""
    shown = [each for each in found if each.metric in label]
    varied = [name for name in (shown[0].keys if shown else ()) if len({each.keys[name] for each in shown}) > 1]
    rows = []
    for each in shown:
        spread = f"{each.ratio.low:.2f} - {each.ratio.high:.2f}" if each.ratio.has_interval else "-"
        runs = f"{each.ratio.n} {'pairs' if each.paired else 'of each'}"
        what = ", ".join([f"{each.mmwave} / {each.lte}", *(_word(name, each.keys[name]) for name in varied)])
        rows.append((what, label[each.metric], number(each.ratio.value, 2), spread, runs))
    return [Table(("mmWave / LTE", "metric", "ratio", "95 % interval", "runs"), rows, (2, 3, 4))] if rows else []


def _word(name: str, value: Any) -> str:
    return f"from {value:g} s" if name == "start_at_s" else format_size(value) if name == "size_bytes" else str(value)


def _pairs(groups: Sequence[Group]) -> Iterator[tuple[Group, Group]]:
    one_of_each = all(len({g.keys["pattern"] for g in groups if g.keys["rat"] == rat}) == 1 for rat in _RATS)
    by_place: dict[tuple[Any, ...], dict[str, Group]] = {}
    for group in groups:
        rat = group.keys["rat"]
        if rat in _RATS:
            scenario = "" if one_of_each else str(group.keys["pattern"]).replace(rat, "")
            others = tuple(value for name, value in group.keys.items() if name not in ("pattern", "rat"))
            by_place.setdefault((scenario, *others), {})[rat] = group
    for place in by_place.values():
        if len(place) == len(_RATS):
            yield place["mmwave"], place["lte"]


def _matched(mmwave: Group, lte: Group, metric: str) -> tuple[tuple[float, ...], tuple[float, ...], bool]:
    """Return the values of both, and whether value i of one belongs to value i of the other."""
    over, under = mmwave.samples[metric], lte.samples[metric]
    if over.index.is_unique and under.index.is_unique:
        both = over.index.intersection(under.index)
        if len(both):
            return tuple(over.loc[both]), tuple(under.loc[both]), True
    return tuple(over), tuple(under), False
