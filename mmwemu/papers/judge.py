"""Claims held against what was found: pure functions over tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mmwemu.core.errors import InputError
from mmwemu.papers.claims import Claim, Source, Where
from mmwemu.report.claims import Verdict
from mmwemu.report.statistics import Estimate, average_or_range, ratio, share, with_range

if TYPE_CHECKING:
    import pandas as pd

Tables = Mapping[Source, "pd.DataFrame"]

_PHASE = ("start_at_s", "repetition", "seed")


@dataclass(frozen=True)
class Finding:
    """What was found of a claim, or of one of its instances.

    Attributes
    ----------
    of
        The instance in words; empty for a claim without.
    estimate
        The average, ratio or share, with its interval; below `mmwemu.report.statistics.LEAST` values of an average or
        ratio the smallest and the largest of them.
    verdict
        ``found``: all of the interval lies within the claim's bounds; ``differs``: none of it; ``cannot be judged``:
        some of it, or there is no value.
    why
        What there is to say about the verdict.
    """

    of: str
    estimate: Estimate
    verdict: Verdict
    why: str = ""


@dataclass(frozen=True)
class Judged:
    """A claim with its findings, one for each instance, and the verdict over all."""

    claim: Claim
    findings: tuple[Finding, ...]
    verdict: Verdict
    why: str

    def to_json(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        return asdict(self)


def judge(claims: Sequence[Claim], tables: Tables, missing: str = "was not measured here") -> list[Judged]:
    """Hold claims against tables.

    Runs that failed or whose link was not valid are left out, and counted in the reason; ``missing`` is the reason
    where there is no value.

    Raises
    ------
    InputError
        If a claim names a column that its table does not have, though the table has rows.
    """
    return [_judge(claim, tables[claim.of], missing) for claim in claims]


def _judge(claim: Claim, table: pd.DataFrame, missing: str) -> Judged:
    for column in (claim.quantity, *claim.where, *claim.over, *claim.each):
        if column not in table and len(table):
            known = ", ".join(map(str, table))
            raise InputError(f"claim {claim.name}: {column}", f"is no column of {claim.of}; there are: {known}")
    findings = tuple(_find(claim, name, where, table, missing) for name, where in claim.instances)
    verdict = _overall(claim, [finding.verdict for finding in findings])
    return Judged(claim, findings, verdict, _why(claim, verdict, findings))


def _overall(claim: Claim, verdicts: Sequence[Verdict]) -> Verdict:
    needed = len(verdicts) if claim.needed is None else claim.needed
    if verdicts.count("found") >= needed:
        return "found"
    return "differs" if len(verdicts) - verdicts.count("differs") < needed else "cannot be judged"


def _why(claim: Claim, verdict: Verdict, findings: Sequence[Finding]) -> str:
    if len(findings) == 1:
        words = [findings[0].why]
    else:
        counts = {word: sum(one.verdict == word for one in findings) for word in ("found", "differs")}
        words = [f"{counts['found']} of {len(findings)} found, {counts['differs']} differ"]
        words += sorted({one.why for one in findings if one.verdict == "cannot be judged" and one.why})
    return "; ".join(word for word in [*words, claim.remark if verdict != "found" else ""] if word)


def _find(claim: Claim, name: str, where: Where, table: pd.DataFrame, missing: str) -> Finding:
    values, doubts = _sample(claim, where, table)
    base, more = _sample(claim, {**where, **claim.over}, table) if claim.over else (None, [])
    doubts += [doubt for doubt in more if doubt not in doubts]
    if not len(values) or (base is not None and not len(base)):
        nothing = Estimate(math.nan, math.nan, math.nan, 0)
        return Finding(name, nothing, "cannot be judged", "; ".join(doubts) or missing)
    estimate = _estimate(claim, values, base)
    verdict = _verdict(claim, estimate)
    few = [f"{estimate.n} values decide nothing: repeat more often"] if verdict == "cannot be judged" else []
    return Finding(name, estimate, verdict, "; ".join([*doubts, *few]))


def _sample(claim: Claim, where: Where, table: pd.DataFrame) -> tuple[pd.Series[float], list[str]]:
    """Return the values of the rows in question, by what pairs them with others, and what speaks against them."""
    import pandas as pd

    chosen = np.ones(len(table), dtype=bool)
    for column, values in where.items():
        chosen &= table[column].isin(values).to_numpy() if column in table else False
    rows = table[chosen]
    doubts = []
    if "valid" in rows and len(rows):
        good = rows[rows["valid"].astype(bool) & (rows["status"] != "failed")]
        if len(good) < len(rows):
            doubts.append(f"{len(rows) - len(good)} of {len(rows)} runs failed or had a link that was not valid")
        if 2 * good["cpu_bound"].sum() > len(good):
            doubts.append("most runs were CPU-bound")
        rows = good
    if not len(rows):
        return pd.Series(dtype=float), doubts
    numbers = pd.to_numeric(rows[claim.quantity], errors="coerce").astype(float)
    phase = [name for name in _PHASE if name in rows]
    known = numbers.notna()
    numbers = numbers[known].set_axis(pd.MultiIndex.from_frame(rows.loc[known, phase]))
    if claim.statistic == "share":
        within = [numbers.between(low, high) for low, high in claim.spans]
        numbers = np.logical_or.reduce(within) * pd.Series(1.0, numbers.index)
    return numbers, doubts


def _estimate(claim: Claim, values: pd.Series[float], base: pd.Series[float] | None) -> Estimate:
    of: Literal["mean", "median"] = "median" if claim.statistic == "median" else "mean"
    if base is None and claim.statistic == "share":
        return share(int(values.sum()), len(values))
    if base is None:
        return average_or_range(tuple(values), of)
    paired = False
    if values.index.is_unique and base.index.is_unique:
        both = values.index.intersection(base.index)
        if len(both):
            values, base, paired = values.loc[both], base.loc[both], True
    estimate = ratio(tuple(values), tuple(base), paired=paired, of=of)
    if estimate.has_interval or math.isnan(estimate.value):
        return estimate
    over = np.divide.outer(values.to_numpy(), base.to_numpy())
    return with_range(estimate, np.diagonal(over) if paired else over.ravel())


def _verdict(claim: Claim, estimate: Estimate) -> Verdict:
    if math.isnan(estimate.value):
        return "cannot be judged"
    if claim.low <= estimate.low and estimate.high <= claim.high:
        return "found"
    if estimate.high < claim.low or claim.high < estimate.low:
        return "differs"
    return "cannot be judged"
