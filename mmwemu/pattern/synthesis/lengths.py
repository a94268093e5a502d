"""Distributions of lengths of time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from mmwemu.core.bounds import LONGEST_S, SHORTEST_STEP_S
from mmwemu.core.errors import InputError
from mmwemu.core.text import shown
from mmwemu.core.units import NS_PER_S
from mmwemu.pattern.algebra.steps import Nanoseconds

Shape = Literal["fixed", "uniform", "exponential", "lognormal"]

FORMS = "fixed:S, uniform:LOW-HIGH, exponential:MEAN or lognormal:MEDIAN,SIGMA"
_NUMBER = r"([0-9]+\.?[0-9]*|\.[0-9]+)"
_TEXTS = {
    "fixed": re.compile(_NUMBER),
    "uniform": re.compile(f"{_NUMBER}-{_NUMBER}"),
    "exponential": re.compile(_NUMBER),
    "lognormal": re.compile(f"{_NUMBER},{_NUMBER}"),
}
_LARGEST_SIGMA = 10.0


@dataclass(frozen=True)
class Lengths:
    """A distribution of lengths of time.

    Attributes
    ----------
    shape
        ``fixed``, ``uniform``, ``exponential`` or ``lognormal``.
    values
        The length; the lowest and highest; the mean; or the median, s, and sigma, the standard deviation of the natural
        logarithm.

    Raises
    ------
    InputError
        If a length is not from 1 us to 30 days, a span falls, or sigma is above 10.
    """

    shape: Shape
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        lengths = self.values[:1] if self.shape == "lognormal" else self.values
        if not all(SHORTEST_STEP_S <= length <= LONGEST_S for length in lengths):
            raise InputError(str(self), f"has lengths that are not from {SHORTEST_STEP_S:g} to {LONGEST_S:.10g} s")
        if self.shape == "uniform" and self.values[0] > self.values[1]:
            raise InputError(str(self), "goes down; write the lower length first")
        if self.shape == "lognormal" and self.values[1] > _LARGEST_SIGMA:
            raise InputError(str(self), f"has a sigma above {_LARGEST_SIGMA:g}")

    def __str__(self) -> str:
        between = "-" if self.shape == "uniform" else ","
        return f"{self.shape}:{between.join(f'{value:.10g}' for value in self.values)}"

    def draw(self, count: int, random: np.random.Generator) -> Nanoseconds:
        """Draw independent lengths [count], ns, each at least 1 us and at most 30 days."""
        first, last = self.values[0], self.values[-1]
        match self.shape:
            case "fixed":
                draws_s = np.full(count, first)
            case "uniform":
                draws_s = random.uniform(first, last, count)
            case "exponential":
                draws_s = random.exponential(first, count)
            case "lognormal":
                draws_s = random.lognormal(np.log(first), last, count)
        bounded_s = np.clip(draws_s, SHORTEST_STEP_S, LONGEST_S)
        lengths: Nanoseconds = np.rint(bounded_s * NS_PER_S).astype(np.int64)
        return lengths


def parse(text: str) -> Lengths:
    """Return the distribution of a text such as ``exponential:0.5``; a number alone is fixed.

    Raises
    ------
    InputError
        If the text is none of `FORMS`, or breaks a rule of `Lengths`.
    """
    shape, _, values = text.strip().rpartition(":")
    shape = shape or "fixed"
    found = _TEXTS[shape].fullmatch(values) if shape in _TEXTS else None
    if found is None:
        raise InputError("length", f"is {shown(text)}; write {FORMS}, in s")
    return Lengths(cast(Shape, shape), tuple(map(float, found.groups())))
