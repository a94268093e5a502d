"""One run of a command as one row of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mmwemu.results.records import Run


@dataclass(frozen=True, kw_only=True)
class CommandRun(Run):
    """A command.

    Attributes
    ----------
    command
        As given.
    exit_code
        Of the command, as a shell tells it; None where the limit ended it.
    metrics
        Its metrics; each is a column of its own, named as the command named it.
    """

    command: str
    exit_code: int | None
    metrics: Mapping[str, float | int | bool | str | None]

    @property
    def headline(self) -> str:
        """The first metric."""
        return next((f"{name} {value}" for name, value in self.metrics.items()), "")
