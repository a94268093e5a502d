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
        ((0, 2, 1), (3, 2, 1), False),  # along the opposite side
        ((0, 1.5, 2), (3, 1.5, 2), False),  # along the top
        ((0.5, 1.5, 1), (1.5, 1.5, 1), True),  # in by a step of 1 m
        ((0, 1.5, 1), (1, 1.5, 1), False),  # up to a side
        ((2, 1.5, 1), (3, 1.5, 1), False),  # away from a side
        ((0, 2, 1), (2, 0, 1), False),  # over an edge
        ((1.2, 1.2, 1), (1.8, 1.8, 1), True),  # all of it inside
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


def test_boxes_beside_the_ray_add_no_loss():
    boxes = (Box((1, 2), (-1, 1), (0, 5), loss_db=10), Box((1, 2), (7, 8), (0, 5), loss_db=20))
    scenario = Scenario("x", 1, (0, 0, 3), (Waypoint(0, (6, 0, 1)),), boxes)
    assert geometry.extra_loss_db(scenario, np.array([0.0, 0.5])).tolist() == [10, 10]


def test_all_axes_move():
    scenario = Scenario("x", 10, (0, 0, 3), (Waypoint(0, (0, 10, 1)), Waypoint(2, (4, 0, 5))))
    assert geometry.position_m(scenario, np.array([0.5, 1.0])).tolist() == [[1, 7.5, 2], [2, 5, 3]]


def test_changes_are_seen_from_the_beginning_to_the_step():
    # The UE passes behind the box, 1 m wide at half the way, at 2 m/s: hidden for 1 s from 0.5 s on.
    route = (Waypoint(0, (10, -2, 1)), Waypoint(2, (10, 2, 1)))
    scenario = Scenario("x", 2, (0, 0, 1), route, (Box((5, 5.001), (-0.5, 0.5), (0, 5)),))
    assert geometry.los_changes_s(scenario) == pytest.approx([0.5, 1.5], abs=0.0011)
    assert geometry.los_changes_s(scenario, step_s=0.3) == pytest.approx([0.6, 1.5])
    assert geometry.los(scenario, np.array([0.0, 1.0, 2.0])).tolist() == [True, False, True]
