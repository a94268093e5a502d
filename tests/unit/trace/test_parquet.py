import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mmwemu.core.errors import InputError
from mmwemu.trace import parquet
from mmwemu.trace.model import COLUMNS, Trace


def test_round_trip_is_exact_and_deterministic(tmp_path, make_trace):
    trace = make_trace([1, 1, 0, 0, 1], sinr_db=[30, np.nan, 0, 1, 31])
    parquet.save(trace, tmp_path / "a.parquet")
    parquet.save(trace, tmp_path / "b.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    back = parquet.load(tmp_path / "a.parquet")
    assert back.to_frame().equals(trace.to_frame())
    assert back.meta == trace.meta
    assert back.duration_s == pytest.approx(0.005)


def test_optional_columns_come_back_and_only_known_ones(tmp_path, make_trace):
    plain = make_trace([1, 0, 1])
    trace = replace(plain, optional={"rtt_s": np.array([np.nan, 0.02, 0.03]), "ran_delay_s": np.full(3, 0.001)})
    parquet.save(trace, tmp_path / "a.parquet")
    back = parquet.load(tmp_path / "a.parquet")
    assert back.to_frame().equals(trace.to_frame())
    assert list(back.optional) == ["ran_delay_s", "rtt_s"]
    with pytest.raises(InputError, match="trace: rtt: is no column of a trace"):
        replace(plain, optional={"rtt": np.ones(3)})
    with pytest.raises(InputError, match="trace: rtt_s: has 2 values where time_s has 3"):
        replace(plain, optional={"rtt_s": np.ones(2)})
    with pytest.raises(InputError, match="trace: rtt_s: is -1 in row 2"):
        replace(plain, optional={"rtt_s": np.array([0.0, -1.0, 0.0])})


def test_truncated_file(tmp_path, make_trace):
    path = tmp_path / "a.parquet"
    parquet.save(make_trace([1] * 50), path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InputError, match=r"a.parquet: is truncated or not a Parquet file; make it with mmwemu"):
        parquet.load(path)


def test_missing_foreign_and_newer_files(tmp_path, make_trace):
    with pytest.raises(InputError, match=r"none\.parquet: does not exist"):
        parquet.load(tmp_path / "none.parquet")
    foreign = tmp_path / "foreign.parquet"
    make_trace([1, 1]).to_frame().to_parquet(foreign)
    with pytest.raises(InputError, match="not a trace"):
        parquet.load(foreign)
    newer = tmp_path / "newer.parquet"
    parquet.save(make_trace([1, 1]), newer)
    table = pq.read_table(newer)
    pq.write_table(table.replace_schema_metadata({b"mmwemu": json.dumps({"format": 2})}), newer)
    with pytest.raises(InputError, match="format: is 2; this mmwemu reads up to 1"):
        parquet.load(newer)


def test_a_file_has_its_format_and_provenance_in_its_metadata(tmp_path, make_trace):
    trace = make_trace([1, 1], zz=1, aa=2)
    path = tmp_path / "a.parquet"
    parquet.save(trace, path)
    header = pq.read_schema(path).metadata[b"mmwemu"].decode()
    assert json.loads(header) == {"format": 1, **trace.meta}
    # In one order, whatever that of the provenance, so that equal traces give equal bytes.
    again = Trace(**{name: getattr(trace, name) for name in COLUMNS}, meta=dict(reversed(trace.meta.items())))
    parquet.save(again, tmp_path / "b.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    assert pq.ParquetFile(path).metadata.row_group(0).column(0).compression == "ZSTD"


def test_a_file_without_columns_or_with_wrong_times_is_refused_by_name(tmp_path, make_trace):
    path = tmp_path / "a.parquet"
    parquet.save(make_trace([1, 1, 1]), path)
    table = pq.read_table(path)
    pq.write_table(table.drop_columns(["drops", "mcs"]), path)
    with pytest.raises(InputError, match=r"a\.parquet: has no column mcs$"):
        parquet.load(path)
    late = table.set_column(0, "time_s", pa.array([1.0, 2.0, 3.0]))
    pq.write_table(late, path)
    with pytest.raises(InputError, match=r"a\.parquet: trace: time_s: must start at 0 and rise strictly"):
        parquet.load(path)
