"""Requirements of the simulation of cells."""

from __future__ import annotations

from mmwemu.core.requirements import Requirement, own_program


def examine() -> list[Requirement]:
    """Return the requirement for ``mmwemu-cell``."""
    return [own_program("mmwemu-cell", "simulate")]
