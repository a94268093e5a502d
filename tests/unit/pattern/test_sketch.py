import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mmwemu.pattern import library, measures, sketch
from tests.patterns import make_pattern

rates = st.lists(st.sampled_from([0.0, np.inf]) | st.floats(0, 1e12), min_size=1, max_size=30)


def picture(rate_bps, width=41, blocks=True):
    pattern = make_pattern(rate_bps)
    return sketch.in_text(pattern, pattern.downlink.rate_bps, width, 2, blocks=blocks)


def test_heights_are_shares_of_the_highest_column():
    # 30 columns, five for each step; a line is eight eighths.
    assert picture([0, 10e6, 20e6, 5e6, 15e6, 20e6]) == [
        "       20 │          █████     ▄▄▄▄▄█████",
        "          │     ██████████▄▄▄▄▄██████████",
        "        0 └xxxxx─────────────────────────",
        "           0 s                        3 s",
    ]
    assert picture([0, 20e6, 5e6], blocks=False) == [
        "       20 |          ##########",
        "          |          ##########..........",
        "        0 +xxxxxxxxxx--------------------",
        "           0 s                      1.5 s",
    ]


@example([3.998913261134288e-222], 40, False)
@given(rates, st.integers(40, 200), st.booleans())
def test_a_picture_of_any_pattern_fits_its_width(rate_bps, width, blocks):
    lines = picture(rate_bps, width, blocks)
    assert max(map(len, lines)) <= width
    assert len(lines) == 4
    if not blocks:
        assert all(line.isascii() for line in lines)
    assert set("".join(lines)) <= set(f" 0123456789.e+-s|x#{sketch.BLOCKS}")
    has_outage = any(rate == 0 for rate in rate_bps)
    assert ("x" in lines[2]) == has_outage


@given(rates, st.integers(1, 50))
def test_the_mean_of_the_columns_is_that_of_the_pattern(rate_bps, n):
    pattern = make_pattern([min(rate, 1e12) for rate in rate_bps])
    found = sketch.columns(pattern, pattern.downlink.rate_bps, n)
    mean_bps = measures.mean_rate_bps(pattern, pattern.downlink.rate_bps)
    assert found.rate_bps.mean() == pytest.approx(mean_bps, rel=1e-9, abs=1e-3)
    outage_s = measures.outage_s(pattern, pattern.downlink.rate_bps)
    assert found.outage.mean() * pattern.duration_s == pytest.approx(outage_s, abs=1e-9)


def test_an_svg_has_a_box_for_each_outage():
    text = sketch.in_svg(library.load("s4-outage.mmwave"))
    root = ElementTree.fromstring(text)
    boxes = [one for one in root if one.tag.endswith("rect")]
    assert len(boxes) == 9
    assert all(4 <= int(one.get("width")) <= 8 for one in boxes)
    heights = [float(y) for y in re.findall(r"V([0-9.]+)", text)]
    assert min(heights) == 0
    assert max(heights) == 60


@given(rates)
def test_an_svg_is_drawn_of_any_pattern(rate_bps):
    assert "nan" not in sketch.in_svg(make_pattern(rate_bps))
