"""Rows of packet traces, Parquet or text, in chunks: memory does not grow with the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from mmwemu.core.bounds import MOST_LINE
from mmwemu.core.errors import InputError
from mmwemu.core.text import cut, printable

if TYPE_CHECKING:
    import pyarrow as pa

PARQUET = "PAR1"
"""What a Parquet file begins with."""

_CHUNK_ROWS = 1 << 18
_CHUNK_BYTES = 1 << 22
_BUFFER_BYTES = 1 << 20


class Rows:
    """An open packet trace, to be used in a ``with``: the names of its columns, and its rows.

    Attributes
    ----------
    names
        Names of the columns; a text without a header has ``f0``, ``f1`` and so on.

    Raises
    ------
    InputError
        If the file cannot be read, or is neither Parquet nor text.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._parquet: Any = None
        self.names: list[str] = []
        try:
            # Opened by Python, since Arrow takes no name that is not UTF-8.
            self._file = path.open("rb")
        except OSError as error:
            raise InputError(str(path), f"cannot be read: {error.strerror}") from None

    def __enter__(self) -> Self:
        try:
            with _refusing(self._path):
                head = self._file.read(MOST_LINE * 4)
                self._file.seek(0)
            if not head:
                raise InputError(str(self._path), "is empty")
            if head.startswith(PARQUET.encode()):
                self._open_parquet()
            else:
                self._open_text(head)
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _open_parquet(self) -> None:
        import pyarrow.parquet as pq

        with _refusing(self._path):
            self._parquet = pq.ParquetFile(self._file, buffer_size=_BUFFER_BYTES, pre_buffer=False)
            self.names = self._parquet.schema_arrow.names
        if b"mmwemu" in (self._parquet.schema_arrow.metadata or {}):
            raise InputError(str(self._path), "is a trace of a cell; make a pattern of it with mmwemu pattern build")

    def _open_text(self, head: bytes) -> None:
        try:
            line = head.partition(b"\n")[0].decode("utf-8").removeprefix("\ufeff").rstrip("\r")
        except UnicodeDecodeError:
            raise InputError(str(self._path), "is neither a text (UTF-8) nor a Parquet file") from None
        if len(line) > MOST_LINE:
            raise InputError(f"{self._path}: line 1", f"has more than {MOST_LINE} characters")
        self._separator = next((one for one in ",;\t" if one in line), " ")
        self.names = [name.strip('"') for name in line.split(self._separator)]
        self._has_header = not all(map(_is_number, self.names))
        if not self._has_header:
            self.names = [f"f{i}" for i in range(len(self.names))]

    def chunks(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of some columns, in the order of the file.

        Raises
        ------
        InputError
            If the file is damaged, or a value in a text is no number.
        """
        with _refusing(self._path):
            if self._parquet is not None:
                yield from self._parquet.iter_batches(batch_size=_CHUNK_ROWS, columns=list(columns))
            else:
                yield from self._text_chunks(columns)

    def _text_chunks(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        from pyarrow import csv

        yield from csv.open_csv(
            self._file,
            csv.ReadOptions(block_size=_CHUNK_BYTES, autogenerate_column_names=not self._has_header),
            csv.ParseOptions(delimiter=self._separator),
            csv.ConvertOptions(
                include_columns=list(columns),
                column_types={name: pa.string() if name == "direction" else pa.float64() for name in columns},
            ),
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Turn Arrow's errors into one line."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = cut(printable(" ".join(str(error).split())))
        raise InputError(str(path), f"is damaged or no packet trace: {reason}") from None
