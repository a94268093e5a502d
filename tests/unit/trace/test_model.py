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
