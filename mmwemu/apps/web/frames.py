"""Speed Index from screenshots, as a check that is independent of speedline.

Visual progress of a frame is the position of its colour histogram between those of a white screen and of the last
frame; Speed Index is the integral of the missing progress (docs of WebPageTest, "Speed Index").
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mmwemu.apps.web.result import Frame

# A pixel with all channels at or above this value is white and not counted.
_WHITE = 249


def speed_index(times_s: Sequence[float], progress: NDArray[np.float64]) -> float:
    """Return the integral of missing visual progress from the start of the navigation.

    Parameters
    ----------
    times_s
        Times of the frames [n], s, rising; the screen is white before the first.
    progress
        Visual progress of the frames [n], 0 to 1.

    Returns
    -------
    Speed Index, s.
    """
    edges = np.concatenate(([0.0], np.asarray(times_s, dtype=float)))
    missing = 1.0 - np.concatenate(([0.0], progress[:-1]))
    return float(np.sum(np.diff(edges) * missing))


def visual_progress(histograms: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the progress [n] of frames with colour histograms [n, 3, 256] towards the last of them."""
    target = histograms[-1]
    total = target.sum()
    if total == 0:
        return np.ones(len(histograms))
    progress: NDArray[np.float64] = np.minimum(histograms, target).sum(axis=(1, 2)) / total
    return progress


def histogram(picture: Path) -> NDArray[np.int64]:
    """Return the histograms of the three channels [3, 256] over the pixels that are not white."""
    from PIL import Image

    with Image.open(picture) as image:
        pixels = np.asarray(image.convert("RGB")).reshape(-1, 3)
    pixels = pixels[(pixels < _WHITE).any(axis=1)]
    return np.stack([np.bincount(pixels[:, channel], minlength=256) for channel in range(3)])


def from_frames(frames: Sequence[Frame], folder: Path) -> float | None:
    """Return the Speed Index, s, of screenshots in ``folder``, or None if there are none."""
    if not frames:
        return None
    progress = visual_progress(np.stack([histogram(folder / frame.file) for frame in frames]))
    return speed_index([frame.time_s for frame in frames], progress)
