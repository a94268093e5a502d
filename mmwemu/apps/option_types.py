"""Command-line option types: sizes, rates and time spans."""

from __future__ import annotations

import re
from typing import Any

import click

from mmwemu.core.units import parse_rate, parse_size


class Size(click.ParamType[int]):
    """A file size such as 20MB."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return bytes."""
        return value if isinstance(value, int) else parse_size(str(value))


class Rate(click.ParamType[float]):
    """A rate such as 50Mbit/s."""

    name = "rate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return bit/s."""
        return value if isinstance(value, float) else parse_rate(str(value))


class Span(click.ParamType[tuple[float, float]]):
    """Two times such as 0-20."""

    name = "from-to"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, float]:
        """Return both times, s."""
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)-([0-9]+(?:\.[0-9]+)?)", str(value))
        if match is None:
            self.fail(f"{value!r} is not a pair of times; write them in s, such as 0-20", param, ctx)
        return float(match[1]), float(match[2])
