"""Traces in Parquet files; docs/formats/trace.md describes the format."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mmwemu.core.bounds import HIGHEST_RATE_BPS, LARGEST_SEED, MOST_BINS
from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.tables import Table
from mmwemu.core.text import parse_json, shown
from mmwemu.trace.model import COLUMNS, OPTIONAL, Floats, Trace

FORMAT = 1
_LARGEST_PACKET_BYTES = 65_535
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


def write(trace: Trace, path: Path | IO[bytes]) -> None:
    """Write a trace directly to ``path``, for callers with a draft file of their own."""
    header = json.dumps({"format": FORMAT, **trace.meta}, sort_keys=True)
    table = pa.table(trace.columns()).replace_schema_metadata({_KEY: header})
    pq.write_table(table, path, compression="zstd")


def dumps(trace: Trace) -> bytes:
    """Return the content of the file that `save` writes."""
    sink = io.BytesIO()
    write(trace, sink)
    return sink.getvalue()


def load_meta(path: Path) -> dict[str, Any]:
    """Return the metadata of a trace without its columns.

    Raises
    ------
    InputError
        As `load`.
    """
    return _metadata(path, _read_table(path, columns=False))


def load(path: Path) -> Trace:
    """Read a trace.

    Raises
    ------
    InputError
        If the file is missing, truncated, not a trace, or made by a newer mmwemu.
    """
    table = _read_table(path)
    meta = _metadata(path, table)
    try:
        columns = {name: _floats(table, name) for name in table.column_names}
        optional = {name: columns.pop(name) for name in OPTIONAL if name in columns}
        return Trace(**columns, meta=meta, optional=optional)
    except InputError as error:
        raise InputError(f"{path}: {error.where}", error.problem) from None


def _metadata(path: Path, table: pa.Table) -> dict[str, Any]:
    header = (table.schema.metadata or {}).get(_KEY)
    if header is None:
        raise InputError(str(path), "is a Parquet file but not a trace (no mmwemu metadata)")
    return _read_meta(header, f"{path}: metadata")


def _read_table(path: Path, *, columns: bool = True) -> pa.Table:
    """Return the columns of a trace, or none of them, if the file has no more rows than one may have."""
    if not path.is_file():
        raise InputError(str(path), "is a folder; give a trace" if path.is_dir() else "does not exist")
    try:
        with pq.ParquetFile(path) as file:
            if file.metadata.num_rows > MOST_BINS:
                raise InputError(str(path), f"has {file.metadata.num_rows} rows; must have at most {MOST_BINS}")
            names = file.schema_arrow.names
            for name in (*COLUMNS, *OPTIONAL):
                if names.count(name) > 1 or (name in COLUMNS and name not in names):
                    raise InputError(str(path), f"has {'two columns' if name in names else 'no column'} {name}")
            return file.read([name for name in (*COLUMNS, *OPTIONAL) if columns and name in names])
    except (pa.ArrowException, OSError, ValueError, KeyError):
        raise InputError(str(path), "is truncated or not a Parquet file; make it with mmwemu simulate") from None


def _read_meta(header: bytes, where: str) -> dict[str, Any]:
    """Return the metadata of a trace; keys that no conversion reads are kept as they are."""
    meta = parse_json(header, where)
    if not isinstance(meta, dict):
        raise InputError(where, f"is {shown(meta)}; must be a JSON object")
    table = Table(where, meta)
    table.format(FORMAT)
    for key in ("scenario_hash", "rat", "engine", "engine_version", "ns3_version"):
        if meta.get(key) is not None and table.title(key) == "":
            raise table.refuse(key, "is empty")
    if "scenario" in table:
        table.name("scenario")
    if "seed" in table:
        table.integer("seed", least=0, most=LARGEST_SEED)
    for key, least in (("payload_bytes", 1), ("header_bytes", 0)):
        if key in table:
            table.integer(key, least=least, most=_LARGEST_PACKET_BYTES)
    rule = table.table("outage")
    if "below_bps" in rule:
        rule.number("below_bps", least=0, most=HIGHEST_RATE_BPS)
    if "packets" in rule:
        rule.text("packets", choices=("hold", "drop"))
    return {key: value for key, value in meta.items() if key != "format" and value is not None}


def _floats(table: pa.Table, name: str) -> Floats:
    column = table[name]
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise InputError(f"trace: {name}", f"is a column of {column.type}; must be one of numbers")
    values: Floats = column.cast(pa.float64(), safe=False).to_numpy().astype(np.float64)
    return values
