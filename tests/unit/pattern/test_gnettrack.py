from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.pattern.formats import gnettrack
from tests.unit.pattern.measured import sent_bytes

VALUES = {"gaps": "hold", "outage": "hold", "end": "loop"}
HEAD = "Timestamp,SNR,DL_bitrate,UL_bitrate"


def written(tmp_path, rows, head=HEAD):
    path = tmp_path / "drive.csv"
    path.write_text("\n".join([head, *(f"2019.12.16_23.59.{row}" for row in rows)]) + "\n")
    return path


def test_both_directions_are_read_in_kbit_per_s(tmp_path):
    reading = gnettrack.read(written(tmp_path, ["58,-,10,1", "59,3,20,2.5"]), VALUES)
    pattern = reading.pattern
    assert (pattern.time_s.tolist(), pattern.duration_s) == ([0, 1], 2)
    assert (pattern.downlink.rate_bps.tolist(), pattern.uplink.rate_bps.tolist()) == ([10e3, 20e3], [1e3, 2.5e3])
    assert reading.remarks == ()
    assert pattern.meta == {"file": "drive.csv", "conversion": {"method": "gnettrack", "gaps": "hold"}}


ODD = ["10,1,-,1", "11,1,10,1", "11,1,30,3", "14,1,5,-", "14,1,7,-", "15,1,9,9"]


@pytest.mark.parametrize(
    ("gaps", "times", "down", "up", "filling"),
    [
        ("hold", [0, 3, 4], [20, 6, 9], [2, 2, 9], "the rate before them holds (--gaps outage: rate 0)"),
        ("outage", [0, 1, 3, 4], [20, 0, 6, 9], [2, 0, 0, 9], "the rate there is 0"),
    ],
)
def test_what_is_repeated_missing_or_absent_is_told(tmp_path, gaps, times, down, up, filling):
    reading = gnettrack.read(written(tmp_path, ODD), VALUES | {"gaps": gaps})
    assert reading.pattern.time_s.tolist() == times
    assert (reading.pattern.downlink.rate_bps / 1e3).tolist() == down
    assert (reading.pattern.uplink.rate_bps / 1e3).tolist() == up
    assert reading.remarks == (
        "2 rows repeat a second, first line 4; the mean of its rows counts",
        f"1 values of DL_bitrate are missing, first in line 2; {filling}",
        f"2 values of UL_bitrate are missing, first in line 5; {filling}",
        "1 seconds before line 3 lack a rate and are left out",
        f"1 gaps of 2 s in all, the longest of 2 s before line 5; {filling}",
    )


def test_time_passes_midnight(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text(f"{HEAD}\n2019.12.31_23.59.59,0,1,1\n2020.01.01_00.00.00,0,2,2\n")
    assert gnettrack.read(path, VALUES).pattern.time_s.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "has no rows below its header"),
        (["10,1,1"], "line 2: has 3 fields where the header has 4"),
        (["10,1,1,1", "xx,1,1,1"], "line 3: Timestamp: is '2019.12.16_23.59.xx'; must be a time such as"),
        (["61,1,1,1"], "line 2: Timestamp: is '2019.12.16_23.59.61'; must be a time such as"),
        (["10,1,nan,1"], "line 2: DL_bitrate: is 'nan'; must be a rate in kbit/s, or - for none"),
        (["10,1,1,-5"], "line 2: UL_bitrate: is '-5'; must be a rate in kbit/s, or - for none"),
        (["10,1,1,1", "11,1,9999999999,1"], "line 3: downlink_rate_bps is 9.999999999e+12; must be from 0 to 1e+12"),
        (["11,1,1,1", "10,1,1,1"], "line 3: Timestamp: is 2019.12.16_23.59.10, before that of the row above; sort it"),
        (["10,1,1,-", "11,1,-,1"], "has no second with both rates"),
    ],
)
def test_refuses_with_file_line_and_field(tmp_path, rows, message):
    path = written(tmp_path, rows)
    with pytest.raises(InputError) as caught:
        gnettrack.read(path, VALUES)
    assert str(caught.value).startswith(f"{path}: {message}")


@pytest.mark.parametrize(
    ("head", "times"), [("Timestamp,SNR,DL_bitrate,UL", "no"), (HEAD + ",UL_bitrate", "more than one")]
)
def test_refuses_columns_that_are_absent_or_twice(tmp_path, head, times):
    with pytest.raises(InputError, match=f"line 1: has {times} column UL_bitrate"):
        gnettrack.read(written(tmp_path, ["10,1,1,1"], head), VALUES)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 10**6)), min_size=1, max_size=20))
def test_the_bytes_are_those_of_a_direct_sum(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("drive") / "d.csv"
    second, lines, sums = 0, [], defaultdict(list)
    for ahead, kbps in rows:
        second += ahead
        sums[second].append(kbps)
        lines.append(f"2020.01.01_00.{second // 60:02}.{second % 60:02},0,{kbps},{kbps}")
    path.write_text("\n".join([HEAD, *lines]))
    kbit = sum(np.mean(values) for values in sums.values())
    pattern = gnettrack.read(path, VALUES | {"gaps": "outage"}).pattern
    assert sent_bytes(pattern, "downlink") == pytest.approx(kbit * 1000 / 8)
    ends = [*list(sums)[1:], second + 1]
    held = sum(np.mean(values) * (end - at) for (at, values), end in zip(sums.items(), ends, strict=True))
    assert sent_bytes(gnettrack.read(path, VALUES).pattern, "uplink") == pytest.approx(held * 1000 / 8)
