"""The interface of a conversion method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.errors import InputError
from mmwemu.core.text import digits
from mmwemu.pattern.conversion.series import Series, Source
from mmwemu.pattern.model import Floats
from mmwemu.trace.model import Trace


class Steps(NamedTuple):
    """The steps of one direction.

    Attributes
    ----------
    starts
        Index of the first bin of each step [n_step], strictly rising from 0.
    rate_bps
        Rate of each step [n_step], bit/s, in the unit of the series.
    """

    starts: NDArray[np.intp]
    rate_bps: Floats


@dataclass(frozen=True)
class Parameter:
    """What a parameter of a method is: a line of help, the unit that follows its numbers, and its bounds."""

    help: str
    unit: str
    least: float
    most: float


def parameter(default: float, help: str, unit: str, least: float, most: float) -> Any:
    """Return the dataclass field of a method's parameter, which ``mmwemu pattern build`` offers as an option."""
    return field(default=default, metadata={"parameter": Parameter(help, unit, least, most)})


@dataclass(frozen=True)
class Method(ABC):
    """A way to cut a trace into steps.

    A method is a frozen dataclass whose fields are made by `parameter`. Attributes of the class:

    Attributes
    ----------
    name, help
        Its name and what it does, in one line.
    source
        The only column that it takes; None for any.
    keeps_equal
        Whether neighbouring steps of equal rate stay apart.

    Raises
    ------
    InputError
        If a parameter is beyond its bounds.
    """

    name: ClassVar[str]
    help: ClassVar[str]
    source: ClassVar[Source | None] = None
    keeps_equal: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name, rule in self.parameters().items():
            value = getattr(self, name)
            if not rule.least <= value <= rule.most:
                limits = f"from {digits(rule.least)} to {digits(rule.most)} {rule.unit}".rstrip()
                raise InputError(name, f"is {digits(value)}; must be {limits}")

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """Return the parameters by name."""
        return {one.name: one.metadata["parameter"] for one in fields(cls)}

    def values(self) -> dict[str, float]:
        """Return the parameters' values by name, for the head of a pattern."""
        return {name: getattr(self, name) for name in self.parameters()}

    @abstractmethod
    def steps(self, trace: Trace, series: Series) -> Steps:
        """Return the steps of one direction.

        Parameters
        ----------
        trace
            The trace.
        series
            The rate of the direction, one value a bin.

        Raises
        ------
        InputError
            If the trace lacks values that the method needs.
        """
