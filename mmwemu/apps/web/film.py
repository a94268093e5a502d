"""The film strip of a page load that is kept: screenshots, and a file with their times."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from mmwemu.apps.web.result import Frame
from mmwemu.core.errors import InputError
from mmwemu.core.names import is_name
from mmwemu.core.text import parse_json, read_text

_TIMES = "film/times.json"


def write_times(frames: Sequence[Frame], kept: Path) -> None:
    """Write the times of the frames beside them."""
    (kept / _TIMES).write_text(json.dumps([asdict(frame) for frame in frames]) + "\n", encoding="utf-8")


def read_film(kept: Path) -> list[Frame]:
    """Return the frames of a load that was kept, in order; none without a file of times that can be read."""
    file = kept / _TIMES
    if not file.is_file():
        return []
    try:
        found = [Frame(float(row["time_s"]), str(row["file"])) for row in parse_json(read_text(file), str(file))]
    except (InputError, KeyError, TypeError, ValueError):
        return []
    return [frame for frame in found if is_name(frame.file) and (kept / "film" / frame.file).is_file()]
