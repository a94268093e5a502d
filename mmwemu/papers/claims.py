"""What a paper claims, as data; docs/formats/claims.md describes the file."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args

from mmwemu.core.errors import InputError
from mmwemu.core.tables import Table
from mmwemu.core.text import read_text, shown
from mmwemu.core.units import format_size

Source = Literal["runs", "cells", "transfers"]
Statistic = Literal["mean", "median", "share"]
Where = Mapping[str, tuple[Any, ...]]
"""Columns, and the values that the rows in question have there."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement of a paper about one quantity.

    Attributes
    ----------
    name
        Its name within the paper.
    source
        Section, page or figure.
    says
        What the paper says, in our words.
    of, quantity
        The table, and its column: ``runs`` has a row for each run of an application; ``cells`` one for each simulated
        cell, seed and state of the channel (`mmwemu.papers.cells`); ``transfers`` one for each file that was sent by a
        variant (`mmwemu.papers.transfers`).
    where
        Which rows.
    over
        If not empty: the statement is about the ratio of the average of those rows over that of these, which differ
        from ``where`` in these columns only.
    statistic
        ``mean`` or ``median`` of the values, or the ``share`` of those that lie in one of ``spans``.
    low, high
        Between which bounds the average, or ratio, lies if the claim is right; not finite where there is no bound.
    each
        Columns and values for which the claim is judged one by one.
    needed
        How many of those have to be found for the claim to be found; None for all.
    remark
        What is known about why it may differ.
    """

    name: str
    source: str
    says: str
    of: Source
    quantity: str
    where: Where = field(default_factory=dict)
    over: Where = field(default_factory=dict)
    statistic: Statistic = "mean"
    spans: tuple[tuple[float, float], ...] = ()
    low: float = -math.inf
    high: float = math.inf
    each: Where = field(default_factory=dict)
    needed: int | None = None
    remark: str = ""

    @property
    def instances(self) -> list[tuple[str, Where]]:
        """What is judged one by one: in words, and the rows."""
        products = itertools.product(*self.each.values())
        return [
            (
                ", ".join(map(_word, self.each, values)),
                {**self.where, **{k: (v,) for k, v in zip(self.each, values, strict=True)}},
            )
            for values in products
        ]


def _word(column: str, value: Any) -> str:
    return format_size(value) if column.endswith("_bytes") else str(value)


def read_claims(path: Path) -> list[Claim]:
    """Read the claims of a paper.

    Raises
    ------
    InputError
        If the file is malformed; the message names claim and key.
    """
    table = Table.parse(str(path), read_text(path))
    table.format()
    claims = [_claim(each) for each in table.tables("claim")]
    table.finish()
    if not claims:
        raise InputError(str(path), "has no [[claim]]")
    for i, claim in enumerate(claims):
        if claim.name in [other.name for other in claims[:i]]:
            raise InputError(str(path), f"has two claims named {claim.name}")
    return claims


def _claim(table: Table) -> Claim:
    low, high = _bounds(table)
    each = _where(table, "each")
    count = math.prod(len(values) for values in each.values())
    spans = _spans(table)
    statistic = table.text("statistic", "share" if spans else "mean", choices=get_args(Statistic))
    if (statistic == "share") != bool(spans):
        raise table.refuse("statistic", f"is {statistic}; a share needs spans, and nothing else has them")
    claim = Claim(
        name=table.name("name"),
        source=table.title("source"),
        says=table.title("says"),
        of=cast(Source, table.text("of", choices=get_args(Source))),
        quantity=table.text("quantity"),
        where=_where(table, "where"),
        over=_where(table, "over"),
        statistic=cast(Statistic, statistic),
        spans=spans,
        low=low,
        high=high,
        each=each,
        needed=table.integer("needed", most=count) if "needed" in table else None,
        remark=table.title("remark"),
    )
    table.finish(("at_least", "at_most", "between", "needed"))
    return claim


def _bounds(table: Table) -> tuple[float, float]:
    given = [key for key in ("between", "at_least", "at_most") if key in table]
    if len(given) != 1:
        raise table.refuse("between", "is needed, or one of at_least and at_most; not several")
    if "between" in table:
        low, high = table.numbers("between", 2)
        if low > high:
            raise table.refuse("between", "must rise")
        return low, high
    if "at_least" in table:
        return table.number("at_least"), math.inf
    return -math.inf, table.number("at_most")


def _spans(table: Table) -> tuple[tuple[float, float], ...]:
    values = table.get("spans", [])
    if not isinstance(values, list) or not all(_is_span(value) for value in values):
        raise table.refuse("spans", f"is {shown(values)}; must be a list of pairs of numbers that rise")
    return tuple((float(low), float(high)) for low, high in values)


def _is_span(value: object) -> bool:
    numbers = isinstance(value, list) and len(value) == 2 and all(isinstance(one, int | float) for one in value)
    return numbers and value[0] <= value[1]  # type: ignore[index]


def _where(table: Table, key: str) -> Where:
    found = {}
    for column, value in table.values(key).items():
        values = tuple(value) if isinstance(value, list) else (value,)
        if not values or not all(isinstance(one, str | int | float) for one in values):
            raise table.refuse(f"{key}.{column}", f"is {shown(value)}; must be a text, a number, or a list of them")
        found[column] = values
    return found
