"""Text from outside: reading it within bounds, and showing it without its control characters."""

from __future__ import annotations

import json
import tomllib
import unicodedata
from pathlib import Path
from typing import Any

from mmwemu.core.bounds import MOST_LINE, MOST_LINES, MOST_NESTING, MOST_TEXT_BYTES
from mmwemu.core.errors import InputError

# Control and format characters (those of writing direction among them), halves of surrogate pairs, line separators.
_ESCAPED = ("Cc", "Cf", "Cs", "Zl", "Zp")
_MOST_SHOWN = 80
_TOO_DEEP = f"nested too deeply; tables and lists may be {MOST_NESTING} within each other"


def read_text(path: Path, most_bytes: int = MOST_TEXT_BYTES, errors: str = "strict") -> str:
    """Read a text file; all ends of lines become newlines, and a byte order mark at its start is left out.

    Raises
    ------
    InputError
        If it is missing, unreadable, larger than ``most_bytes`` or, unless ``errors`` says otherwise, not UTF-8 text.
    """
    try:
        with path.open("rb") as file:
            content = file.read(most_bytes + 1)
        if len(content) > most_bytes:
            raise InputError(printable(str(path)), f"is larger than {most_bytes >> 20} MiB")
        text = content.decode("utf-8", errors)
    except UnicodeDecodeError:
        raise InputError(str(path), "is not a text file (UTF-8)") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}") from None
    except ValueError:
        raise InputError(str(path), "cannot be the name of a file") from None
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def parse_json(text: str | bytes, where: str) -> Any:
    """Return the value of a JSON text, in which Python's NaN and Infinity are left for the reader to refuse.

    Raises
    ------
    InputError
        If it is not valid JSON, or is nested too deeply; ``where`` names the text.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise InputError(where, f"is {_TOO_DEEP}") from None
    except ValueError as error:
        raise InputError(where, f"is not valid JSON: {error}") from None
    _check_nesting(value, where)
    return value


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """Return the top table of a TOML document.

    Raises
    ------
    InputError
        If it is not valid TOML, has a line of more than `MOST_LINE` characters, or is nested too deeply.
    """
    check_lines(text, where)
    try:
        values = tomllib.loads(text)
    except RecursionError:
        raise InputError(where, f"is {_TOO_DEEP}") from None
    except (ValueError, OverflowError) as error:
        raise InputError(where, f"is not valid TOML: {error}") from None
    for value in _check_nesting(values, where):
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise InputError(where, f"has the integer {shown(value)}; those of TOML have 64 bits")
    return values


def _check_nesting(value: object, where: str) -> list[object]:
    """Return all values within a value of JSON or TOML, those nested too deeply refused."""
    found, layer, depth = [], [value], 0
    while layer:
        if depth > MOST_NESTING:
            raise InputError(where, f"is {_TOO_DEEP}")
        found += layer
        layer = [
            item
            for one in layer
            if isinstance(one, (dict, list))
            for item in (one.values() if isinstance(one, dict) else one)
        ]
        depth += 1
    return found


def check_lines(text: str, where: str) -> None:
    """Refuse a text of more than `MOST_LINES` lines, or with a line of more than `MOST_LINE` characters.

    Raises
    ------
    InputError
        With the number of lines, or that of the first such line.
    """
    if len(text) <= MOST_LINE:
        return
    if (count := text.count("\n")) > MOST_LINES:
        raise InputError(where, f"has {count} lines; must have at most {MOST_LINES}")
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > MOST_LINE:
            raise InputError(f"{where}: line {number}", f"has {len(line)} characters; must have at most {MOST_LINE}")


def printable(text: str) -> str:
    r"""Return a text in one line, with ``\x1b`` and the like for what would steer a terminal; Unicode letters stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(one) if unicodedata.category(one) in _ESCAPED else one for one in text)


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file's name that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")


def shown(value: object) -> str:
    """Return a value of a file or an option as an error quotes it, cut off if it is long."""
    try:
        return cut(repr(value))
    except (ValueError, RecursionError):  # an integer of thousands of digits, or a value nested as deep
        return "too large to be shown"


def digits(number: float) -> str:
    """Return a number as an error shows it, with at most ten digits: ``2592000`` and ``1e+12``."""
    return f"{number:.10g}"


def cut(text: str) -> str:
    """Return a text, or its beginning if it is long."""
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
