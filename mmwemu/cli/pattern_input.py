"""Patterns that a command line names: files, shipped ones, and - for standard input."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mmwemu.cli.output import print_document, say, warn
from mmwemu.core.bounds import MOST_TEXT_BYTES
from mmwemu.core.errors import InputError

if TYPE_CHECKING:
    from mmwemu.pattern.library import Found
    from mmwemu.pattern.model import Pattern

STANDARD_STREAM = "-"
_READ = f"{__name__}.read"


def read(name: str) -> Found:
    """Read a pattern by its path or shipped name; ``-`` reads standard input, once for the whole command line."""
    from mmwemu.pattern import library
    from mmwemu.pattern.formats import native
    from mmwemu.pattern.formats.registry import OWN

    if name != STANDARD_STREAM:
        return library.read(name)
    known = click.get_current_context().meta
    if _READ not in known:
        known[_READ] = native.loads(_text(), "standard input")
    return library.Found(Path("standard input"), OWN, False, known[_READ], ())


def read_each(name: str) -> list[Found]:
    """Read a pattern as `read`, or those of a folder, which is a cell."""
    from mmwemu.pattern import cell

    if name == STANDARD_STREAM or not cell.is_cell(name):
        return [read(name)]
    return [read(str(file)) for file in cell.files(name)]


def load(name: str) -> Pattern:
    """Read a pattern as `read`."""
    return read(name).pattern


def load_telling(name: str) -> Pattern:
    """Read a pattern as `read`, and print how it was read where that is not plain."""
    found = read(name)
    for line in remarks(found):
        warn(line)
    return found.pattern


def remarks(found: Found) -> list[str]:
    """Return the format that was guessed, unless it is our own, and what is odd, one line each."""
    from mmwemu.pattern.formats.registry import OWN

    guessed = [f"note: {found.path}: read as {found.form}"] if found.guessed and found.form != OWN else []
    return guessed + [f"note: {found.path}: {remark}" for remark in found.remarks]


def load_named(names: Sequence[str]) -> list[tuple[str, Pattern]]:
    """Read patterns with the names that they have in records; a folder stands for the pattern files in it (\\*.csv).

    Raises
    ------
    InputError
        If a pattern cannot be read, or a folder has none.
    """
    from mmwemu.pattern import library

    found = []
    for name in names:
        if not Path(name).is_dir():
            short = "standard input" if name == STANDARD_STREAM else library.find(name).stem
            found.append((short, load_telling(name)))
            continue
        files = sorted(Path(name).glob("*.csv"))
        if not files:
            raise InputError(name, "is a folder without pattern files (*.csv)")
        found += [(file.stem, load_telling(str(file))) for file in files]
    return found


def _text() -> str:
    content = sys.stdin.buffer.read(MOST_TEXT_BYTES + 1)
    if len(content) > MOST_TEXT_BYTES:
        raise InputError("standard input", f"is larger than {MOST_TEXT_BYTES >> 20} MiB")
    if not content:
        raise InputError("standard input", "is empty; the command before may have failed")
    try:
        return content.decode().replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise InputError("standard input", "is not a text (UTF-8)") from None


def save(pattern: Pattern, output: Path | None) -> None:
    """Write a pattern to a file and print its path, or write it to standard output without ``output`` or with ``-``."""
    from mmwemu.pattern.formats import native

    if output is None or str(output) == STANDARD_STREAM:
        print_document(native.dumps(pattern))
    else:
        native.save(pattern, output)
        say(output)
