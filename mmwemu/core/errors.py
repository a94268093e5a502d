"""Errors that a user can meet, each with its exit code."""

from __future__ import annotations


class MmwemuError(Exception):
    """Base of all errors shown as one line; the run failed (exit code 1)."""

    exit_code = 1


class InputError(MmwemuError):
    """An input of the user cannot be used (exit code 2).

    Parameters
    ----------
    where
        File, field or option, as precise as possible: ``s1.toml: boxes[2].x_m``.
    problem
        The value, the rule that it breaks and the remedy.
    row
        Index of the faulty table row from 0, or None if no single row is at fault.
    """

    exit_code = 2

    def __init__(self, where: str, problem: str, row: int | None = None) -> None:
        super().__init__(f"{where}: {problem}")
        self.where = where
        self.problem = problem
        self.row = row


class MissingError(MmwemuError):
    """A tool, a privilege or a kernel feature is missing (exit code 3).

    Parameters
    ----------
    what
        Name of the missing thing.
    remedy
        The way to get it, as a command if there is one.
    """

    exit_code = 3

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(f"{what}; {remedy}")
        self.what = what
        self.remedy = remedy


class InterruptedRunError(MmwemuError):
    """A signal such as that of Ctrl-C ended a run; the message names the kept results.

    Parameters
    ----------
    message
        What ended it, and what was kept.
    exit_code
        128 and the signal's number.
    """

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class InvalidRunError(MmwemuError):
    """The run ended, but the link missed its tolerance (exit code 4)."""

    exit_code = 4
