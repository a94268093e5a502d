"""Tables of the module: a header with names, then values between blanks or tabs; plain or gzipped."""

from __future__ import annotations

import gzip
import math
import sys
import zlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import numpy as np

from mmwemu.core.bounds import MOST_BINS, MOST_LINE
from mmwemu.core.errors import InputError
from mmwemu.core.text import shown
from mmwemu.trace.model import Floats

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Table:
    """Columns of a table by name in lower case: words [n], and numbers [n], which may be infinite or NaN."""

    words: dict[str, list[str]]
    numbers: dict[str, Floats]


@dataclass(frozen=True)
class Form:
    """The columns that are read, by name in lower case; a table may have others, and any order.

    Attributes
    ----------
    words, numbers
        Columns that each table of this form has.
    optional
        Further columns of numbers.
    unnamed
        The column for which the header of some versions has no name; it is the first.
    """

    words: Sequence[str] = ()
    numbers: Sequence[str] = ()
    optional: Sequence[str] = ()
    unnamed: str = ""


def read(path: Path, form: Form) -> Table:
    """Read a table.

    Raises
    ------
    InputError
        With the line, if the file cannot be read, is cut off, lacks a column, or has a row with too few or too many
        values or one that is no number.
    """
    with _lines(path) as lines:
        places = _places(path, next(lines, ""), form)
        words: dict[str, list[str]] = {name: [] for name in form.words}
        numbers = {name: array("d") for name in places.where if name not in words}
        parsers: list[tuple[int, Callable[[str], None]]] = [
            (places.where[name], lambda cell, to=to: to.append(sys.intern(cell)))  # type: ignore[misc]
            for name, to in words.items()
        ]
        parsers += [
            (places.where[name], lambda cell, to=to: to.append(float(cell)))  # type: ignore[misc]
            for name, to in numbers.items()
        ]
        for number, line in enumerate(lines, 2):
            cells = line.split()
            if not cells:
                continue
            if len(cells) != places.count:
                cut = "" if line.endswith("\n") else "; the file is cut off there"
                raise InputError(
                    f"{path}: line {number}", f"has {len(cells)} values, the header {places.count} names{cut}"
                )
            if number > MOST_BINS:
                raise InputError(str(path), f"has more than {MOST_BINS} rows")
            try:
                for at, parse in parsers:
                    parse(cells[at])
            except ValueError:
                raise InputError(f"{path}: line {number}", f"has {shown(cells[at])} where a number is due") from None
            if "_" in line:  # float() takes 1_0 for 10
                raise InputError(f"{path}: line {number}", "has an underscore in a value")
    return Table(words, {name: np.array(values, dtype=np.float64) for name, values in numbers.items()})


def check_range(path: Path, name: str, values: Floats, least: float, most: float) -> None:
    """Refuse numbers beyond a range, and NaN.

    Raises
    ------
    InputError
        With the first such number.
    """
    bad = np.flatnonzero(~((values >= least) & (values <= most)))
    if bad.size:
        rule = f"must be from {least:g} to {most:g}" if math.isfinite(most) else f"must be at least {least:g}"
        raise InputError(f"{path}: {name}", f"is {values[bad[0]]:g} in row {bad[0] + 1}; {rule}")


@dataclass(frozen=True)
class _Places:
    where: dict[str, int]
    count: int


def _places(path: Path, header: str, form: Form) -> _Places:
    names = [name.lower() for name in header.split()]
    if form.unnamed and form.unnamed not in names and header[:1].isspace():
        names.insert(0, form.unnamed)
    needed = [*form.words, *form.numbers]
    missing = [name for name in needed if name not in names]
    if missing:
        raise InputError(str(path), f"has no column {missing[0]} in its header; needed are {', '.join(needed)}")
    double = [name for name in (*needed, *form.optional) if names.count(name) > 1]
    if double:
        raise InputError(str(path), f"has two columns {double[0]}")
    return _Places({name: names.index(name) for name in (*needed, *form.optional) if name in names}, len(names))


@contextmanager
def _lines(path: Path) -> Iterator[Iterator[str]]:
    """Yield the lines of a text file; what goes wrong while they are read is refused in one line."""
    try:
        with path.open("rb") as raw:
            packed = raw.peek(2)[:2] == _GZIP
            with cast("IO[bytes]", gzip.open(raw) if packed else raw) as file:
                yield _decoded(path, file)
    except UnicodeDecodeError:
        raise InputError(str(path), "is not a text file") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(str(path), "is cut off or no gzip file") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise InputError(str(path), "cannot be the name of a file") from None


def _decoded(path: Path, file: IO[bytes]) -> Iterator[str]:
    number = 0
    while raw := file.readline(MOST_LINE + 1):
        number += 1
        if len(raw) > MOST_LINE:
            raise InputError(f"{path}: line {number}", f"is longer than {MOST_LINE} characters")
        yield raw.decode("ascii").removeprefix("\ufeff")
