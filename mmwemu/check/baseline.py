"""Stored baselines: one small Parquet file; docs/formats/baseline.md describes it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from mmwemu.check.samples import Group, Values
from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.tables import Table
from mmwemu.core.text import parse_json

FORMAT = 1
_KEY = b"mmwemu.baseline"
_COLUMNS = {"group": "string", "part": "int32", "metric": "string", "repetition": "int32", "value": "float64"}
_REFERENCE = "reference"
_MOST_ROWS = 1_000_000


@dataclass(frozen=True)
class Head:
    """What a baseline is of.

    Attributes
    ----------
    study, study_sha256
        Name of the study, and the hash of all that determines its runs but for their number.
    mmwemu, machine, made
        The version that made it, the machine in words, and the time, UTC.
    processor_s
        CPU time of a fixed computation on that machine, s.
    """

    study: str
    study_sha256: str
    mmwemu: str
    machine: str
    made: str
    processor_s: float


@dataclass(frozen=True)
class Baseline:
    """Values of each metric, by group and part; the reference workload's by repetition."""

    head: Head
    values: Mapping[tuple[str, int], Values]
    reference: Mapping[int, float]

    def of(self, groups: Sequence[Group]) -> dict[Group, Values]:
        """Return the values of groups by what they are called."""
        return {group: self.values.get((group.label, group.part), {}) for group in groups}

    @property
    def repetitions(self) -> int:
        """The highest repetition that it has."""
        return max((max(values) for values in self.values.values() if values), default=0)


def write(baseline: Baseline, path: Path) -> None:
    """Write a baseline.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows: list[tuple[str, int, str, int, float]] = []
    for (group, part), values in baseline.values.items():
        for repetition, row in sorted(values.items()):
            # A run without any value is a row all the same: it is a run that came to none.
            rows += [(group, part, metric, repetition, value) for metric, value in (row or {"": math.nan}).items()]
    rows += [(_REFERENCE, 0, _REFERENCE, repetition, value) for repetition, value in baseline.reference.items()]
    head = json.dumps({"format": FORMAT, **asdict(baseline.head)}).encode()
    columns = [pa.array([row[i] for row in rows], kind) for i, kind in enumerate(_COLUMNS.values())]
    table = pa.Table.from_arrays(columns, list(_COLUMNS)).replace_schema_metadata({_KEY: head})
    with whole_file(path) as draft:
        pq.write_table(table, draft, compression="zstd")


def read(path: Path) -> Baseline:
    """Read a baseline.

    Raises
    ------
    InputError
        If the file is missing, is no baseline, or a newer mmwemu made it.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    where = str(path)
    if not path.is_file():
        raise InputError(where, "is not a file; mmwemu check --update --baseline makes it")
    try:
        found = pq.read_metadata(path)
        metadata = found.metadata or {}
        if found.num_rows > _MOST_ROWS:
            raise InputError(where, f"has {found.num_rows} rows; must have at most {_MOST_ROWS}")
        if _KEY not in metadata:
            raise InputError(where, "is not a baseline; mmwemu check --update --baseline makes one")
        head = _head(metadata[_KEY], where)
        rows = pq.read_table(path, columns=list(_COLUMNS)).to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise InputError(where, f"is not a baseline: {' '.join(str(error).split())}") from None
    values: dict[tuple[str, int], Values] = {}
    reference: dict[int, float] = {}
    for row in rows:
        group, part, metric, repetition, value = (row[name] for name in _COLUMNS)
        if (kinds := tuple(map(type, row.values()))) != (str, int, str, int, float):
            raise InputError(where, f"has a row of {', '.join(kind.__name__ for kind in kinds)}; was it edited?")
        if group == metric == _REFERENCE:
            reference[repetition] = value
            continue
        of_run = values.setdefault((group, part), {}).setdefault(repetition, {})
        if math.isfinite(value):
            of_run[metric] = value
    return Baseline(head, values, reference)


def _head(text: bytes, where: str) -> Head:
    found = parse_json(text, where)
    if not isinstance(found, dict):
        raise InputError(where, "is not a baseline: its head is no JSON object")
    table = Table(where, found)
    table.format(FORMAT)
    words = {name: table.text(name) for name in ("study", "study_sha256", "mmwemu", "machine", "made")}
    return Head(**words, processor_s=table.number("processor_s", above=0))
