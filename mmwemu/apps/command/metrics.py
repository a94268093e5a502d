"""Metrics that a command reports: a flat JSON object, the last line of its output or a file."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, MutableMapping
from dataclasses import fields
from pathlib import Path

from mmwemu.core.errors import InputError
from mmwemu.core.text import parse_json, read_text
from mmwemu.link.profile import LinkProfile
from mmwemu.results.records import Run

Metric = float | int | bool | str | None
_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
_TAKEN = {field.name for kind in (Run, LinkProfile) for field in fields(kind)} | {
    "command",
    "exit_code",
    "metrics",
    "cpu_bound",  # has a meaning in summaries
}
_MOST_INTEGER = 2**63
_MOST_BYTES = 2**20


def from_output(output: str) -> dict[str, Metric]:
    """Return the metrics in the last line of an output, none where that line is no JSON object.

    Raises
    ------
    InputError
        If the line is a JSON object but no flat one with names as `check` wants them.
    """
    lines = output.rstrip().splitlines()
    if not lines or not lines[-1].lstrip().startswith("{"):
        return {}
    try:
        found = json.loads(lines[-1])
    except (ValueError, RecursionError):
        return {}
    return check(found, "the last line of the output")


def from_file(path: Path) -> dict[str, Metric]:
    """Return the metrics in a JSON file.

    Raises
    ------
    InputError
        If the file is missing, no JSON object, or no flat one with names as `check` wants them.
    """
    if path.exists() and not path.is_file():
        raise InputError(str(path), "is no file")
    found = parse_json(read_text(path, _MOST_BYTES), str(path))
    return check(found, str(path))


def check(found: object, where: str) -> dict[str, Metric]:
    """Return metrics that can be columns.

    Names are small letters, digits and underscores, such as ``page_load_s``, and none of those that every run has.
    Values are numbers, true or false, text or null.

    Raises
    ------
    InputError
        Naming the first metric that cannot be one.
    """
    if not isinstance(found, Mapping):
        raise InputError(where, f"is a JSON {type(found).__name__}; must be an object of names and values")
    for name, value in found.items():
        if not _NAME.fullmatch(name):
            problem = "is no name of a metric; use small letters, digits and underscores, with the unit: page_load_s"
            raise InputError(f"{where}: {name}", problem)
        if name in _TAKEN:
            raise InputError(f"{where}: {name}", "is a column that every run has; choose another name")
        if not isinstance(value, (int, float, bool, str)) and value is not None:
            raise InputError(
                f"{where}: {name}", f"is {type(value).__name__}; must be a number, text, true, false or null"
            )
        if isinstance(value, float) and not math.isfinite(value):
            raise InputError(f"{where}: {name}", f"is {value}; must be finite, or null")
        if isinstance(value, int) and not -_MOST_INTEGER <= value < _MOST_INTEGER:
            raise InputError(f"{where}: {name}", "is a whole number beyond 64 bits; write it as a float")
        if isinstance(value, str) and not _is_unicode(value):
            raise InputError(f"{where}: {name}", "is a text with half a surrogate pair; must be Unicode")
    return dict(found)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_kinds(found: Mapping[str, Metric], known: MutableMapping[str, str]) -> None:
    """Refuse a metric of another kind than in an earlier run: one column cannot hold both.

    Parameters
    ----------
    found
        The metrics of a run.
    known
        The kind of each metric so far; new ones are added.

    Raises
    ------
    InputError
        Naming the first such metric.
    """
    for name, value in found.items():
        if value is None:
            continue
        kind = "text" if isinstance(value, str) else "true or false" if isinstance(value, bool) else "a number"
        if known.setdefault(name, kind) != kind:
            raise InputError(f"metric {name}", f"is {kind}; it was {known[name]} in an earlier run")
