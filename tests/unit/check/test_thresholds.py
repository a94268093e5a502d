"""Thresholds: what the grammar takes, and what it refuses in one line."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.check.thresholds import parse
from mmwemu.core.errors import InputError


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("goodput_bps >= 0.9 of baseline", ("goodput_bps", None, True, 0.9, "ratio")),
        ("speed_index_s p50 <= 2.5", ("speed_index_s", 0.5, False, 2.5, "")),
        ("speed_index_s p99.9<=2500", ("speed_index_s", 0.999, False, 2500.0, "")),
        ("  took_s   mean  >= 1e-3 ", ("took_s", None, True, 1e-3, "")),
        ("stalls <= baseline + 0.5", ("stalls", None, False, 0.5, "difference")),
        ("qoe_bps p10 >= baseline - 1e6", ("qoe_bps", 0.1, True, -1e6, "difference")),
        ("gain_db >= -3", ("gain_db", None, True, -3.0, "")),
    ],
)
def test_what_a_line_says(text, found):
    one = parse(text, "here")
    assert (one.metric, one.quantile, one.is_least, one.bound, one.relation) == pytest.approx(found)
    assert one.text == " ".join(text.split())
    assert one.worst == (-math.inf if one.is_least else math.inf)


@pytest.mark.parametrize(
    "text",
    ["", "x", "x > 3", "x >= ", "x >= nan", "x >= inf", "x p0 <= 1", "x p100 <= 1", "x median <= 1", "X_s <= 1",
     "x <= 0 of baseline", "x <= -1 of baseline", "x <= 1 of base", "x <= 1e999", "x <= 1 <= 2", "x <= baseline"],
)  # fmt: skip
def test_what_is_no_threshold_is_refused_by_name(text):
    with pytest.raises(InputError, match=r"^here: is "):
        parse(text, "here")


@given(st.text(alphabet="ab_19p.<>= +-eofsmn\n\t", max_size=30) | st.text(max_size=20))
def test_any_text_is_a_threshold_or_refused(text):
    try:
        one = parse(text, "here")
    except InputError:
        return
    assert math.isfinite(one.bound)
    assert parse(one.text, "here") == one
    assert one.relation != "ratio" or one.bound > 0


def test_the_rule_of_a_ratio_is_that_of_its_logarithm():
    rule = parse("x >= 0.5 of baseline", "here").rule(0.01)
    assert rule.low == pytest.approx(math.log(0.5))
    assert math.isinf(rule.high)
    assert rule.fail_error == 0.01
