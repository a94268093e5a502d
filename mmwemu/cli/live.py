"""The lowest lines of a terminal, kept for a drawing while programs write above them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

_SAVE, _RESTORE = "\0337", "\0338"
_LEAST_LINES_ABOVE = 4

Draw = Callable[[int], Sequence[str]]


@contextmanager
def strip(fd: int, n_line: int) -> Iterator[Callable[[Draw], None]]:
    """Keep the lowest lines of a terminal; yield a function that draws them.

    Programs go on writing to the terminal, which scrolls above these lines only. Programs that take the whole screen
    write over them.

    Parameters
    ----------
    fd
        The terminal.
    n_line
        How many lines; none are kept while the terminal is too low for them.
    """
    lines = _Lines(fd, n_line)
    try:
        yield lines.draw
    finally:
        lines.give_back()


class _Lines:
    def __init__(self, fd: int, n_line: int) -> None:
        self._fd = fd
        self._n_line = n_line
        self._size: os.terminal_size | None = None  # when they were last kept

    def draw(self, content: Draw) -> None:
        size = os.get_terminal_size(self._fd)
        if size.lines < self._n_line + _LEAST_LINES_ABOVE:
            self.give_back()
            return
        if size != self._size:
            self._keep(size)
        rows = enumerate(content(size.columns), size.lines - self._n_line + 1)
        # One write, so that nothing comes between.
        self._write(_SAVE + "".join(f"\033[{row};1H\033[0m\033[2K{text}" for row, text in rows) + _RESTORE)

    def give_back(self) -> None:
        if self._size is None:
            return
        first = self._size.lines - self._n_line + 1
        self._write(f"{_SAVE}\033[r\033[{first};1H\033[0m\033[J{_RESTORE}")
        self._size = None

    def _keep(self, size: os.terminal_size) -> None:
        self.give_back()
        # What is there moves up; the cursor is within the lines that scroll when it is saved.
        room = "\n" * self._n_line + f"\033[{self._n_line}A"
        self._write(f"{room}{_SAVE}\033[1;{size.lines - self._n_line}r{_RESTORE}")
        self._size = size

    def _write(self, text: str) -> None:
        data = text.encode()
        while data:
            data = data[os.write(self._fd, data) :]
