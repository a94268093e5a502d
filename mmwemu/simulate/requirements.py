"""What simulating a cell needs of a machine."""

from __future__ import annotations

from mmwemu.core.requirements import Requirement, own_program


def examine() -> list[Requirement]:
    """Look for the built-in simulator."""
    return [own_program("mmwemu-cell", "simulate")]
