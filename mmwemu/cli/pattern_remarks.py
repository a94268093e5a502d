"""Lines about how a pattern was read, for stderr."""

from __future__ import annotations

from mmwemu.pattern import library
from mmwemu.pattern.formats.registry import OWN


def lines(found: library.Found) -> list[str]:
    """Return the format that was guessed, unless it is our own, and what is odd, one line each."""
    guessed = [f"note: {found.path}: read as {found.form}"] if found.guessed and found.form != OWN else []
    return guessed + [f"note: {found.path}: {remark}" for remark in found.remarks]
