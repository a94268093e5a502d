import numpy as np
import pytest

from mmwemu.core.errors import InputError
from mmwemu.pattern.algebra.rates import without_outages
from mmwemu.study.explain.changes import Change, parse
from tests.patterns import make_pattern


def test_forms():
    assert parse("no-outage") == Change("no-outage", "no-outage")
    assert parse("initcwnd=32") == Change("initcwnd=32", "initcwnd", 32)
    assert parse("cc=bbr") == Change("cc=bbr", "cc", "bbr")
    assert parse("queue=3MB") == Change("queue=3MB", "queue", 3_000_000)


@pytest.mark.parametrize(
    "text",
    ["", "outage", "no-outage=1", "no-outage=", "initcwnd", "initcwnd=", "initcwnd=0", "initcwnd=-1", "initcwnd=1.5",
     "initcwnd=10001", "initcwnd=\u0661", "initcwnd=" + "9" * 400, "cc", "cc=", "cc=a b", "cc=../x", "queue", "queue=",
     "queue=0", "queue=1499", "queue=2000GB", "queue=many", "=", "delay=3"],
)  # fmt: skip
def test_anything_else_is_refused(text):
    with pytest.raises(InputError):
        parse(text)


def test_outages_get_the_rate_before_them_and_at_the_start_that_behind():
    pattern = make_pattern([0, 5e6, 0, 0, np.inf, 0], times_s=[0, 1, 2, 3, 4, 5, 6])
    filled = without_outages(pattern)
    assert filled.downlink.rate_bps.tolist() == [5e6, 5e6, 5e6, 5e6, np.inf, np.inf]
    assert filled.time_s.tolist() == pattern.time_s.tolist() and filled.duration_s == pattern.duration_s
    assert filled.meta["operations"] == [{"verb": "without-outages"}]
    with pytest.raises(InputError, match="has no outage"):
        without_outages(filled)


def test_a_direction_without_any_rate_cannot_be_filled():
    with pytest.raises(InputError, match="direction without any rate"):
        without_outages(make_pattern([0, 0], times_s=[0, 1, 2]))
