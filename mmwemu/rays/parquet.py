"""Rays in Parquet files; docs/formats/rays.md describes the format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mmwemu.core.bounds import FARTHEST_M
from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.tables import Table
from mmwemu.core.text import parse_json, shown
from mmwemu.rays.model import MOST_PATHS, MOST_POINTS, PATH_RANGES, POINT_RANGES, Floats, Rays
from mmwemu.scenario.model import Point

FORMAT = 1
_KEY = b"mmwemu"
_KIND = "rays"


def save(rays: Rays, path: Path) -> None:
    """Write rays; equal rays give equal bytes.

    Raises
    ------
    MmwemuError
        If the file cannot be written; no partial file remains.
    """
    with whole_file(path) as draft:
        write(rays, draft)


def write(rays: Rays, path: Path) -> None:
    """Write rays directly to ``path``, for callers with a draft file of their own."""
    header = {"format": FORMAT, "kind": _KIND, "base_station_m": rays.base_station_m, "carrier_hz": rays.carrier_hz,
              "source": rays.source}  # fmt: skip
    columns = {name: pa.array(getattr(rays, name)) for name in POINT_RANGES}
    first = pa.array(rays.first, pa.int32())
    for name in PATH_RANGES:
        columns[name] = pa.ListArray.from_arrays(first, pa.array(getattr(rays, name)))
    table = pa.table(columns).replace_schema_metadata({_KEY: json.dumps(header, sort_keys=True)})
    pq.write_table(table, path, compression="zstd")


def load(path: Path) -> Rays:
    """Read rays.

    Raises
    ------
    InputError
        If the file is missing, truncated, no rays, made by a newer mmwemu, or has a value that breaks a rule.
    """
    table, header = _read(path)
    try:
        base_station_m, carrier_hz, source = _read_header(header)
        points = {name: _floats(table[name].combine_chunks(), name) for name in POINT_RANGES}
        lists = {name: _flattened(table[name], name) for name in PATH_RANGES}
        first = next(iter(lists.values()))[0]
        for name, (starts, _) in lists.items():
            if not np.array_equal(starts, first):
                raise InputError(f"rays: {name}", f"has other numbers of paths than {next(iter(lists))}")
        paths = {name: values for name, (_, values) in lists.items()}
        return Rays(base_station_m, carrier_hz, first=first, source=source, **points, **paths)
    except InputError as error:
        raise InputError(f"{path}: {error.where}", error.problem) from None


def _read(path: Path) -> tuple[pa.Table, bytes]:
    if not path.is_file():
        raise InputError(str(path), "is a folder; give a file of rays" if path.is_dir() else "does not exist")
    try:
        with pq.ParquetFile(path) as file:
            if not 1 <= file.metadata.num_rows <= MOST_POINTS:
                raise InputError(str(path), f"has {file.metadata.num_rows} points; must have 1 to {MOST_POINTS}")
            schema = file.schema_arrow
            header = (schema.metadata or {}).get(_KEY)
            if header is None:
                raise InputError(str(path), "is a Parquet file but holds no rays (no mmwemu metadata)")
            for name in (*POINT_RANGES, *PATH_RANGES):
                if schema.names.count(name) != 1:
                    number = "two columns" if name in schema.names else "no column"
                    raise InputError(str(path), f"has {number} {name}; make it with mmwemu rays trace or import")
            if sum(file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups)) > _LARGEST:
                raise InputError(str(path), f"holds more than the {MOST_PATHS} paths that are read")
            return file.read([*POINT_RANGES, *PATH_RANGES]), header
    except (pa.ArrowException, OSError, ValueError, KeyError):
        raise InputError(str(path), "is truncated or not a Parquet file; make it with mmwemu rays") from None


# Of the widest columns, uncompressed: eight numbers of each path and four of each point.
_LARGEST = 2 * 8 * (len(PATH_RANGES) * MOST_PATHS + len(POINT_RANGES) * MOST_POINTS)


def _read_header(header: bytes) -> tuple[Point, float, str]:
    meta: Any = parse_json(header, "metadata")
    if not isinstance(meta, dict):
        raise InputError("metadata", f"is {shown(meta)}; must be a JSON object")
    table = Table("metadata", meta)
    if table.text("kind", "none") != _KIND:
        raise InputError("metadata", "is not that of rays; make the file with mmwemu rays")
    table.format(FORMAT)
    base_station_m = cast(Point, table.numbers("base_station_m", 3, least=-FARTHEST_M, most=FARTHEST_M))
    found = base_station_m, table.number("carrier_hz"), table.title("source")
    table.finish()
    return found


def _floats(column: pa.Array, name: str) -> Floats:
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise InputError(f"rays: {name}", f"is a column of {column.type}; must be one of numbers")
    if column.null_count:
        raise InputError(f"rays: {name}", "has rows without a value")
    values: Floats = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False).astype(np.float64)
    return values


def _flattened(column: pa.ChunkedArray, name: str) -> tuple[np.ndarray[Any, np.dtype[np.int64]], Floats]:
    """Return where the list of each point begins in the values of all, with their number, and those values."""
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        raise InputError(f"rays: {name}", f"is a column of {column.type}; must be one of lists of numbers")
    if column.null_count:
        raise InputError(f"rays: {name}", "has points without a list")
    lists = column.combine_chunks()
    lengths = lists.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64)
    return np.concatenate([[0], np.cumsum(lengths)]), _floats(lists.flatten(), name)
