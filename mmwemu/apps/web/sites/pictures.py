"""JPEG pictures with an exact number of bytes."""

from __future__ import annotations

import io
import math

import numpy as np

LEAST_BYTES = 700
# Pictures on the web have about 0.3 bytes per pixel.
_PIXELS_PER_BYTE = 3.0
_LARGEST_SIDE = 1600
_QUALITIES = (2, 92)
_SEGMENT_BYTES = 65_535


def jpeg(size_bytes: int, random: np.random.Generator) -> bytes:
    """Return a picture of smooth colour and noise, padded to the exact byte by JPEG comment segments.

    Parameters
    ----------
    size_bytes
        Exact size, at least `LEAST_BYTES`.
    random
        Source of colours and noise.
    """
    from PIL import Image

    area = min(size_bytes * _PIXELS_PER_BYTE, _LARGEST_SIDE**2 * 0.75)
    height = max(8, math.isqrt(int(area * 0.75)))
    picture = Image.fromarray(_pixels(height, max(8, round(height * 4 / 3)), random))
    low, high = _QUALITIES
    best = b""
    while low <= high:
        quality = (low + high) // 2
        data = io.BytesIO()
        picture.save(data, "JPEG", quality=quality)
        if len(data.getvalue()) <= size_bytes:
            best, low = data.getvalue(), quality + 1
        else:
            high = quality - 1
    if not best:
        return jpeg_of_one_colour(size_bytes, random)
    return pad(best, size_bytes)


def jpeg_of_one_colour(size_bytes: int, random: np.random.Generator) -> bytes:
    """Return a picture of one colour, for sizes too small for more."""
    from PIL import Image

    data = io.BytesIO()
    Image.new("RGB", (8, 8), tuple(random.integers(40, 216, 3).tolist())).save(data, "JPEG", quality=50, optimize=True)
    return pad(data.getvalue(), size_bytes)


def pad(data: bytes, size_bytes: int) -> bytes:
    """Return a JPEG padded to ``size_bytes`` by comment segments; up to three more bytes follow its end."""
    body, end = data[:2], data[2:]
    left = size_bytes - len(data)
    if left < 0:
        raise ValueError(f"{len(data)} bytes cannot be padded to {size_bytes}")
    comments = b""
    while left >= 4:
        take = min(left, _SEGMENT_BYTES + 2)
        if 0 < left - take < 4:
            take -= 4
        comments += b"\xff\xfe" + (take - 2).to_bytes(2, "big") + b" " * (take - 4)
        left -= take
    return body + comments + end + b"\0" * left


def _pixels(height: int, width: int, random: np.random.Generator) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Return [height, width, 3] pixels: a blend of four corner colours darker than white, with some noise."""
    corners = random.integers(30, 200, (2, 2, 3)).astype(np.float32)
    down = np.linspace(0, 1, height, dtype=np.float32)[:, None, None]
    right = np.linspace(0, 1, width, dtype=np.float32)[None, :, None]
    top = corners[0, 0] * (1 - right) + corners[0, 1] * right
    bottom = corners[1, 0] * (1 - right) + corners[1, 1] * right
    noise = random.standard_normal((height, width, 1), dtype=np.float32) * 14
    picture: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]
    picture = np.clip(top * (1 - down) + bottom * down + noise, 0, 235).astype(np.uint8)
    return picture
