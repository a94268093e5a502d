"""Types of command-line options: numbers within bounds and with their unit, sizes, rates, spans of time, paths."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from mmwemu.core.bounds import FARTHEST_M, LARGEST_SEED, LONGEST_S, MOST_SIMULATIONS
from mmwemu.core.errors import InputError
from mmwemu.core.names import check_path
from mmwemu.core.text import digits, shown
from mmwemu.core.units import parse_rate, parse_size

if TYPE_CHECKING:
    from mmwemu.pattern.synthesis.lengths import Lengths
    from mmwemu.scenario.model import Point, Rat

_Parsed = TypeVar("_Parsed")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)
_TIME_UNITS_S = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "": 1.0}
_WHOLE = re.compile(r"[+-]?[0-9]{1,40}")


class Number(click.ParamType[float]):
    """A finite number within bounds.

    Parameters
    ----------
    unit
        Its unit, as errors name it; empty for a share or a ratio.
    least, above
        The lowest number, or the one that it has to exceed.
    most
        The highest number.
    or_inf
        Whether ``inf`` stands for unlimited.
    """

    name = "number"

    def __init__(
        self, unit: str, *, least: float = 0.0, above: float | None = None, most: float, or_inf: bool = False
    ) -> None:
        self.unit = unit
        self.least = least
        self.above = above
        self.most = most
        self.or_inf = or_inf

    @property
    def rule(self) -> str:
        """The numbers that are accepted."""
        low = f"from {self.least:.10g}" if self.above is None else f"above {self.above:.10g}, up"
        unit = f" {self.unit}" if self.unit else ""
        return f"a number {low} to {self.most:.10g}{unit}{', or inf' if self.or_inf else ''}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number."""
        number = self._parse(value)
        low = number >= self.least if self.above is None else number > self.above
        if not (low and number <= self.most) and not (self.or_inf and number == math.inf):
            self.fail(f"{shown(value)} is not {self.rule}.", param, ctx)
        return number

    def _parse(self, value: Any) -> float:
        """Return a number; NaN for what is none."""
        text = str(value).strip()
        if text.lower() == "inf" and self.or_inf:
            return math.inf
        return float(text) if _NUMBER.fullmatch(text) else math.nan


class Seconds(Number):
    """A time of at most 30 days."""

    def __init__(self, *, least: float = 0.0, above: float | None = None) -> None:
        super().__init__("s", least=least, above=above, most=LONGEST_S)


class Whole(click.ParamType[int]):
    """A whole number from ``least`` to ``most`` of ``unit``."""

    name = "integer"

    def __init__(self, unit: str = "", *, least: int, most: int) -> None:
        self.unit = unit
        self.least = least
        self.most = most

    @property
    def rule(self) -> str:
        """The numbers that are accepted."""
        return f"a whole number from {self.least} to {self.most}{f' {self.unit}' if self.unit else ''}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number."""
        text = str(value).strip()
        if not _WHOLE.fullmatch(text) or not self.least <= int(text) <= self.most:
            self.fail(f"{shown(value)} is not {self.rule}.", param, ctx)
        return int(text)


SEED = Whole(least=0, most=LARGEST_SEED)
SIMULATION_SEED = Whole(least=1, most=2**31 - 1)


class Seeds(click.ParamType[tuple[int, ...]]):
    """Seeds of simulations such as 1-30 or 1,4,7-9, each once."""

    name = "seeds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Return the seeds in rising order."""
        if isinstance(value, tuple):
            return value
        spans = [re.fullmatch(r"([0-9]{1,10})(?:-([0-9]{1,10}))?", part) for part in str(value).split(",")]
        ends = [(int(span[1]), int(span[2] or span[1])) for span in spans if span is not None]
        counted = sum(high - low + 1 for low, high in ends)
        usable = all(SIMULATION_SEED.least <= low <= high <= SIMULATION_SEED.most for low, high in ends)
        if len(ends) < len(spans) or not usable or counted > MOST_SIMULATIONS:
            rule = f"seeds from {SIMULATION_SEED.least} to {SIMULATION_SEED.most}, at most {MOST_SIMULATIONS}"
            self.fail(f"{shown(value)} is not a list such as 1-30 or 1,4,7-9 of {rule}.", param, ctx)
        return tuple(sorted({seed for low, high in ends for seed in range(low, high + 1)}))


class Rats(click.ParamType[tuple["Rat", ...]]):
    """Radio access technologies such as mmwave or mmwave,lte, each once."""

    name = "rats"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Rat, ...]:
        """Return them in the order given."""
        if isinstance(value, tuple):
            return value
        found: dict[Rat, None] = {}
        for word in str(value).split(","):
            if word == "mmwave":
                found["mmwave"] = None
            elif word == "lte":
                found["lte"] = None
            else:
                self.fail(f"{shown(value)} is not one of mmwave, lte, or both with a comma between.", param, ctx)
        return tuple(found)


def _parsed(parse: Callable[[str], _Parsed], value: Any, param: click.Parameter | None) -> _Parsed:
    """Return what a text says; what is refused is named as the option is."""
    try:
        return parse(str(value))
    except InputError as error:
        raise InputError(param.opts[0].lstrip("-") if param else error.where, error.problem) from None


class Size(click.ParamType[int]):
    """A file size such as 20MB."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return bytes."""
        return value if isinstance(value, int) else _parsed(parse_size, value, param)


class Rate(click.ParamType[float]):
    """A rate such as 50Mbit/s."""

    name = "rate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return bit/s."""
        return value if isinstance(value, float) else _parsed(parse_rate, value, param)


class Span(click.ParamType[tuple[float, float]]):
    """Two times such as 0-20."""

    name = "from-to"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, float]:
        """Return both times, s."""
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)-([0-9]+(?:\.[0-9]+)?)", str(value))
        if match is None or not float(match[1]) <= float(match[2]) <= LONGEST_S:
            rule = f"two times in s that rise, the second at most {digits(LONGEST_S)}, such as 0-20"
            self.fail(f"{shown(value)} is not {rule}.", param, ctx)
        return float(match[1]), float(match[2])


class Duration(click.ParamType[float]):
    """A time such as 90s, 10m or 1h."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the time, s."""
        found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,6})?) ?(s|m|min|h|)", str(value).strip())
        if found is None or not 0 < (time_s := float(found[1]) * _TIME_UNITS_S[found[2]]) <= LONGEST_S:
            self.fail(f"{shown(value)} is not a time such as 90s, 10m or 1h, of at most 30 days.", param, ctx)
        return time_s


class Coordinates(click.ParamType[tuple[float, float, float]]):
    """A position such as 8.5,21,27."""

    name = "position"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Point:
        """Return x, y and z, m."""
        if isinstance(value, tuple):
            return value
        parts = str(value).split(",")
        numbers = [float(part) for part in parts if _NUMBER.fullmatch(part.strip())]
        if len(parts) != 3 or len(numbers) != 3 or not all(abs(number) <= FARTHEST_M for number in numbers):
            rule = f"three numbers x,y,z of at most {digits(FARTHEST_M)} m each, such as 8.5,21,27"
            self.fail(f"{shown(value)} is not {rule}.", param, ctx)
        return numbers[0], numbers[1], numbers[2]


class DrawnLength(click.ParamType["Lengths"]):
    """A distribution of lengths of time such as exponential:0.5."""

    name = "length"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Lengths:
        """Return the distribution."""
        from mmwemu.pattern.synthesis import lengths

        try:
            return lengths.parse(str(value))
        except InputError as error:
            self.fail(str(error), param, ctx)


class Several(click.ParamType[tuple[Any, ...]]):
    """Values of another type, separated by commas."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.name = f"{inner.name},..."

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """Return the metavar of the values."""
        one = self.inner.get_metavar(param, ctx) or self.inner.name.upper()
        return f"{one},..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Any, ...]:
        """Return the values."""
        return tuple(self.inner.convert(part, param, ctx) for part in str(value).split(","))


class FilePath(click.ParamType[Path]):
    """A file or folder, by a path that the system can take."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path."""
        return _path(self, str(value), param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        """Return a request for files."""
        return files(incomplete)


class FileOrName(click.ParamType[str]):
    """A file, or the name of something shipped."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text, which can be a path."""
        _path(self, str(value), param, ctx)
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        """Return a request for files."""
        return files(incomplete)


class Text(click.ParamType[str]):
    """A text for people, records and other programs, in Unicode."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text."""
        text = str(value)
        if "\0" in text or any("\ud800" <= one <= "\udfff" for one in text):
            self.fail(f"{shown(value)} is not a text in UTF-8.", param, ctx)
        return text


def _path(kind: click.ParamType[Any], text: str, param: click.Parameter | None, ctx: click.Context | None) -> Path:
    try:
        return check_path(text)
    except InputError as error:
        kind.fail(str(error), param, ctx)


def files(incomplete: str) -> list[CompletionItem[str]]:
    """Return what asks a shell to complete a word by names of files."""
    return [CompletionItem(incomplete, type="file")]
