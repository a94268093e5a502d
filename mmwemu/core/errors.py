"""The errors a user can meet, each with the exit code it ends in."""

from __future__ import annotations


class MmwemuError(Exception):
    """Base of all errors that are shown as one line; the work failed (exit code 1)."""

    exit_code = 1


class InputError(MmwemuError):
    """Something the user gave cannot be used (exit code 2).

    Parameters
    ----------
    where
        File, field or option, as precise as known: ``s1.toml: boxes[2].x_m``.
    problem
        The value, the rule it breaks and what to do.
    row
        Which row of a table it is, counted from 0, where it is one row's fault.
    """

    exit_code = 2

    def __init__(self, where: str, problem: str, row: int | None = None) -> None:
        super().__init__(f"{where}: {problem}")
        self.where = where
        self.problem = problem
        self.row = row


class MissingError(MmwemuError):
    """A tool, a privilege or a kernel feature is not there (exit code 3).

    Parameters
    ----------
    what
        What is missing.
    remedy
        How to get it, as a command where there is one.
    """

    exit_code = 3

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(f"{what}; {remedy}")
        self.what = what
        self.remedy = remedy


class InterruptedRunError(MmwemuError):
    """The user ended the work before it was whole; what is kept is named (exit code 130)."""

    exit_code = 130


class InvalidRunError(MmwemuError):
    """The run ended, but the link missed its tolerance (exit code 4)."""

    exit_code = 4
