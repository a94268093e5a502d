"""Traces in Parquet files; docs/formats/trace.md describes the format."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.trace.model import COLUMNS, Trace

FORMAT = 1
_KEY = b"mmwemu"


def save(trace: Trace, path: Path) -> None:
    """Write a trace; equal traces give equal bytes.

    Raises
    ------
    MmwemuError
        If the file cannot be written; no partial file remains.
    """
    with whole_file(path) as draft:
        write(trace, draft)


def write(trace: Trace, path: Path) -> None:
    """Write a trace directly to ``path``, for callers with a draft file of their own."""
    header = json.dumps({"format": FORMAT, **trace.meta}, sort_keys=True)
    table = pa.table({name: getattr(trace, name) for name in COLUMNS}).replace_schema_metadata({_KEY: header})
    pq.write_table(table, path, compression="zstd")


def load(path: Path) -> Trace:
    """Read a trace.

    Raises
    ------
    InputError
        If the file is missing, truncated, not a trace, or made by a newer mmwemu.
    """
    try:
        table = pq.read_table(path)
    except FileNotFoundError:
        raise InputError(str(path), "does not exist") from None
    except (pa.ArrowException, OSError):
        raise InputError(str(path), "is truncated or not a Parquet file; make it with mmwemu simulate") from None
    header = (table.schema.metadata or {}).get(_KEY)
    if header is None:
        raise InputError(str(path), "is a Parquet file but not a trace (no mmwemu metadata)")
    meta = json.loads(header)
    version = meta.pop("format")
    if version > FORMAT:
        raise InputError(str(path), f"has format {version}; this mmwemu reads up to {FORMAT}: install a newer mmwemu")
    absent = [name for name in COLUMNS if name not in table.column_names]
    if absent:
        raise InputError(str(path), f"has no column {absent[0]}")
    columns = {name: table[name].to_numpy().astype(np.float64) for name in COLUMNS}
    try:
        return Trace(**columns, meta=meta)
    except InputError as error:
        raise InputError(f"{path}: {error.where}", error.problem) from None
