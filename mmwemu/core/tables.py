"""Strict reader of TOML tables, which refuses every key that the caller did not ask for."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from typing import Any

from mmwemu.core.errors import InputError
from mmwemu.core.names import check_name
from mmwemu.core.text import cut, digits, parse_toml, printable, shown

MOST_TITLE = 500


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
        return cls(where, parse_toml(text, where))

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def refuse(self, key: str, problem: str) -> InputError:
        """Return the error for one key."""
        return InputError(f"{self._where}: {self._prefix}{cut(key)}", problem)

    def get(self, key: str, default: Any = None) -> Any:
        """Return a raw value; a key without default is required."""
        self._known.append(key)
        if key in self._values:
            return self._values[key]
        if default is None:
            raise self.refuse(key, "is missing; it is required")
        return default

    def number(
        self,
        key: str,
        default: float | None = None,
        *,
        above: float = -math.inf,
        least: float = -math.inf,
        most: float = math.inf,
    ) -> float:
        """Return a finite number, greater than ``above``, at least ``least`` and at most ``most``."""
        return self._number(key, self.get(key, default), above, least, most)

    def _number(
        self, key: str, value: object, above: float = -math.inf, least: float = -math.inf, most: float = math.inf
    ) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.refuse(key, f"is {shown(value)}; must be a number")
        try:
            number = float(value)
        except OverflowError:
            raise self.refuse(key, f"is {shown(value)}; must be a number of reasonable size") from None
        if not math.isfinite(number):
            raise self.refuse(key, f"is {number}; must be a finite number")
        if not above < value or not least <= value <= most:
            rule = f"at most {digits(most)}" if value > most else f"at least {digits(least)}"
            raise self.refuse(
                key, f"is {digits(number)}; must be {f'above {digits(above)}' if value <= above else rule}"
            )
        return number

    def integer(self, key: str, default: int | None = None, *, least: int = 1, most: int = 2**53) -> int:
        """Return a whole number from ``least`` to ``most``; integers are kept to the last digit."""
        value = self.get(key, default)
        number = self._number(key, value, least=least, most=most)
        if number != int(number):
            raise self.refuse(key, f"is {digits(number)}; must be a whole number")
        return int(value)

    def numbers(
        self,
        key: str,
        count: int,
        default: Sequence[float] | None = None,
        *,
        least: float = -math.inf,
        most: float = math.inf,
    ) -> tuple[float, ...]:
        """Return a list of ``count`` finite numbers from ``least`` to ``most``."""
        value = self.get(key, default)
        if not isinstance(value, (list, tuple)) or len(value) != count:
            raise self.refuse(key, f"is {shown(value)}; must be a list of {count} numbers")
        return tuple(self._number(f"{key}[{i}]", item, least=least, most=most) for i, item in enumerate(value))

    def text(self, key: str, default: str | None = None, *, choices: Sequence[str] = ()) -> str:
        """Return a string, one of ``choices`` if there are any."""
        value = self.get(key, default)
        if not isinstance(value, str):
            raise self.refuse(key, f"is {shown(value)}; must be a string")
        if choices and value not in choices:
            raise self.refuse(key, f"is {shown(value)}; must be one of {', '.join(choices)}")
        return value

    def title(self, key: str) -> str:
        """Return a string for people, in one line of at most `MOST_TITLE` characters; empty if it is absent."""
        value = self.text(key, "")
        if len(value) > MOST_TITLE or printable(value) != value:
            raise self.refuse(key, f"is {shown(value)}; must be one line of at most {MOST_TITLE} characters")
        return value

    def name(self, key: str) -> str:
        """Return a string that keeps the rule of `mmwemu.core.names`."""
        return check_name(self.text(key), f"{self._where}: {self._prefix}{key}")

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        self._known.append(key)
        value = self._values.get(key, default)
        if not isinstance(value, bool):
            raise self.refuse(key, f"is {shown(value)}; must be true or false")
        return value

    def table(self, key: str, *, required: bool = False) -> Table:
        """Return a table within this one, empty if it is absent."""
        value = self.get(key, None if required else {})
        if not isinstance(value, dict):
            raise self.refuse(key, "must be a table")
        return Table(self._where, value, f"{self._prefix}{key}.")

    def values(self, key: str) -> dict[str, Any]:
        """Return a table as it is, whatever its keys; empty if it is absent."""
        value = self.get(key, {})
        if not isinstance(value, dict):
            raise self.refuse(key, "must be a table")
        return value

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
