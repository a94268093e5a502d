"""The numbers of box plots, as matplotlib has them."""

import math

import numpy as np
import pandas as pd
import pytest

from mmwemu.core import figure
from mmwemu.report.boxes import draw_boxes
from mmwemu.report.statistics import Estimate
from mmwemu.report.summary import Group


def group(pattern, rat, values, *, site="s", bound=()):
    good = pd.DataFrame({"cpu_bound": list(bound) or [False] * len(values)})
    estimate = Estimate(math.nan, math.nan, math.nan, len(values))
    keys = {"pattern": pattern, "rat": rat, "site": site}
    return Group(keys, {"x_s": tuple(values)}, {"x_s": estimate}, {"x_s": 0.0}, len(values), 0, 0, 0, 0, good)


@pytest.fixture
def draw():
    """Give a function that draws boxes and returns the axes."""

    @figure.styled
    def drawn(groups, **options):
        _, axes = figure.new()
        draw_boxes(axes, groups, "x_s", **options)
        return axes

    return drawn


def dots(axes):
    return [collection.get_offsets().data.round(6).tolist() for collection in axes.collections]


def labels(axes):
    return axes.get_legend_handles_labels()[1]


def test_boxes_of_a_place_share_eight_tenths_of_it_and_their_dots_half_of_a_box(draw):
    sites = [group(*key, (1.0, 2.0, 6.0), site=site) for site in "st" for key in (("a", "mmwave"), ("b", "lte"))]
    axes = draw(sites, by="site")
    # Centres 0.2 left and right of each place, dots from 0.1 before to 0.1 behind.
    centres = (-0.2, 0.2, 0.8, 1.2)
    assert dots(axes) == [[[round(x - 0.1, 6), 1], [x, 2], [round(x + 0.1, 6), 6]] for x in centres]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["s", "t"]
    assert axes.get_xlim() == (-0.6, pytest.approx(1.6))
    assert axes.get_ylim() == (0, pytest.approx(6.48))
    boxes = [patch.get_path().vertices for patch in axes.patches]
    assert [(box[:, 0].min() + box[:, 0].max()) / 2 for box in boxes] == pytest.approx(centres)
    # Quartiles of 1, 2 and 6.
    assert [(box[:5, 1].min(), box[:5, 1].max()) for box in boxes] == [(1.5, 4.0)] * 4


def test_a_pattern_of_each_rat_has_its_name_and_colour_and_others_their_own(draw):
    axes = draw([group("a", "mmwave", (1.0,)), group("b", "lte", (2.0,))])
    assert labels(axes) == ["5G mmWave", "4G LTE"]
    colours = [figure.BLUE, figure.ORANGE]
    assert [patch.get_edgecolor()[:3] for patch in axes.patches] == [rgb(colour) for colour in colours]
    axes = draw([group("a", "lte", (1.0,)), group("b", "lte", (2.0,)), group("a", "lte", (3.0,), site="t")])
    assert labels(axes) == ["a", "b"]
    assert len({patch.get_edgecolor() for patch in axes.patches}) == 2
    assert labels(draw([group("measured", "", (1.0,))])) == ["measured"]


def rgb(colour):
    from matplotlib.colors import to_rgb

    return to_rgb(colour)


def test_a_mostly_cpu_bound_group_is_hollow_and_says_so(draw):
    axes = draw([group("a", "mmwave", (1.0, 2.0), bound=(True, True)), group("b", "lte", (1.0, 2.0))])
    assert [patch.get_facecolor()[3] for patch in axes.patches] == [0, pytest.approx(0.6)]
    assert labels(axes) == ["5G mmWave", "4G LTE", "hollow: CPU-bound"]


def test_without_names_there_is_no_legend(draw):
    assert labels(draw([group("a", "mmwave", (1.0,), bound=(True,))], named=False)) == []


def test_a_group_without_values_has_its_place_and_no_box(draw):
    axes = draw([group("a", "mmwave", ()), group("a", "mmwave", (2.0,), site="t")], by="site")
    assert dots(axes) == [[[1, 2]]]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["s", "t"]
    assert labels(axes) == ["5G mmWave"]


def test_negative_values_are_shown_from_below_0(draw):
    assert draw([group("a", "", (-2.0, -1.0))]).get_ylim() == (pytest.approx(-2.16), 0)
    assert draw([group("a", "", (-2.0, 5.0))]).get_ylim() == (pytest.approx(-2.16), pytest.approx(5.4))
    assert np.isfinite(draw([group("a", "", (0.0,))]).get_ylim()).all()
