"""Distribution of a site's bytes over its objects: pure arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mmwemu.apps.web.sites.model import Kind
from mmwemu.core.errors import InputError

# Shares close to the HTTP Archive's medians: style sheets and scripts by number of objects, then by bytes.
_CSS_OBJECTS, _JS_OBJECTS = 0.05, 0.22
HTML_BYTES = 0.06
_BYTES: dict[Kind, float] = {"css": 0.04, "js": 0.25, "image": 0.65}
_SIGMA: dict[Kind, float] = {"css": 0.6, "js": 0.9, "image": 1.0}


def count_kinds(objects: int) -> dict[Kind, int]:
    """Return the number of objects of each kind: one page, 5 % style sheets, 22 % scripts, the rest images."""
    others = objects - 1
    css = min(others, max(1, round(_CSS_OBJECTS * objects)))
    js = min(others - css, max(1, round(_JS_OBJECTS * objects)))
    return {"html": 1, "css": css, "js": js, "image": others - css - js}


def share(total_bytes: int, least_bytes: dict[Kind, list[int]], random: np.random.Generator) -> dict[Kind, list[int]]:
    """Return sizes that sum to ``total_bytes`` for style sheets, scripts and images, log-normal within each kind.

    Parameters
    ----------
    total_bytes
        Bytes to distribute.
    least_bytes
        Smallest size of each object, by kind.
    random
        Source of the sizes.

    Raises
    ------
    InputError
        If the bytes are too few for the objects.
    """
    kinds = [kind for kind in _BYTES if least_bytes.get(kind)]
    least = np.array([size for kind in kinds for size in least_bytes[kind]], dtype=np.int64)
    if len(least) == 0 and total_bytes == 0:
        return {}
    if total_bytes < least.sum() or len(least) == 0:
        raise InputError("site: bytes", f"leave {total_bytes} for {len(least)} objects besides the page, which need "
                         f"{least.sum()}; ask for more bytes or fewer objects")  # fmt: skip
    weights = []
    for kind in kinds:
        drawn = random.lognormal(0.0, _SIGMA[kind], len(least_bytes[kind]))
        weights.append(drawn / drawn.sum() * _BYTES[kind])
    sizes = iter(_at_least(total_bytes, np.concatenate(weights), least).tolist())
    return {kind: [next(sizes) for _ in least_bytes[kind]] for kind in kinds}


def _at_least(total: int, weights: NDArray[np.float64], least: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return shares [n] of ``total`` in proportion to ``weights`` [n], each at least ``least`` [n]."""
    fixed = np.zeros(len(least), dtype=bool)
    while True:
        left = total - int(least[fixed].sum())
        free = ~fixed
        if not free.any():
            break
        wanted = np.where(free, weights / weights[free].sum() * left, least)
        short = free & (wanted < least)
        if not short.any():
            break
        fixed |= short
    sizes = np.where(fixed, least, np.floor(wanted)).astype(np.int64)
    _distribute_rest(sizes, total - int(sizes.sum()), np.flatnonzero(~fixed) if (~fixed).any() else range(len(sizes)))
    return sizes


def _distribute_rest(sizes: NDArray[np.int64], rest: int, takers: Sequence[int] | NDArray[np.intp]) -> None:
    each, over = divmod(rest, len(takers))
    for n, taker in enumerate(takers):
        sizes[taker] += each + (n < over)
