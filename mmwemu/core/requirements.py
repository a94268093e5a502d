"""Requirements of a machine: presence, purpose and the command that installs what is missing."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

from mmwemu.core import paths, process
from mmwemu.core.errors import MissingError

_TIMEOUT_S = 10


@dataclass(frozen=True)
class Requirement:
    """A tool, library or kernel feature that was looked for.

    Attributes
    ----------
    what
        Name of the requirement.
    needed_for
        The commands that need it.
    required
        Whether core commands need it.
    found
        Whether it is present.
    detail
        Version, value or reason.
    remedy
        The command that installs it, empty if it is present.
    """

    what: str
    needed_for: str
    required: bool
    found: bool
    detail: str
    remedy: str


def requirement(
    what: str, needed_for: str, detail: str | None, remedy: str, *, required: bool = False, absent: str = "not there"
) -> Requirement:
    """Return a requirement, met if ``detail`` is given; otherwise ``absent`` becomes its detail."""
    found = detail is not None
    return Requirement(
        what, needed_for, required, found, detail if detail is not None else absent, "" if found else remedy
    )


def first_line(argv: list[str]) -> tuple[bool, str]:
    """Run a short program and return whether it exited with 0, and the first line of its output."""
    try:
        done = process.run(argv, timeout_s=_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, str(error)
    lines = (done.stdout + done.stderr).decode(errors="replace").strip().splitlines()
    return done.returncode == 0, lines[0] if lines else ""


def tool(
    what: str, needed_for: str, package: str, version: str = "--version", *, required: bool = False
) -> Requirement:
    """Return the requirement for a program, whose option ``version`` prints its version."""
    try:
        path = process.find_tool(what, "")
    except MissingError:
        return requirement(what, needed_for, None, f"sudo apt-get install {package}", required=required)
    return requirement(what, needed_for, first_line([path, version])[1], "", required=required)


def own_program(name: str, needed_for: str) -> Requirement:
    """Return the requirement for one of mmwemu's native programs."""
    try:
        return requirement(name, needed_for, str(paths.program(name).name), "", required=True)
    except MissingError as error:
        return requirement(name, needed_for, None, error.remedy, required=True)
