"""Directions of different length: the shorter one starts again until the longer one ends."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.bounds import MOST_STEPS
from mmwemu.core.errors import InputError


def repeated(
    path: Path, starts: NDArray[np.int64], period: int, until: int
) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return starts of steps, repeated as an emulator does until a time, and the row [n] of each.

    Raises
    ------
    InputError
        If there are too many of them.
    """
    times = -(-until // period)
    if times > 1 and times * len(starts) > MOST_STEPS:
        raise InputError(
            str(path), f"makes {times * len(starts)} steps until the other direction ends; must be at most {MOST_STEPS}"
        )
    everything = (np.arange(times)[:, None] * period + starts).ravel()
    kept = everything < until
    return everything[kept], np.tile(np.arange(len(starts)), times)[kept]
