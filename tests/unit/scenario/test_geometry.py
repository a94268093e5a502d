import numpy as np
import pytest

from mmwemu.scenario import geometry, read
from mmwemu.scenario.model import Box, Scenario, Waypoint

BOX = Box((1, 2), (1, 2), (0, 2))


@pytest.mark.parametrize(
    ("start", "end", "inside"),
    [
        ((0, 1.5, 1), (3, 1.5, 1), True),  # straight through
        ((0, 1.5, 1), (0.9, 1.5, 1), False),  # ends before
        ((0, 1.5, 1), (1.5, 1.5, 1), True),  # ends inside
        ((0, 0.5, 1), (3, 0.5, 1), False),  # beside
        ((0, 1.5, 2.5), (3, 1.5, 2.5), False),  # above
        ((0, 1.5, 3), (3, 1.5, 0.5), True),  # slanting down through
        ((0, 1, 1), (3, 1, 1), False),  # along a side
        ((0, 0, 1), (3, 3, 1), True),  # diagonal
        ((1.5, 1.5, 1), (1.5, 1.5, 1), True),  # a point inside
    ],
)
def test_crosses(start, end, inside):
    crossing = geometry.crosses(BOX, np.array([start], float), np.array([end], float))
    assert crossing.tolist() == [inside]


def test_position_moves_in_straight_lines_and_stands_at_the_end():
    scenario = Scenario("x", 10, (0, 0, 3), (Waypoint(0, (0, 0, 1)), Waypoint(2, (4, 0, 1))))
    at = geometry.position_m(scenario, np.array([0.0, 1.0, 2.0, 9.0]))
    assert at[:, 0].tolist() == [0, 2, 4, 4]


def test_extra_loss_adds_up_over_boxes():
    boxes = tuple(Box((x, x + 1), (-1, 1), (0, 5), loss_db=10) for x in (1, 3))
    scenario = Scenario("x", 1, (0, 0, 3), (Waypoint(0, (6, 0, 1)),), boxes)
    assert geometry.extra_loss_db(scenario, np.array([0.0])).tolist() == [20]


@pytest.mark.parametrize(("name", "changes"), [("s0", 0), ("s1", 2), ("s2", 12), ("s3", 18), ("s4", 18)])
def test_shipped_scenarios_change_as_often_as_the_study_says(name, changes):
    assert len(geometry.los_changes_s(read.load(name))) == changes


def test_s1_is_hidden_from_2_134_to_22_134_s():
    assert geometry.los_changes_s(read.load("s1")).round(3).tolist() == [2.134, 22.134]


def test_every_outage_of_s4_lasts_about_a_second():
    starts, stops = geometry.los_changes_s(read.load("s4")).reshape(-1, 2).T
    assert np.all((stops - starts > 0.9) & (stops - starts < 1.2))
