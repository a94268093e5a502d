"""Stored baselines: what is written is read, and what is none is refused in one line."""

import json
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mmwemu.check import baseline, machine
from mmwemu.check.baseline import Baseline, Head
from mmwemu.core.errors import InputError
from tests.checks import group, values

HEAD = Head("s", "00", "0.1.0", "a processor, 2 cores", "2026-01-01T00:00:00+00:00", 0.01)
KEPT = Baseline(HEAD, {("g", 0): values([1.0, None, 2.5]), ("h", 1): values([0.1])}, {1: 5e7, 2: 5.1e7})


def test_what_is_written_is_read_and_small(tmp_path):
    baseline.write(KEPT, tmp_path / "b.parquet")
    assert baseline.read(tmp_path / "b.parquet") == KEPT
    assert (tmp_path / "b.parquet").stat().st_size < 10_000
    assert KEPT.of([group("g"), group("x")]) == {group("g"): values([1.0, None, 2.5]), group("x"): {}}
    assert KEPT.repetitions == 3


def changed(path, **head):
    table = pq.read_table(path)
    values = json.loads(table.schema.metadata[b"mmwemu.baseline"]) | head
    pq.write_table(table.replace_schema_metadata({b"mmwemu.baseline": json.dumps(values).encode()}), path)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ({"format": 2}, "this mmwemu reads up to 1"),
        ({"format": "x"}, "must be a number"),
        ({"processor_s": 0}, "must be above 0"),
        ({"study": None}, "must be a string"),
    ],
)
def test_another_head_is_refused(tmp_path, head, words):
    path = tmp_path / "b.parquet"
    baseline.write(KEPT, path)
    changed(path, **head)
    with pytest.raises(InputError, match=words):
        baseline.read(path)


def test_what_is_no_baseline_is_refused(tmp_path):
    path = tmp_path / "b.parquet"
    with pytest.raises(InputError, match=r"is not a file; mmwemu check --update"):
        baseline.read(path)
    path.write_bytes(b"PAR1 no parquet PAR1")
    with pytest.raises(InputError, match="is not a baseline"):
        baseline.read(path)
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(InputError, match="is not a baseline"):
        baseline.read(path)
    head = json.dumps({"format": 1, **HEAD.__dict__}).encode()
    table = pa.table({"a": [1]}).replace_schema_metadata({b"mmwemu.baseline": head})
    pq.write_table(table, path)
    with pytest.raises(InputError, match="is not a baseline"):
        baseline.read(path)


@pytest.mark.parametrize("column", ["group", "part", "metric", "repetition", "value"])
def test_rows_with_gaps_are_refused(tmp_path, column):
    path = tmp_path / "b.parquet"
    baseline.write(KEPT, path)
    table = pq.read_table(path)
    i = table.column_names.index(column)
    pq.write_table(table.set_column(i, column, pa.nulls(len(table), table.schema.field(i).type)), path)
    with pytest.raises(InputError, match=r"NoneType.*was it edited"):
        baseline.read(path)


def test_machines_differ_by_the_farther_end_of_the_interval_and_the_processor():
    same = machine.difference([1e6, 1.01e6, 1e6, 0.2e6, 1e6, 1e6, 1.01e6, 1e6, 1e6, 1.02e6], [1e6] * 10, 0.01, 0.01)
    assert 0 < same.link < 0.05
    assert same.processor == 0
    slower = machine.difference([0.5e6] * 5, [1e6] * 5, 0.02, 0.01)
    assert slower.link == slower.processor == pytest.approx(math.log(2))
    assert slower.allowance == pytest.approx(2 * math.log(2))
    assert machine.difference([1e6] * 4, [1e6] * 4, 1, 1).allowance == math.inf


def test_the_fixed_computation_takes_as_long_again():
    found = [machine.processor_s() for _ in range(3)]
    assert 0 < max(found) < 3 * min(found)
