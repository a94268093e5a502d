"""Files for the web server."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Literal

from mmwemu.core.errors import MmwemuError

Fill = Literal["sparse", "random"]
_CHUNK_BYTES = 1 << 20


def make_file(folder: Path, size_bytes: int, fill: Fill = "sparse", seed: int = 1) -> str:
    """Make a file of a size, unless it exists, and return its name.

    ``sparse`` files read as zeros and take no space; ``random`` files cannot be compressed.

    Raises
    ------
    MmwemuError
        If the disk is full; no partial file remains.
    """
    name = f"{fill}-{size_bytes}.bin"
    path = folder / name
    if path.exists():
        return name
    try:
        with path.open("wb") as file:
            if fill == "sparse":
                file.truncate(size_bytes)
            else:
                source = random.Random(seed)
                for left in range(size_bytes, 0, -_CHUNK_BYTES):
                    file.write(source.randbytes(min(left, _CHUNK_BYTES)))
    except OSError as error:
        path.unlink(missing_ok=True)
        raise MmwemuError(f"{path}: making a file of {size_bytes} bytes failed: {error.strerror}") from None
    return name
