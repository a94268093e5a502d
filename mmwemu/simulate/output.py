"""Output files of ``mmwemu-cell``: the trace's columns as CSV and its provenance as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from mmwemu.core.errors import MmwemuError
from mmwemu.trace.model import COLUMNS, OPTIONAL, Floats


def read_columns(path: Path) -> dict[str, Floats]:
    """Return the columns of the trace [n] by the names in the header, those of `OPTIONAL` too where it has them.

    Raises
    ------
    MmwemuError
        If a column is missing or a value is not a number.
    """
    with path.open(encoding="ascii") as file:
        header = file.readline().strip().split(",")
        missing = [name for name in COLUMNS if name not in header]
        if missing:
            raise MmwemuError(f"{path.name}: columns {', '.join(missing)} are missing; reinstall mmwemu")
        try:
            rows = np.loadtxt(file, delimiter=",", ndmin=2)
        except ValueError as error:
            raise MmwemuError(f"{path.name}: {error}") from error
    if rows.shape[1] != len(header):
        raise MmwemuError(f"{path.name}: rows have {rows.shape[1]} values, the header {len(header)}")
    return {name: rows[:, header.index(name)].copy() for name in (*COLUMNS, *OPTIONAL) if name in header}


def read_meta(path: Path) -> dict[str, Any]:
    """Return the program's metadata of a simulation.

    Raises
    ------
    MmwemuError
        If the file is not a JSON object.
    """
    try:
        meta = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise MmwemuError(f"{path.name}: is not JSON: {error}") from error
    if not isinstance(meta, dict):
        raise MmwemuError(f"{path.name}: is not a JSON object")
    return meta
