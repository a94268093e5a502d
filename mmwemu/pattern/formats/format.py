"""The interface of a pattern format, and its registration.

A format is one module that registers a `Format` by an entry point of the group ``mmwemu.pattern_formats``;
docs/how-to/own-format.md has a complete example.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mmwemu.pattern.model import Pattern

INTERFACE = 1
"""Version of the interface in this module."""

Values = Mapping[str, str]
"""Values of a format's options by name."""


@dataclass(frozen=True)
class Option:
    """An option of a reader or writer, which ``mmwemu pattern convert`` offers as ``--name``.

    Attributes
    ----------
    name
        Letters and underscores, such as ``rate_unit``. Formats that share a name share its choices.
    help
        One line for people.
    default
        Its value if it is not given; empty for none.
    choices
        The values that are accepted; empty for any text.
    """

    name: str
    help: str
    default: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reading:
    """A pattern that was read, and remarks: one line for each thing that is odd or was left out."""

    pattern: Pattern
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Format:
    """A file format of patterns.

    Attributes
    ----------
    name
        Its name on the command line; must keep the rule of names.
    help
        What it is, in one line.
    endings
        Endings of its files, such as ``.down``.
    looks_like
        Whether the beginning of a text file, of at least one line, is in this format.
    read
        Reads a file; None for a format that can only be written. Raises `InputError` with file, line and field.
    write
        Writes a file and returns remarks on what the format cannot express; None for a format that can only be read.
    options
        Options of both; those not given have their default.
    interface
        `INTERFACE` that the format was written for.
    """

    name: str
    help: str
    endings: tuple[str, ...]
    looks_like: Callable[[str], bool]
    read: Callable[[Path, Values], Reading] | None
    write: Callable[[Pattern, Path, Values], Sequence[str]] | None = None
    options: tuple[Option, ...] = ()
    interface: int = INTERFACE


OUTAGE = Option("outage", "Packets in an outage.", "hold", ("hold", "drop"))
END = Option("end", "What follows the end.", "loop", ("loop", "hold", "stop"))
