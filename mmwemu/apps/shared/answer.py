"""Strict reader of a driver's JSON answer, which checks every value on access."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from mmwemu.core.errors import InputError
from mmwemu.core.text import parse_json, shown

Status = Literal["ok", "timeout", "failed"]
_TOO_LARGE = 1e300


@dataclass(frozen=True)
class Answer:
    """A JSON object in an answer; ``source`` names it in errors."""

    source: str
    values: Mapping[str, Any]

    @property
    def status(self) -> Status:
        """Outcome of the run.

        Raises
        ------
        InputError
            If it is not one of `Status`.
        """
        status: Status = self.word("status", get_args(Status))  # type: ignore[assignment]
        return status

    @property
    def error(self) -> str:
        """Reason of a failure.

        Raises
        ------
        InputError
            If it is not a string.
        """
        error = self.values.get("error")
        if not isinstance(error, str):
            raise self._refused("error", f"is {shown(error)}; must be a string")
        return error

    def number(self, name: str) -> float | None:
        """Return a number.

        Raises
        ------
        InputError
            If it is neither a finite number of at least 0 nor null nor absent.
        """
        value = self.values.get(name)
        if value is None:
            return None
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not 0 <= value < _TOO_LARGE:
            raise self._refused(name, f"is {shown(value)}; must be a number, 0 or more, or null")
        return float(value)

    def word(self, name: str, known: Sequence[str]) -> str:
        """Return one of the ``known`` words.

        Raises
        ------
        InputError
            If it is not one of them.
        """
        value = self.values.get(name)
        if value not in known:
            raise self._refused(name, f"is {shown(value)}; must be one of {', '.join(known)}")
        return str(value)

    def text(self, name: str) -> str:
        """Return a value as a string, empty if absent."""
        return str(self.values.get(name, ""))

    def table(self, name: str) -> Answer:
        """Return an inner object.

        Raises
        ------
        InputError
            If it is not an object.
        """
        value = self.values.get(name)
        if not isinstance(value, dict):
            raise self._refused(name, "must be an object")
        return Answer(self.source, value)

    def rows(self, name: str) -> list[Answer]:
        """Return a list of objects.

        Raises
        ------
        InputError
            If it is not a list of objects.
        """
        value = self.values.get(name)
        if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
            raise self._refused(name, "must be a list of objects")
        return [Answer(self.source, row) for row in value]

    def _refused(self, name: str, problem: str) -> InputError:
        return InputError(f"{self.source}: {name}", problem)


def read(text: str, source: str, version: int) -> Answer:
    """Return the answer in JSON text.

    Raises
    ------
    InputError
        If it is not a JSON object of format ``version``.
    """
    values = parse_json(text, source)
    found = values.get("format") if isinstance(values, dict) else None
    if found != version:
        raise InputError(f"{source}: format", f"is {shown(found)}; this mmwemu reads {version}")
    return Answer(source, values)
