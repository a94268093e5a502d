"""The run of a program that simulates a cell: its progress, its end, its messages."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from mmwemu.core import process
from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.core.progress import OnProgress, Progress

_USAGE = 2


def run(name: str, argv: Sequence[str], folder: Path, scenario: str, on_progress: OnProgress) -> None:
    """Run a program in a folder to its end; it dies with this process.

    Parameters
    ----------
    name
        Name of the program in messages, its own and ours.
    argv
        Program and arguments.
    folder
        Its working folder.
    scenario
        Name of the scenario, for messages.
    on_progress
        Called for each line ``progress <done_s> <total_s>`` on the program's stderr.

    Raises
    ------
    InputError
        If the program refuses its input with exit code 2.
    MmwemuError
        If it fails otherwise; the message has its last line.
    """
    # One library has unresolved symbols, so it loads with lazy binding only.
    environment = {key: value for key, value in os.environ.items() if key != "LD_BIND_NOW"}
    messages: list[str] = []
    with process.start(
        argv,
        tied=True,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stderr is not None
        try:
            for raw in child.stderr:
                line = raw.decode(errors="replace").strip()
                progress = parse_progress(line)
                if progress is not None:
                    on_progress(progress)
                elif line:
                    messages.append(line)
        except BaseException:
            child.kill()
            raise
    if child.returncode != 0:
        raise _failure(name, child.returncode, scenario, messages)


def parse_progress(line: str) -> Progress | None:
    """Return the progress in a line ``progress <done_s> <total_s>``, or None for any other line."""
    words = line.split()
    if len(words) != 3 or words[0] != "progress":
        return None
    try:
        return Progress("simulate", float(words[1]), float(words[2]))
    except ValueError:
        return None


def _failure(name: str, code: int, scenario: str, messages: list[str]) -> MmwemuError:
    own = [line.removeprefix(f"{name}: ") for line in messages if line.startswith(f"{name}: ")]
    message = own[-1] if own else (messages[0] if messages else "no message")
    if code == _USAGE:
        return InputError(f"scenario {scenario}", message)
    ended = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"failed with exit code {code}"
    return MmwemuError(f"{name} {ended}: {message}")
