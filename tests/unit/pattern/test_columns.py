import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.pattern.formats import columns
from mmwemu.pattern.formats.columns import ColumnsOptions
from tests.patterns import make_pattern


@pytest.mark.parametrize("text", ["0 10\n1 20\n", "time,rate\n0,10\n1,20\n", "t\trate\n0\t10\n1\t20\n", "5;10\n6;20\n"])
def test_separators_and_headers(tmp_path, text):
    path = tmp_path / "in.txt"
    path.write_text(text)
    pattern = columns.load(path, ColumnsOptions(rate_unit="Mbit/s"))
    assert pattern.time_s.tolist() == [0, 1]
    assert pattern.duration_s == 2
    assert pattern.downlink.rate_bps.tolist() == [10e6, 20e6]


def test_units(tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("0 10\n250 20\n500 0\n")
    pattern = columns.load(path, ColumnsOptions(time_unit="ms", rate_unit="kbps"))
    assert pattern.time_s.tolist() == [0, 0.25, 0.5]
    assert pattern.downlink.rate_bps.tolist() == [10e3, 20e3, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 1\n1 -2\n", "line 2: rate: is -2; must be from 0 to 1e+12, or inf"),
        ("0 1\n1 nan\n", "line 2: rate: is nan; must be from 0 to 1e+12, or inf"),
        ("0 1\n2 1\n1 1\n", "line 3: has a time before that of the row above"),
        ("0 1\n0 1\n1 -1\n", "line 3: rate: is -1; must be from 0 to 1e+12, or inf"),
        ("0 1\nnan 1\n", "line 2: has a time that is not a finite number"),
        ("0 1\n1 x\n", "line 2: is '1 x'; must be two numbers"),
        ("a b\nc d\n", "line 2: is 'c d'; must be two numbers"),
        ("-inf 1\ninf 1\ninf 1\n", "line 1: has a time that is not a finite number"),
        ("0 inf\n0 -inf\n1 1\n", "line 1: rate: is nan; must be from 0 to 1e+12, or inf"),
        ("-1.1e18 1\n0 1\n", "line 1: is '-1.1e18 1'; must be two numbers from -1e+18 to 1e+18"),
        ("0 1\n1 1.1e18\n", "line 2: is '1 1.1e18'; must be two numbers from -1e+18 to 1e+18"),
        ("-1e18 1\n1e18 1\n", "time: is 4e+18; must be at most 2592000"),
        ("0 1\n1 1e18\n", "line 2: rate: is 1e+18; must be from 0 to 1e+12, or inf"),
        ("0 1\n1 1\n1.0000001 1\n", "line 2: time: lasts 1e-07 s; a step must last at least 1e-06 s"),
        ("0 1\n1296000.5 1\n", "time: is 2592001; must be at most 2592000"),
        ("0 1 2\n", "line 1: has 3 columns; must be two, time and rate"),
        ("0 1\n0 2\n", "has 1 times; at least 2 are needed"),
        ("", "has 0 times; at least 2 are needed"),
    ],
)
def test_refuses_with_file_and_line(tmp_path, text, message):
    path = tmp_path / "in.txt"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        columns.load(path, ColumnsOptions())
    assert str(caught.value).startswith(f"{path}: {message}")


def test_rows_of_the_same_time_become_their_mean(tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("0 10\n1 20\n1 40\n2 0\n")
    pattern = columns.load(path, ColumnsOptions())
    assert pattern.time_s.tolist() == [0, 1, 2]
    assert pattern.downlink.rate_bps.tolist() == [10, 30, 0]


def test_the_last_step_is_as_long_as_the_median_of_the_others(tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("7 10\n8 20\n10 30\n11 40\n31 50\n")
    pattern = columns.load(path, ColumnsOptions())
    # Steps of 1, 2, 1 and 20 s: the median is 1.5 s.
    assert (pattern.time_s.tolist(), pattern.duration_s) == ([0, 1, 3, 4, 24], 25.5)


def test_times_are_whole_nanoseconds(tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("0 10\n0.0000012345678 20\n")
    pattern = columns.load(path, ColumnsOptions())
    assert (pattern.time_s.tolist(), pattern.duration_s) == ([0, 1.235e-6], 2.47e-6)
    path.write_text("0 10\n3.3333333333 20\n6.6666666666 20\n")
    assert columns.load(path, ColumnsOptions()).duration_s == pytest.approx(10.0, abs=1.1e-9)
    assert columns.load(path, ColumnsOptions()).duration_s != 10.0


def test_the_head_says_where_the_pattern_comes_from(tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("# a comment\n\ntime rate\n  # another\n0 10\n250 20\n")
    pattern = columns.load(path, ColumnsOptions("ms", "kbps", "drop", "stop"))
    assert pattern.meta == {
        "file": "in.txt",
        "conversion": {"method": "columns", "time_unit": "ms", "rate_unit": "kbps"},
    }
    assert (pattern.outage, pattern.end, pattern.duration_s) == ("drop", "stop", 0.5)
    assert (ColumnsOptions().outage, ColumnsOptions().end) == ("hold", "loop")
    for direction in (pattern.downlink, pattern.uplink):
        assert direction.rate_bps.tolist() == [10e3, 20e3]
        assert direction.delay_s.tolist() == direction.loss.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("text", "line"),
    [("# c\n\n0 1\n\n1 -2\n", 5), ("t r\n0 1\n1 1\n1 -9\n2 1\n", 3), ("t r\n# c\n0 -1\n1 1\n", 3)],
)
def test_a_bad_rate_has_the_line_of_the_first_row_of_its_time(tmp_path, text, line):
    path = tmp_path / "in.txt"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        columns.load(path, ColumnsOptions())
    assert str(caught.value).startswith(f"{path}: line {line}: rate: is -")


def test_a_header_is_one_line_and_the_first(tmp_path):
    path = tmp_path / "in.txt"
    for text, line in (("a b\nc d\n0 1\n", 2), ("0 1\na b\n1 1\n", 2)):
        path.write_text(text)
        with pytest.raises(InputError, match=f"line {line}: is '[ac] [bd]'; must be two numbers"):
            columns.load(path, ColumnsOptions())


STATED = {"time_unit": "ms", "rate_unit": "kbps", "outage": "hold", "end": "loop"}


@given(st.lists(st.tuples(st.floats(1e-3, 10), st.floats(0, 1e9)), min_size=2, max_size=20))
def test_what_is_written_and_read_again_is_the_same(tmp_path_factory, steps):
    path = tmp_path_factory.mktemp("columns") / "t.txt"
    times_s = np.cumsum([0, *(step for step, _ in steps)])
    pattern = make_pattern([rate for _, rate in steps], times_s=times_s)
    columns.write(pattern, path, STATED)
    reading = columns.read(path, STATED)
    assert reading.remarks == ()
    assert reading.pattern.time_s == pytest.approx(pattern.time_s, abs=1e-7)
    assert reading.pattern.downlink.rate_bps == pytest.approx(pattern.downlink.rate_bps, rel=1e-9)


def test_units_that_nobody_stated_are_told(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("0 1\n1 2\n")
    values = {"time_unit": "", "rate_unit": "Mbps", "outage": "hold", "end": "loop"}
    reading = columns.read(path, values)
    assert reading.remarks == ("the units are taken as s and Mbps (pattern convert --time-unit, --rate-unit)",)
    assert reading.pattern.downlink.rate_bps.tolist() == [1e6, 2e6]


def test_a_writer_tells_what_is_lost(tmp_path):
    lost = columns.write(make_pattern([1, 2], loss=0.1, times_s=[0, 1, 5]), tmp_path / "t.txt", STATED)
    assert lost == ["columns cannot express loss; left out", "columns cannot express the length of the last step, 4 s"]
    assert (tmp_path / "t.txt").read_text() == "time_ms rate_kbps\n0 0.001\n1000 0.002\n"


IN_SECONDS = {"time_unit": "s", "rate_unit": "bps", "outage": "hold", "end": "loop"}


def test_repeated_times_and_gaps_are_told(tmp_path):
    path = tmp_path / "in.txt"
    rows = [f"{at} {at}" for at in range(30) if at not in (7, 8, 20)]
    path.write_text("\n".join(["time rate", *rows[:3], "2 9", *rows[3:]]))
    assert columns.read(path, IN_SECONDS).remarks == (
        "1 rows repeat a time, first line 5; the mean of its rows counts",
        "2 gaps between rows 1 s apart, the longest of 3 s before line 10; the rate before them holds",
    )


def test_steps_of_any_length_are_no_gaps(tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("0 1\n2.134 2\n22.134 3\n23 4\n")
    assert columns.read(path, IN_SECONDS).remarks == ()
