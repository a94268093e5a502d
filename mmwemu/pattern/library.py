"""Lookup of patterns by path, in any registered format, or by the name of a shipped one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mmwemu.core import paths
from mmwemu.core.errors import InputError
from mmwemu.core.names import check_file_name, check_path
from mmwemu.pattern.formats import guess, registry
from mmwemu.pattern.formats.format import Format, Option
from mmwemu.pattern.model import Pattern


@dataclass(frozen=True)
class Found:
    """A pattern that was read: its file, the format and how that was known, the pattern, remarks of one line each."""

    path: Path
    form: str
    guessed: bool
    pattern: Pattern
    remarks: tuple[str, ...]


def shipped() -> dict[str, Path]:
    """Return the files of the patterns that come with mmwemu, by name."""
    folder = paths.installed("data/patterns")
    return {p.stem: p for p in sorted(folder.glob("*.csv"))} if folder else {}


def find(name_or_path: str) -> Path:
    """Return the file of a pattern by its path, ``FORM:PATH`` or the name of a shipped one.

    Raises
    ------
    InputError
        If there is no such file, or its name cannot be that of a pattern.
    """
    return _split(name_or_path)[1]


def load(name_or_path: str) -> Pattern:
    """Read a pattern by its path, ``FORM:PATH`` or the name of a shipped one such as ``s1-long-nlos.mmwave``.

    Raises
    ------
    InputError
        As `find`; or the file is in no known format, or breaks a rule of its format.
    """
    return read(name_or_path).pattern


def read(name_or_path: str) -> Found:
    """Read a pattern as `load`, with the format and what is odd."""
    form, path = _split(name_or_path)
    return read_file(path, form, {})


def read_file(path: Path, form: str | None, given: Mapping[str, str]) -> Found:
    """Read a file in a format, or in that which it seems to have.

    Parameters
    ----------
    path
        The file.
    form
        Name of the format; None to guess it.
    given
        Values of the format's options; others have their default.

    Raises
    ------
    InputError
        If the file cannot be read, or the format has no such option or no reader.
    """
    found, broken = (registry.load(form), ()) if form else guess.of_file(path)
    if found.read is None:
        raise InputError(str(path), f"cannot be read as {found.name}, which can only be written")
    reading = found.read(path, filled(found, given))
    return Found(path, found.name, form is None, reading.pattern, (*broken, *reading.remarks))


def filled(form: Format, given: Mapping[str, str]) -> dict[str, str]:
    """Return the values of all options of a format.

    Raises
    ------
    InputError
        If one of ``given`` is no option of the format, or has another value than its choices.
    """
    known: dict[str, Option] = {option.name: option for option in form.options}
    for name, value in given.items():
        if name not in known:
            raise InputError(f"--{name.replace('_', '-')}", f"is no option of the format {form.name}")
        if known[name].choices and value not in known[name].choices:
            raise InputError(f"--{name.replace('_', '-')}", f"must be one of {', '.join(known[name].choices)}")
    return {name: given.get(name, option.default) for name, option in known.items()}


def _split(name_or_path: str) -> tuple[str | None, Path]:
    """Return the format that is named, if one is, and the file."""
    path = check_path(name_or_path)
    if path.is_file():
        check_file_name(path)
        return None, path
    form, colon, rest = name_or_path.partition(":")
    if colon and form in registry.names():
        file = check_path(rest)
        if not file.is_file():
            raise InputError(rest, "is no file")
        check_file_name(file)
        return form, file
    known = shipped()
    if name_or_path in known:
        return registry.OWN, known[name_or_path]
    raise InputError(name_or_path, f"is neither a file nor a shipped pattern; shipped: {', '.join(known)}")
