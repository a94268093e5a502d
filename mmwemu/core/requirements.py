"""What a machine must have for some work, whether it is there, and the command that mends each gap."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

from mmwemu.core import paths, process
from mmwemu.core.errors import MissingError

_TIMEOUT_S = 10


@dataclass(frozen=True)
class Requirement:
    """One thing looked for.

    Attributes
    ----------
    what
        Its name.
    needed_for
        What cannot be done without it.
    required
        Whether the main job needs it.
    found
        Whether it is there.
    detail
        Version, value or reason.
    remedy
        The command that mends its absence, empty when it is there.
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
    """Return a requirement; without ``detail`` it is not met, and ``absent`` says what was seen instead."""
    found = detail is not None
    return Requirement(
        what, needed_for, required, found, detail if detail is not None else absent, "" if found else remedy
    )


def first_line(argv: list[str]) -> tuple[bool, str]:
    """Run a short program; return whether it exited with 0, and the first line that it printed."""
    try:
        done = process.run(argv, timeout_s=_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, str(error)
    lines = (done.stdout + done.stderr).decode(errors="replace").strip().splitlines()
    return done.returncode == 0, lines[0] if lines else ""


def tool(
    what: str, needed_for: str, package: str, version: str = "--version", *, required: bool = False
) -> Requirement:
    """Look for a program, and ask it for its version by the option ``version``."""
    try:
        path = process.find_tool(what, "")
    except MissingError:
        return requirement(what, needed_for, None, f"sudo apt-get install {package}", required=required)
    return requirement(what, needed_for, first_line([path, version])[1], "", required=required)


def own_program(name: str, needed_for: str) -> Requirement:
    """Look for one of our own native programs."""
    try:
        return requirement(name, needed_for, str(paths.program(name).name), "", required=True)
    except MissingError as error:
        return requirement(name, needed_for, None, error.remedy, required=True)
