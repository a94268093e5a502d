import numpy as np
import pytest

from mmwemu.core.errors import MmwemuError
from mmwemu.simulate.output import read_columns, read_meta

HEADER = "time_s,los,sinr_db,mcs,phy_rate_bps,throughput_bps,rlc_queue_bytes,delay_s,drops"


def test_columns_are_found_by_name(tmp_path):
    path = tmp_path / "trace.csv"
    names = ["drops", *HEADER.split(",")[:-1]]
    path.write_text(",".join(names) + "\n1,0,1,38.5,nan,2,3,4,nan\n2,0.001,0,-1,5,6,7,8,0.01\n")
    columns = read_columns(path)
    assert list(columns["drops"]) == [1, 2]
    assert list(columns["time_s"]) == [0, 0.001]
    assert np.isnan(columns["mcs"][0])
    assert columns["delay_s"][1] == 0.01


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time_s,los\n0,1\n", "trace.csv: columns sinr_db, mcs, phy_rate_bps, .* are missing"),
        (HEADER + "\n0,1,2\n0,1,2\n", "trace.csv: rows have 3 values, the header 9"),
        (HEADER + "\n0,1,x,3,4,5,6,7,8\n", "trace.csv: .*could not convert string 'x'"),
    ],
)
def test_a_broken_table_is_refused(tmp_path, text, message):
    path = tmp_path / "trace.csv"
    path.write_text(text)
    with pytest.raises(MmwemuError, match=message):
        read_columns(path)


@pytest.mark.parametrize(("text", "message"), [("{", "meta.json: is not JSON"), ("[]", "is not a JSON object")])
def test_broken_meta_is_refused(tmp_path, text, message):
    path = tmp_path / "meta.json"
    path.write_text(text)
    with pytest.raises(MmwemuError, match=message):
        read_meta(path)


def test_one_row_is_a_table_too(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text(HEADER + "\n0,1,2,3,4,5,6,7,8\n")
    assert {name: values.tolist() for name, values in read_columns(path).items()} == {
        name: [float(i)] for i, name in enumerate(HEADER.split(","))
    }


def test_missing_columns_are_all_named(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text("time_s,los,sinr_db,mcs,phy_rate_bps,throughput_bps,rlc_queue_bytes\n0,0,0,0,0,0,0\n")
    with pytest.raises(MmwemuError, match=r"^trace\.csv: columns delay_s, drops are missing; reinstall mmwemu$"):
        read_columns(path)


def test_meta_is_what_the_program_wrote(tmp_path):
    (tmp_path / "meta.json").write_text('{"engine": "e", "n": 1}')
    assert read_meta(tmp_path / "meta.json") == {"engine": "e", "n": 1}
