"""Which format a file has: by its content to read it, by its name to write it."""

from __future__ import annotations

from pathlib import Path

from mmwemu.core.errors import InputError
from mmwemu.pattern.formats import registry
from mmwemu.pattern.formats.format import Format

_HEAD_BYTES = 8192


def of_file(path: Path) -> tuple[Format, tuple[str, ...]]:
    """Return the format that a file's content shows, and one line for each registered format that is broken.

    Where the content shows more than one, the ending decides between them. Where it shows none, the ending decides
    alone, so that a damaged file is refused by the reader that it was made for.

    Raises
    ------
    InputError
        If the file cannot be read, or neither content nor ending shows a format.
    """
    head = _head(path)
    known = registry.registered()
    alike = [one for one in known.formats if one.looks_like(head)]
    named = [one for one in known.formats if path.suffix.lower() in one.endings]
    both = [one for one in alike if one in named]
    found = (both or alike or named)[:1]
    if not found:
        forms = ", ".join(one.name for one in known.formats if one.read)
        problem = f"has no known format; name it, as in {forms.partition(',')[0]}:FILE or --from; known are {forms}"
        raise InputError(str(path), problem)
    return found[0], known.broken


def of_name(path: Path) -> tuple[Format, tuple[str, ...]]:
    """Return the format of a file to write, by its ending, and one line for each broken format.

    An ending of no format stands for our own.
    """
    known = registry.registered()
    for one in known.formats:
        if one.write and path.suffix.lower() in one.endings:
            return one, known.broken
    return registry.load(registry.OWN), known.broken


def _head(path: Path) -> str:
    """Return the beginning of a text file up to its last whole line."""
    try:
        with path.open("rb") as file:
            content = file.read(_HEAD_BYTES)
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}") from None
    text = content.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    cut = text.rfind("\n") if len(content) == _HEAD_BYTES else -1
    return text[:cut] if cut > 0 else text
