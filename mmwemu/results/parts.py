"""The parts of an unfinished results folder: files of each run, joined into tables in the end.

A run is kept once its ``run-NUMBER.json`` is there, which is written last. Nothing that joins needs more memory than a
few hundred runs take.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.core.files import whole_file
from mmwemu.core.text import parse_json, read_text

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

FOLDER = "parts"
RUN, REJECTED = "run", "rejected"
_ROWS_AT_ONCE = 200_000
_RUNS_AT_ONCE = 500


class Parts:
    """The parts in a results folder; ``folder`` is made by whoever opens the results."""

    def __init__(self, results: Path) -> None:
        self.results = results
        self.folder = results / FOLDER
        self._names: dict[str, None] = {}  # of tables, in the order in which they came

    def add_table(self, name: str, run: int, table: pd.DataFrame) -> None:
        """Write a table of a run, before the run itself."""
        with whole_file(self._table(name, run)) as draft:
            table.assign(run=run).to_parquet(draft, index=False)
        self._names[name] = None

    def add_run(self, run: int, row: Mapping[str, Any]) -> None:
        """Write the row of a run, which is kept from now on."""
        _write(self.folder / f"{RUN}-{run:05}.json", row)

    def add_rejected(self, run: int, attempt: int, row: Mapping[str, Any]) -> None:
        """Write the row of an attempt at a run that does not count, and remove what its application kept."""
        self._remove_kept(run)
        _write(self.folder / f"{REJECTED}-{run:05}-{attempt:02}.json", {**row, "attempt": attempt})

    def runs(self) -> list[int]:
        """Return the numbers of the runs that are kept."""
        return sorted(_number(path) for path in self.folder.glob(f"{RUN}-*.json"))

    def rejected(self) -> list[tuple[int, int]]:
        """Return run and attempt of what does not count."""
        names = [path.stem.split("-") for path in self.folder.glob(f"{REJECTED}-*.json")]
        return sorted((int(run), int(attempt)) for _, run, attempt in names)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of the runs that are kept, in order.

        Raises
        ------
        InputError
            If a file was edited into nonsense.
        """
        for run in self.runs():
            yield _read(self.folder / f"{RUN}-{run:05}.json")

    def rejected_rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of what does not count."""
        for run, attempt in self.rejected():
            yield _read(self.folder / f"{REJECTED}-{run:05}-{attempt:02}.json")

    def tables(self, run: int) -> dict[str, pd.DataFrame]:
        """Return the tables of a run."""
        import pandas as pd

        files = {name: self._table(name, run) for name in self._names}
        return {name: pd.read_parquet(file) for name, file in files.items() if file.exists()}

    def keep_only(self, runs: Collection[int]) -> None:
        """Remove what there is of other runs, so that they can be made again; rejected attempts stay."""
        for path in self.folder.iterdir():
            kind, _, number = path.stem.rpartition("-")
            if kind and not kind.startswith(REJECTED) and number.isdigit() and int(number) not in runs:
                path.unlink(missing_ok=True)
        for path in self.results.glob("*/*"):
            if path.is_dir() and len(path.name) >= 5 and path.name.isdigit() and int(path.name) not in runs:
                shutil.rmtree(path, ignore_errors=True)

    def _remove_kept(self, run: int) -> None:
        """Remove the folders that applications keep of a run, such as ``pages/00001``."""
        for path in self.results.glob(f"*/{run:05}"):
            shutil.rmtree(path, ignore_errors=True)

    def join(self, columns: Sequence[str]) -> None:
        """Write runs.parquet, without runs with these columns, and the other tables; the parts stay.

        Raises
        ------
        InputError
            If a part was edited into nonsense.
        MmwemuError
            If the disk is full, or a column has values of different kinds.
        """
        runs = self.runs()
        _write_rows([self.folder / f"{RUN}-{run:05}.json" for run in runs], columns, self.results / "runs.parquet")
        rejected = [self.folder / f"{REJECTED}-{run:05}-{attempt:02}.json" for run, attempt in self.rejected()]
        if rejected:
            _write_rows(rejected, columns, self.results / f"{REJECTED}.parquet")
        kept = set(runs)
        names: dict[str, list[int]] = {}
        for path in self.folder.glob("*.parquet"):
            name, _, number = path.stem.rpartition("-")
            if name and number.isdigit() and int(number) in kept:
                names.setdefault(name, []).append(int(number))
        for name, numbers in sorted(names.items()):
            files = [self._table(name, run) for run in sorted(numbers)]
            _concatenate(files, self.results / f"{name}.parquet")

    def remove(self) -> None:
        """Remove all parts."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _table(self, name: str, run: int) -> Path:
        return self.folder / f"{name}-{run:05}.parquet"


def frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Return rows as a table; columns that a row lacks are missing in it."""
    import pandas as pd

    return pd.DataFrame(list(rows), columns=list(dict.fromkeys(name for row in rows for name in row) or columns))


def _write(path: Path, row: Mapping[str, Any]) -> None:
    with whole_file(path) as draft:
        draft.write_text(json.dumps(row), encoding="utf-8")


def _read(path: Path) -> dict[str, Any]:
    row = parse_json(read_text(path), str(path))
    if not isinstance(row, dict):
        raise InputError(str(path), "is not the row of a run; was it edited?")
    return row


def _number(path: Path) -> int:
    number = path.stem.rpartition("-")[2]
    if not number.isdigit():
        raise InputError(str(path), "is not the row of a run; was it renamed?")
    return int(number)


def _write_rows(files: Sequence[Path], columns: Sequence[str], path: Path) -> None:
    table = frame([_read(file) for file in files], columns)
    with whole_file(path) as draft:
        table.to_parquet(draft, index=False)


def _concatenate(files: Sequence[Path], path: Path) -> None:
    """Write the tables of several files as one, a few hundred files at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schemas = [pq.read_schema(file).remove_metadata() for file in files]
        schema = pa.unify_schemas(list(dict.fromkeys(schemas)), promote_options="permissive")
        with whole_file(path) as draft, pq.ParquetWriter(draft, schema) as writer:
            waiting: list[pa.Table] = []
            for file in files:
                waiting.append(_as(schema, pq.read_table(file)))
                if len(waiting) == _RUNS_AT_ONCE or sum(table.num_rows for table in waiting) > _ROWS_AT_ONCE:
                    writer.write_table(pa.concat_tables(waiting))
                    waiting = []
            if waiting:
                writer.write_table(pa.concat_tables(waiting))
    except pa.ArrowException as error:
        raise MmwemuError(f"{path}: the parts cannot be joined: {' '.join(str(error).split())}") from None


def _as(schema: pa.Schema, table: pa.Table) -> pa.Table:
    """Return a table with the columns of a schema, those that it lacks without values."""
    import pyarrow as pa

    columns = [
        table[field.name].cast(field.type) if field.name in table.column_names else pa.nulls(len(table), field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)
