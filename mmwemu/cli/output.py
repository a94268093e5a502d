"""Printing of lines, JSON, tables and progress bars: whatever goes to the terminal passes here."""

from __future__ import annotations

import json
import math
import re
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from mmwemu.core.progress import OnProgress, Progress
from mmwemu.core.text import printable

_PLAIN_WIDTH = 80
_TELL_EVERY_S = 300.0

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def say(text: object) -> None:
    """Print one line; characters that would steer the terminal, line ends among them, are escaped."""
    _write(printable(str(text)))


def warn(text: str) -> None:
    """Print one line on stderr: a remark, or the error that ends a verb."""
    _write(f"mmwemu: {printable(' '.join(text.split()))}", err=True)


def _write(text: str, *, err: bool = False) -> None:
    """Print a text that is safe for a terminal; what the stream's encoding lacks is escaped."""
    stream = sys.stderr if err else sys.stdout
    if stream is not None:  # closed by who started this
        encoding = stream.encoding or "ascii"
        click.echo(text.encode(encoding, "backslashreplace").decode(encoding), err=err)


def can_print(text: str) -> bool:
    """Return whether standard output can show all characters of a text."""
    try:
        text.encode((sys.stdout.encoding if sys.stdout else None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def terminal_width() -> int:
    """Return the characters in a line of the terminal, within bounds; `_PLAIN_WIDTH` where there is none."""
    if sys.stdout is None or not sys.stdout.isatty():
        return _PLAIN_WIDTH
    return min(max(shutil.get_terminal_size((_PLAIN_WIDTH, 24)).columns, 40), 200)


def print_json(value: object) -> None:
    """Print a value as JSON in ASCII; NaN and infinite numbers become null."""
    _write(json.dumps(_finite(value), indent=2, default=str).replace("\x7f", "\\u007f"))


def print_document(text: str) -> None:
    """Print the text of a file with a head in TOML; strings there have escapes for all that is not printable ASCII."""
    _write(re.sub(r"[^\n -~]", lambda found: f"\\U{ord(found[0]):08x}", text.removesuffix("\n")))


def print_script(text: str) -> None:
    """Print a program for another one to run, as it is; it may hold nothing of a user's."""
    _write(text.strip())


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_table(header: Sequence[str], rows: Sequence[Sequence[object]], right: Sequence[int] = ()) -> None:
    """Print rows under a header, columns aligned; those numbered in ``right`` to the right."""
    texts = [[printable(str(cell)) for cell in row] for row in (header, *rows)]
    widths = [max(len(row[i]) for row in texts) for i in range(len(header))]
    for row in texts:
        cells = [
            cell.rjust(w) if i in right else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        _write("  ".join(cells).rstrip())


@contextmanager
def progress() -> Iterator[OnProgress]:
    """Yield a callback that draws a bar with the remaining time for each step, on stderr if that is a terminal."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Task, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars
    from rich.text import Text

    class Left(TimeRemainingColumn):
        """The remaining time: what the work itself tells, if it does."""

        def render(self, task: Task) -> Text:
            told = task.fields.get("left_s")
            return super().render(task) if told is None else Text(duration(told), style="progress.remaining")

    bars = Bars(
        TextColumn("{task.description:<18}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("left"),
        Left(),
        console=Console(stderr=True),
    )
    tasks: dict[str, Any] = {}
    lock = threading.Lock()

    def draw(event: Progress) -> None:
        with lock:
            if event.step not in tasks:
                tasks[event.step] = bars.add_task(escape(printable(event.step)), total=event.total)
        bars.update(tasks[event.step], completed=event.done, total=event.total, left_s=event.left_s)

    with bars:
        yield draw


class _Lines:
    """Where stderr is no terminal: a line when a step begins, and a few more of work that takes long."""

    def __init__(self) -> None:
        self._told: dict[str, float] = {}  # by step, when

    def __call__(self, event: Progress) -> None:
        now_s = time.monotonic()
        if event.step not in self._told:
            warn(f"{event.step} ...")
        elif event.left_s is None or event.done >= event.total or now_s - self._told[event.step] < _TELL_EVERY_S:
            return
        else:
            warn(f"{event.step}: {event.done:.0f} of {event.total:.0f}, about {duration(event.left_s)} left")
        self._told[event.step] = now_s


def duration(seconds: float) -> str:
    """Return a time in words, such as 2 h 05 min."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60:02} min"
