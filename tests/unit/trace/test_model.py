from dataclasses import replace

import numpy as np
import pytest

from mmwemu.core.errors import InputError


@pytest.mark.parametrize(
    ("time_s", "message"),
    [
        ([0, 1, 1], "must start at 0 and rise strictly"),
        ([0, 2, 1], "must start at 0 and rise strictly"),
        ([1, 2, 3], "must start at 0"),
        ([0, 1, np.nan], "must start at 0"),
        ([0, 1, 3], "must be evenly spaced"),
    ],
)
def test_times_must_make_sense(make_trace, time_s, message):
    with pytest.raises(InputError, match=message):
        replace(make_trace([1, 1, 1]), time_s=np.array(time_s, dtype=float))


def test_columns_must_be_of_one_length(make_trace):
    with pytest.raises(InputError, match="trace: mcs: has 2 values where time_s has 3"):
        replace(make_trace([1, 1, 1]), mcs=np.zeros(2))


def test_one_row_has_no_bin(make_trace):
    with pytest.raises(InputError, match=r"^trace: has 1 rows; at least 2 are needed$"):
        make_trace([1])
    assert make_trace([1, 1]).duration_s == pytest.approx(0.002)


@pytest.mark.parametrize(("step_s", "off_s"), [(1.0, 1e-6), (0.001, 2e-9)])
def test_times_are_even_to_a_millionth_of_a_bin_and_a_nanosecond(make_trace, step_s, off_s):
    trace = make_trace([1, 1, 1])
    assert replace(trace, time_s=np.array([0, step_s, 2 * step_s + 0.9 * off_s])).bin_s == pytest.approx(step_s)
    for wrong_s in (1.2 * off_s, -1.2 * off_s):
        with pytest.raises(InputError, match="trace: time_s: must be evenly spaced"):
            replace(trace, time_s=np.array([0, step_s, 2 * step_s + wrong_s]))


def test_a_trace_covers_its_last_bin(make_trace):
    trace = make_trace([1] * 5, bin_s=0.5)
    assert (trace.duration_s, trace.bin_s) == (2.5, 0.5)


def test_bins_and_duration_have_bounds_that_can_be_had(make_trace):
    assert replace(make_trace([1, 1]), time_s=np.array([0, 1e-6])).bin_s == 1e-6
    assert replace(make_trace([1, 1]), time_s=np.array([0, 1_296_000.0])).duration_s == 2_592_000
    for step_s, shown in ((9e-7, "9e-07"), (1_296_000.5, "1296000.5")):
        with pytest.raises(InputError) as caught:
            replace(make_trace([1, 1]), time_s=np.array([0, step_s]))
        rule = "must have at least 1e-06 s and end by 2592000 s"
        assert str(caught.value) == f"trace: time_s: has bins of {shown} s; {rule}"
