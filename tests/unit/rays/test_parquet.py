import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mmwemu.core.errors import InputError
from mmwemu.rays import parquet
from mmwemu.rays.model import PATH_RANGES, POINT_RANGES
from tests import rays as made


@pytest.fixture
def rays():
    return made.make(hidden=lambda along_m: 3 < along_m < 6)


@pytest.fixture
def file(tmp_path, rays):
    path = tmp_path / "a.parquet"
    parquet.save(rays, path)
    return path


def test_round_trip_is_exact_and_deterministic(tmp_path, rays, file):
    parquet.save(rays, tmp_path / "b.parquet")
    assert file.read_bytes() == (tmp_path / "b.parquet").read_bytes()
    back = parquet.load(file)
    for name in ("first", *POINT_RANGES, *PATH_RANGES):
        assert np.array_equal(getattr(back, name), getattr(rays, name)), name
    assert (back.base_station_m, back.carrier_hz, back.source) == (rays.base_station_m, rays.carrier_hz, "made")


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        ({"format": 2}, "metadata: format: is 2; this mmwemu reads up to 1: install a newer mmwemu"),
        ({"kind": "trace"}, "metadata: is not that of rays; make the file with mmwemu rays"),
        ({"carrier_hz": "x"}, "metadata: carrier_hz: is 'x'; must be a number"),
        ({"base_station_m": [0, 1]}, r"metadata: base_station_m: is \[0, 1\]; must be a list of 3 numbers"),
        ({"colour": 1}, "metadata: colour: is not a known key"),
    ],
)
def test_a_header_that_breaks_a_rule_is_refused(file, meta, message):
    table = pq.read_table(file)
    header = json.loads(table.schema.metadata[b"mmwemu"]) | meta
    pq.write_table(table.replace_schema_metadata({b"mmwemu": json.dumps(header)}), file)
    with pytest.raises(InputError, match=f"a.parquet: {message}"):
        parquet.load(file)


def test_each_column_has_to_be_there_once(file):
    whole = pq.read_table(file)
    for name in (*POINT_RANGES, *PATH_RANGES):
        pq.write_table(whole.drop([name]), file)
        with pytest.raises(InputError, match=f"has no column {name}; make it with mmwemu rays trace or import"):
            parquet.load(file)
    pq.write_table(whole.append_column("x_m", whole["y_m"]), file)
    with pytest.raises(InputError, match="has two columns x_m"):
        parquet.load(file)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("gain_db", lambda n: pa.array([1.0] * n), "rays: gain_db: is a column of double; must be one of lists"),
        ("gain_db", lambda n: pa.array([["x"]] * n), "rays: gain_db: is a column of string; must be one of numbers"),
        ("gain_db", lambda n: pa.array([None] * n, pa.list_(pa.float64())), "gain_db: has points without a list"),
        ("gain_db", lambda n: pa.array([[None]] * n, pa.list_(pa.float64())), "gain_db: has rows without a value"),
        ("gain_db", lambda n: pa.array([[-1.0, -2.0]] * n), "rays: gain_db: has other numbers of paths than delay_s"),
        ("x_m", lambda n: pa.array(["x"] * n), "rays: x_m: is a column of string; must be one of numbers"),
        ("x_m", lambda n: pa.array([None] * n, pa.float64()), "rays: x_m: has rows without a value"),
    ],
)
def test_a_column_of_another_kind_is_refused(file, name, values, message):
    table = pq.read_table(file)
    at = table.column_names.index(name)
    pq.write_table(table.set_column(at, name, values(table.num_rows)), file)
    with pytest.raises(InputError, match=message):
        parquet.load(file)


def test_other_files_are_refused(tmp_path, file):
    with pytest.raises(InputError, match=r"none\.parquet: does not exist"):
        parquet.load(tmp_path / "none.parquet")
    with pytest.raises(InputError, match="is a folder; give a file of rays"):
        parquet.load(tmp_path)
    content = file.read_bytes()
    file.write_bytes(content[:-50])
    with pytest.raises(InputError, match="is truncated or not a Parquet file; make it with mmwemu rays"):
        parquet.load(file)
    pq.write_table(pa.table({"along_m": [0.0]}), file)
    with pytest.raises(InputError, match="is a Parquet file but holds no rays"):
        parquet.load(file)
