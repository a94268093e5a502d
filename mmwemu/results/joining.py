"""Parquet files written one after another as one, in the memory of a few of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.core.files import whole_file

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS_AT_ONCE = 100_000
_TABLES_AT_ONCE = 500

Counting = Mapping[str, int]
"""What is added to each column of numbers, by its name."""


def join(files: Sequence[tuple[Path, Counting]], path: Path) -> None:
    """Write the rows of Parquet files as those of one; columns that one lacks have no values in its rows.

    Raises
    ------
    InputError
        If a file cannot be read.
    MmwemuError
        If a column has values of different kinds, or the disk is full.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schemas = dict.fromkeys(_schema(file) for file, _ in files)
        schema = pa.unify_schemas(list(schemas), promote_options="permissive")
        with whole_file(path) as draft, pq.ParquetWriter(draft, schema) as writer:
            waiting: list[pa.Table] = []
            rows = 0
            for file, counting in files:
                for table in _tables(file):
                    waiting.append(_as(schema, table, counting))
                    rows += table.num_rows
                    if rows >= _ROWS_AT_ONCE or len(waiting) >= _TABLES_AT_ONCE:
                        writer.write_table(pa.concat_tables(waiting))
                        waiting, rows = [], 0
            if waiting:
                writer.write_table(pa.concat_tables(waiting))
    except pa.ArrowException as error:
        raise MmwemuError(f"{path}: tables cannot be joined: {_line(error)}") from None


def _schema(file: Path) -> pa.Schema:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(file).remove_metadata()
    except (pa.ArrowException, OSError) as error:
        raise InputError(str(file), f"cannot be read: {_line(error)}") from None
    if "run" not in schema.names or not pa.types.is_integer(schema.field("run").type):
        raise InputError(str(file), "has no column run of whole numbers")
    return schema


def _tables(file: Path) -> Iterator[pa.Table]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(file) as source:
            for batch in source.iter_batches(_ROWS_AT_ONCE):
                yield pa.Table.from_batches([batch])
    except (pa.ArrowException, OSError) as error:
        raise InputError(str(file), f"cannot be read: {_line(error)}") from None


def _as(schema: pa.Schema, table: pa.Table, counting: Counting) -> pa.Table:
    """Return a table with the columns of a schema, and numbers counted on."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = []
    for field in schema:
        if field.name not in table.column_names:
            columns.append(pa.nulls(len(table), field.type))
            continue
        column = table[field.name].cast(field.type)
        if counting.get(field.name):
            column = pc.add(column, pa.scalar(counting[field.name], field.type))
        columns.append(column)
    return pa.Table.from_arrays(columns, schema=schema)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
