from dataclasses import replace

import numpy as np
import pytest

from mmwemu.core.errors import InputError
from mmwemu.scenario import read
from mmwemu.scenario.geometry import crosses, los_changes_s, position_m
from mmwemu.scenario.random_boxes import placed
from mmwemu.simulate.config import config_text, scenario_hash

SCENARIO = read.load("polese-random")
TEXT = """\
format = 1
name = "t"
duration_s = 4.0
[base_station]
position_m = [0, 0, 3]
[[route]]
time_s = 0
position_m = [75, 0, 1]
[random_boxes]
count = 2
x_m = [20, 50]
y_m = [-5, 5]
width_m = [1, 2]
depth_m = [1, 2]
height_m = [3, 4]
"""


def test_a_seed_gives_its_boxes_and_another_seed_others():
    assert placed(SCENARIO, 1) == placed(SCENARIO, 1)
    assert placed(SCENARIO, 1).boxes != placed(SCENARIO, 2).boxes
    plain = read.load("s1")
    assert placed(plain, 1) is plain


def test_boxes_keep_to_their_ranges_and_off_the_route():
    rule = SCENARIO.random_boxes
    way = position_m(SCENARIO, np.linspace(0, SCENARIO.duration_s, 400))
    changes = set()
    for seed in range(100):
        scenario = placed(SCENARIO, seed)
        assert len(scenario.boxes) == rule.count
        for box in scenario.boxes:
            for side, centre, size in ((box.x_m, rule.x_m, rule.width_m), (box.y_m, rule.y_m, rule.depth_m)):
                assert centre[0] <= sum(side) / 2 <= centre[1]
                assert size[0] - 1e-9 <= side[1] - side[0] <= size[1] + 1e-9
            assert rule.height_m[0] <= box.z_m[1] <= rule.height_m[1]
            assert not crosses(box, way[:-1], way[1:]).any()
        changes.add(len(los_changes_s(scenario, 0.05)))
    assert len(changes) > 2


def test_the_hash_is_that_of_the_rule_and_the_configuration_has_the_boxes():
    assert scenario_hash(SCENARIO, "mmwave") == scenario_hash(SCENARIO, "mmwave")
    other = replace(SCENARIO, random_boxes=replace(SCENARIO.random_boxes, count=4))
    assert scenario_hash(other, "mmwave") != scenario_hash(SCENARIO, "mmwave")
    lines = config_text(SCENARIO, "mmwave", 7).splitlines()
    assert sum(line.startswith("box ") for line in lines) == SCENARIO.random_boxes.count
    assert not any("random" in line for line in lines)


def test_no_room_is_one_line():
    full = replace(SCENARIO.random_boxes, x_m=(25.0, 25.0), y_m=(0.0, 0.0), width_m=(60.0, 60.0))
    with pytest.raises(InputError, match=r"scenario polese-random: random_boxes: has no room: 1000 boxes in a row"):
        placed(replace(SCENARIO, random_boxes=full), 1)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("count = 2", "count = 0", r"t: random_boxes\.count: is 0; must be"),
        ("count = 2", "count = 1_000_000", r"random_boxes\.count: is 1000000; must be"),
        ("x_m = [20, 50]", "x_m = [50, 20]", r"random_boxes\.x_m: is \[50, 20\]; must be the least and the most"),
        ("width_m = [1, 2]", "width_m = [0, 2]", r"random_boxes\.width_m"),
        ("height_m = [3, 4]", "", r"random_boxes\.height_m: is missing"),
        ("height_m = [3, 4]", "height_m = [3, 4]\nheight = 1", r"random_boxes\.height: is not a known key"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(old, new, message):
    assert read.parse(TEXT, "t").random_boxes.count == 2
    with pytest.raises(InputError, match=message):
        read.parse(TEXT.replace(old, new), "t")
