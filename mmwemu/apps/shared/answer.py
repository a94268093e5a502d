"""What a runner answers, read strictly: JSON objects of which every value is checked when it is asked for."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from mmwemu.core.errors import InputError

Status = Literal["ok", "timeout", "failed"]


@dataclass(frozen=True)
class Answer:
    """An object of an answer; ``source`` is what errors call it."""

    source: str
    values: Mapping[str, Any]

    @property
    def status(self) -> Status:
        """How it ended.

        Raises
        ------
        InputError
            If it is none of `Status`.
        """
        status: Status = self.word("status", get_args(Status))  # type: ignore[assignment]
        return status

    @property
    def error(self) -> str:
        """Why it failed.

        Raises
        ------
        InputError
            If it is no text.
        """
        error = self.values.get("error")
        if not isinstance(error, str):
            raise self._refused("error", f"is {error!r}; must be a text")
        return error

    def number(self, name: str) -> float | None:
        """Give a number.

        Raises
        ------
        InputError
            If it is neither a finite number of 0 or more nor null or absent.
        """
        value = self.values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
            raise self._refused(name, f"is {value!r}; must be a number, 0 or more, or null")
        return float(value)

    def word(self, name: str, known: Sequence[str]) -> str:
        """Give one of some words.

        Raises
        ------
        InputError
            If it is none of them.
        """
        value = self.values.get(name)
        if value not in known:
            raise self._refused(name, f"is {value!r}; must be one of {', '.join(known)}")
        return str(value)

    def text(self, name: str) -> str:
        """Give a value as text, empty where there is none."""
        return str(self.values.get(name, ""))

    def table(self, name: str) -> Answer:
        """Give an object inside.

        Raises
        ------
        InputError
            If it is none.
        """
        value = self.values.get(name)
        if not isinstance(value, dict):
            raise self._refused(name, "must be an object")
        return Answer(self.source, value)

    def rows(self, name: str) -> list[Answer]:
        """Give a list of objects.

        Raises
        ------
        InputError
            If it is none.
        """
        value = self.values.get(name)
        if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
            raise self._refused(name, "must be a list of objects")
        return [Answer(self.source, row) for row in value]

    def _refused(self, name: str, problem: str) -> InputError:
        return InputError(f"{self.source}: {name}", problem)


def read(text: str, source: str, version: int) -> Answer:
    """Read an answer of one version.

    Raises
    ------
    InputError
        If it is no JSON object or of another version.
    """
    try:
        values = json.loads(text)
    except ValueError as problem:
        raise InputError(source, f"is not valid JSON: {problem}") from None
    found = values.get("format") if isinstance(values, dict) else None
    if found != version:
        raise InputError(f"{source}: format", f"is {found}; this mmwemu reads {version}")
    return Answer(source, values)
