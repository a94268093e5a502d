"""Strict reader of TOML tables, which refuses every key that the caller did not ask for."""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mmwemu.core.errors import InputError


def read_text(path: Path) -> str:
    """Read a text file.

    Raises
    ------
    InputError
        If it is missing, unreadable or not UTF-8 text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(str(path), "is not a text file (UTF-8)") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}") from None


class Table:
    """One TOML table being read; ``where`` names it in errors."""

    def __init__(self, where: str, values: Mapping[str, Any], prefix: str = "") -> None:
        self._where = where
        self._values = values
        self._prefix = prefix
        self._known: list[str] = []

    @classmethod
    def parse(cls, where: str, text: str) -> Table:
        """Parse a TOML document."""
        try:
            return cls(where, tomllib.loads(text))
        except tomllib.TOMLDecodeError as error:
            raise InputError(where, f"is not valid TOML: {error}") from None

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def refuse(self, key: str, problem: str) -> InputError:
        """Return the error for one key."""
        return InputError(f"{self._where}: {self._prefix}{key}", problem)

    def get(self, key: str, default: Any = None) -> Any:
        """Return a raw value; a key without default is required."""
        self._known.append(key)
        if key in self._values:
            return self._values[key]
        if default is None:
            raise self.refuse(key, "is missing; it is required")
        return default

    def number(
        self, key: str, default: float | None = None, *, above: float = -math.inf, least: float = -math.inf
    ) -> float:
        """Return a finite number, greater than ``above`` and at least ``least``."""
        return self._number(key, self.get(key, default), above, least)

    def _number(self, key: str, value: object, above: float = -math.inf, least: float = -math.inf) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.refuse(key, f"is {value!r}; must be a number")
        if not math.isfinite(value):
            raise self.refuse(key, f"is {value}; must be a finite number")
        if value <= above or value < least:
            rule = f"above {above:g}" if value <= above else f"at least {least:g}"
            raise self.refuse(key, f"is {value:g}; must be {rule}")
        return float(value)

    def integer(self, key: str, default: int | None = None, *, least: int = 1) -> int:
        """Return a whole number of at least ``least``."""
        value = self.number(key, default, least=least)
        if value != int(value):
            raise self.refuse(key, f"is {value:g}; must be a whole number")
        return int(value)

    def numbers(self, key: str, count: int, default: Sequence[float] | None = None) -> tuple[float, ...]:
        """Return a list of ``count`` finite numbers."""
        value = self.get(key, default)
        if not isinstance(value, (list, tuple)) or len(value) != count:
            raise self.refuse(key, f"is {value!r}; must be a list of {count} numbers")
        return tuple(self._number(f"{key}[{i}]", item) for i, item in enumerate(value))

    def text(self, key: str, default: str | None = None, *, choices: Sequence[str] = ()) -> str:
        """Return a string, one of ``choices`` if there are any."""
        value = self.get(key, default)
        if not isinstance(value, str):
            raise self.refuse(key, f"is {value!r}; must be a string")
        if choices and value not in choices:
            raise self.refuse(key, f"is {value!r}; must be one of {', '.join(choices)}")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        self._known.append(key)
        value = self._values.get(key, default)
        if not isinstance(value, bool):
            raise self.refuse(key, f"is {value!r}; must be true or false")
        return value

    def table(self, key: str, *, required: bool = False) -> Table:
        """Return a table within this one, empty if it is absent."""
        value = self.get(key, None if required else {})
        if not isinstance(value, dict):
            raise self.refuse(key, "must be a table")
        return Table(self._where, value, f"{self._prefix}{key}.")

    def tables(self, key: str) -> list[Table]:
        """Return an array of tables, empty if it is absent."""
        value = self.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.refuse(key, f"must be an array of tables: [[{self._prefix}{key}]]")
        return [Table(self._where, item, f"{self._prefix}{key}[{i}].") for i, item in enumerate(value)]

    def format(self, newest: int = 1) -> int:
        """Return the format version, and refuse one newer than ``newest``."""
        version = self.integer("format")
        if version > newest:
            raise self.refuse("format", f"is {version}; this mmwemu reads up to {newest}: install a newer mmwemu")
        return version

    def finish(self, also_known: Sequence[str] = ()) -> None:
        """Refuse all keys that were not asked for.

        Parameters
        ----------
        also_known
            Further valid keys for the hint.

        Raises
        ------
        InputError
            With the first unknown key and the most similar known one.
        """
        for key in self._values:
            if key not in self._known:
                known = sorted({*self._known, *also_known})
                close = difflib.get_close_matches(key, known, 1)
                hint = f"did you mean {close[0]}?" if close else f"known here: {', '.join(known)}"
                raise self.refuse(key, f"is not a known key; {hint}")
