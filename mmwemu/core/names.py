"""The rule for names that become parts of file names, labels and host names, and the one for paths."""

from __future__ import annotations

import os
import re
from pathlib import Path

from mmwemu.core.errors import InputError
from mmwemu.core.text import printable, shown

MOST = 64
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{MOST - 1}}}")
_MOST_PART_BYTES = 255
_MOST_PATH_BYTES = 4000  # Linux takes 4095; room for names that are added
RULE = f"must be at most {MOST} letters of ASCII, digits and -_., the first a letter or digit"


def is_name(text: str) -> bool:
    """Return whether a text can be the name of a scenario, a pattern, a site, a profile or an application."""
    return _NAME.fullmatch(text) is not None


def check_name(text: str, where: str) -> str:
    """Return a name that keeps the rule.

    Raises
    ------
    InputError
        If it breaks the rule; ``where`` names the field or file.
    """
    if not is_name(text):
        raise InputError(where, f"is {shown(text)}; {RULE}")
    return text


def check_file_name(path: Path) -> str:
    """Return the name that a file gives to its content, which is the file's without its ending.

    Raises
    ------
    InputError
        If it breaks the rule of names.
    """
    if not is_name(path.stem):
        raise InputError(str(path), f"names its content {shown(path.stem)}, which {RULE}; rename the file")
    return path.stem


def check_path(text: str) -> Path:
    """Return a path that the system can take.

    Raises
    ------
    InputError
        If it is empty, too long, or has characters that no file's name can have.
    """
    try:
        parts = os.fsencode(text).split(b"/")
    except UnicodeEncodeError:
        raise InputError(shown(text), "cannot be the name of a file in this locale; set LC_ALL=C.UTF-8") from None
    if not text or "\0" in text:
        raise InputError(shown(text), "cannot be the name of a file")
    if max(map(len, parts)) > _MOST_PART_BYTES:
        raise InputError(shown(text), f"has a name of more than {_MOST_PART_BYTES} bytes, which no file can have")
    if sum(map(len, parts)) + len(parts) > _MOST_PATH_BYTES:
        raise InputError(shown(text), f"has more than {_MOST_PATH_BYTES} bytes, too many for a path")
    return Path(text)


def is_inner_path(text: str) -> bool:
    """Return whether a text is the path of a file below a folder: plain names that ``/`` parts, none of them ``..``."""
    try:
        check_path(text)
    except InputError:
        return False
    return printable(text) == text and not {"", ".", ".."} & set(text.split("/"))
