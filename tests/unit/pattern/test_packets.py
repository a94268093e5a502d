import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.pattern import library, measures
from mmwemu.pattern.formats import packets
from mmwemu.pattern.formats.byte_bins import ByteBins
from mmwemu.trace import parquet

VALUES = {"window_ms": "10", "time_column": "", "size_column": "", "time_unit": "", "outage": "hold", "end": "loop"}
NO_DIRECTION = "has no column direction; the uplink is the same"


def text(folder, content, name="p.txt"):
    path = folder / name
    path.write_text(content)
    return path


def table(folder, **columns):
    path = folder / "p.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def read(path, **values):
    return packets.read(path, VALUES | values)


def test_the_bytes_of_each_window_are_its_rate(tmp_path):
    path = text(tmp_path, "time_s,size_bytes\n0.001,1000\n0.0099,250\n0.010,125\n0.045,125\n")
    found = read(path)
    assert found.pattern.time_s.tolist() == [0, 0.01, 0.02, 0.04]
    assert found.pattern.duration_s == 0.05
    assert found.pattern.downlink.rate_bps.tolist() == found.pattern.uplink.rate_bps.tolist() == [1e6, 1e5, 0, 1e5]
    empty = "2 of 5 windows of 10 ms have no packet; the pattern has an outage there"
    assert found.remarks == (NO_DIRECTION, empty)
    assert found.pattern.meta["conversion"] == {"method": "packets", "window_ms": "10"}


@given(
    st.lists(st.tuples(st.integers(0, 10**10), st.integers(0, 65_535)), min_size=1, max_size=200),
    st.sampled_from([1, 7, 10, 333]),
    st.integers(1, 50),
)
def test_all_bytes_are_in_the_pattern_whatever_their_order_and_the_chunks(rows, window_ms, chunk):
    time_ns, sizes = np.array(rows, dtype=np.int64).T
    bins = ByteBins(window_ms * 1_000_000)
    for i in range(0, len(rows), chunk):
        bins.add(time_ns[i : i + chunk], sizes[i : i + chunk].astype(float))
    assert bins.size_bytes.sum() == sizes.sum()
    windows = time_ns // bins.window_ns
    assert (bins.first, bins.last) == (windows.min(), windows.max())
    expected = np.zeros(len(bins.size_bytes))
    np.add.at(expected, windows - windows.min(), sizes)
    assert bins.size_bytes.tolist() == expected.tolist()


@pytest.mark.parametrize("kind", ["parquet", "text"])
def test_many_chunks_keep_the_sum_of_bytes(tmp_path, kind):
    n = 600_000
    random = np.random.default_rng(1)
    times, sizes = np.sort(random.uniform(100, 106, n)).round(6), random.integers(40, 1501, n)
    if kind == "parquet":
        path = table(tmp_path, time_s=times, size_bytes=sizes.astype(np.int16))
    else:
        rows = zip(times.tolist(), sizes.tolist(), strict=True)
        path = text(tmp_path, "time_s size_bytes\n" + "".join(f"{time} {size}\n" for time, size in rows))
    pattern = read(path).pattern
    assert pattern.duration_s == pytest.approx(6.0)
    got = measures.mean_rate_bps(pattern, pattern.downlink.rate_bps) * pattern.duration_s / 8
    assert got == pytest.approx(sizes.sum(), rel=1e-6)


def test_directions_and_links_of_recorded_packets(tmp_path):
    path = table(
        tmp_path,
        direction=["downlink", "uplink", "downlink", "downlink", "uplink"],
        size_bytes=[1250, 125, 9999, 1250, 125],
        departure_s=[0.001, 0.002, None, 0.012, 0.013],
        link=[1, 1, 1, 0, 1],
    )
    found = read(path)
    assert found.pattern.time_s.tolist() == [0, 0.01]
    assert found.pattern.downlink.rate_bps.tolist() == [1e6, 0]
    assert found.pattern.uplink.rate_bps.tolist() == [1e5, 1e5]
    assert found.remarks == (
        "1 of 5 rows have no time or no size, and are left out",
        "1 of 5 rows are of other links than 1, and are left out",
        "1 of 2 windows of 10 ms have no packet; the downlink has an outage there",
    )


def test_columns_of_another_name_and_unit(tmp_path):
    path = text(tmp_path, "seq;rx_us;bytes\n1;500;1250\n2;900;1250\n")
    found = read(path, time_column="rx_us", size_column="bytes", time_unit="us", window_ms="0.5")
    assert found.pattern.downlink.rate_bps.tolist() == [40e6]
    assert found.pattern.duration_s == 0.0005
    assert library.read_file(text(tmp_path, "0.5 100\n0.7 100\n"), "packets", {}).pattern.duration_s == pytest.approx(
        0.21
    )


def test_what_packets_are_shows_in_the_file(tmp_path):
    assert library.read(str(text(tmp_path, "time_s,size_bytes\n0,1\n"))).form == "packets"
    assert library.read(str(text(tmp_path, "time,rate\n0,1\n1,1\n"))).form == "columns"
    assert library.read(str(table(tmp_path, time_s=[0.0], size_bytes=[1]))).form == "packets"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("time_s,size_bytes\n0,1\n1,-5\n", "row 2: size_bytes: is -5; must be from 0 to 1000000000000000 bytes"),
        ("time_s,size_bytes\n0,1\ninf,5\n", "row 2: time_s: is inf; must be a time within 146 years"),
        (
            "time_s,size_bytes\n0,1\n20000,5\n",
            "time: spans 20000.01 s, 2000001 windows of 0.01 s; must be at most 1000000",
        ),
        ("time_s,size_bytes\n0,1e12\n", "sizes: add up to 8e+14 bit/s in the window from 0 s; must be at most 1e+12"),
        ("time_s,size_bytes\n", "has no packet with a time and a size"),
        ("time_s,size_bytes\n,1\n0,\n", "has no packet with a time and a size"),
        ("time_s,size_bytes\n0,x\n", "is damaged or no packet trace: "),
        ("time_s,size_bytes\n0,1,2\n", "is damaged or no packet trace: "),
        ("time_s,rate\n0,1\n", "has no column of a size (size_bytes, size, length); name it with --size-column"),
        ("time_s,size,time_s\n0,1,2\n", "has more than one column 'time_s'"),
        ("time_s,size,direction\n0,1,left\n", "row 1: direction: is 'left'; must be downlink or uplink"),
        ("", "is empty"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path, content, problem):
    path = text(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: {problem}")
    assert "\n" not in str(caught.value)


def test_columns_of_parquet_that_are_no_numbers_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"time_s: is a column of string; must be one of numbers$"):
        read(table(tmp_path, time_s=["0"], size_bytes=[1]))
    with pytest.raises(InputError, match=r"direction: is a column of int64; must be one of downlink and uplink$"):
        read(table(tmp_path, time_s=[0], size_bytes=[1], direction=[1]))
    with pytest.raises(InputError, match="has no column 'nope'"):
        read(table(tmp_path, time_s=[0], size_bytes=[1]), time_column="nope")


def test_a_trace_of_a_cell_is_sent_to_its_verb(tmp_path, make_trace):
    parquet.save(make_trace([1] * 10), tmp_path / "t.parquet")
    with pytest.raises(InputError, match="is a trace of a cell; make a pattern of it with mmwemu pattern build"):
        library.load(str(tmp_path / "t.parquet"))


@pytest.mark.parametrize("window_ms", ["0", "x", "nan", "1e30", ""])
def test_a_window_beyond_its_bounds_is_refused(tmp_path, window_ms):
    with pytest.raises(InputError, match=r"--window-ms: is .*; must be a number from 0.001 to 2592000000 ms"):
        read(text(tmp_path, "0 1\n"), window_ms=window_ms)


_SINK = io.BytesIO()
pq.write_table(pa.table({"time_s": [0.0, 0.1], "size_bytes": [1, 2], "direction": ["uplink", "downlink"]}), _SINK)
GOOD = _SINK.getvalue()


@given(st.integers(0, len(GOOD)), st.integers(0, 4), st.binary(max_size=6))
def test_a_damaged_file_is_read_or_refused(tmp_path_factory, at, dropped, put):
    path = tmp_path_factory.mktemp("packets") / "p.parquet"
    path.write_bytes(GOOD[:at] + put + GOOD[at + dropped :])
    try:
        read(path)
    except InputError as error:
        assert str(error).startswith(str(path))
        assert "\n" not in str(error)
