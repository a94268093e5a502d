"""Operations on delay and loss."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mmwemu.core.bounds import LONGEST_DELAY_S
from mmwemu.pattern.algebra.steps import Directions, changed, check_number, noted
from mmwemu.pattern.model import Direction, Floats, Pattern


def delay(pattern: Pattern, delay_s: float, direction: Directions = "both") -> Pattern:
    """Add a delay, s, to all steps of one or both directions.

    Raises
    ------
    InputError
        If it is negative or a step's delay would exceed 1 h.
    """
    check_number("delay", delay_s, 0.0, LONGEST_DELAY_S)
    later = changed(pattern, direction, lambda one: replace(one, delay_s=one.delay_s + delay_s))
    return noted(later, "delay", delay_s=delay_s, direction=direction)


def loss(pattern: Pattern, loss: float, direction: Directions = "both") -> Pattern:
    """Add an independent loss: a packet survives only if neither the pattern's loss nor this one takes it.

    Losses a and b give 1 - (1 - a)(1 - b), in both states of a Gilbert-Elliott model.

    Raises
    ------
    InputError
        If ``loss`` is not from 0 to 1.
    """
    check_number("loss", loss, 0.0, 1.0)
    return noted(changed(pattern, direction, lambda one: _lossier(one, loss)), "loss", loss=loss, direction=direction)


def _lossier(direction: Direction, loss: float) -> Direction:
    has_bad_state = (direction.gilbert_p > 0) | (direction.gilbert_r > 0)
    loss_bad = np.where(has_bad_state, _either(direction.loss_bad, loss), direction.loss_bad)
    return replace(direction, loss=_either(direction.loss, loss), loss_bad=loss_bad)


def _either(first: Floats, second: float) -> Floats:
    """Return the probability of the one or the other, exactly ``first`` where ``second`` is 0."""
    return first + second * (1 - first)
