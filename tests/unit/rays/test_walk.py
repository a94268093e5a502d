import re

import pytest

from mmwemu.core.errors import InputError
from mmwemu.rays import walk
from mmwemu.scenario import read

GOOD = "time_s,x_m,y_m,z_m\n0,1,2,1.5\n2.5,4,5,1.5\n"


def test_a_route_becomes_a_scenario_and_its_file_the_same_one(tmp_path):
    (tmp_path / "street.csv").write_text(GOOD)
    scenario = walk.load(tmp_path / "street.csv", (0.0, 0.0, 10.0), 39e9)
    assert (scenario.name, scenario.duration_s, len(scenario.route)) == ("street", 2.5, 2)
    assert scenario.mmwave.carrier_hz == 39e9
    walk.save(scenario, tmp_path / "street.toml")
    assert read.load(str(tmp_path / "street.toml")) == scenario


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t,x,y,z\n0,1,2,3\n", "line 1: is 't,x,y,z'; must be time_s,x_m,y_m,z_m"),
        ("time_s,x_m,y_m,z_m\n0,1,2,3\n", "has 1 waypoints; must have at least 2"),
        (GOOD.replace("2.5,4", "2.5,a"), "line 3: is '2.5,a,5,1.5'; must be four numbers"),
        (GOOD.replace("2.5,4", "4"), "line 3: is '4,5,1.5'; must be four numbers"),
        (GOOD.replace("2.5,4", "nan,4"), "duration_s: is nan; must be a finite number"),
        (GOOD.replace("0,1,2", "1,1,2"), "route[0].time_s: is 1; the route must start at 0"),
        (GOOD + "2,0,0,1\n", "route[1].time_s: is 2.5, after the end of the scenario at 2"),
        (GOOD.replace("5,1.5", "5,0"), "route[1].position_m[2]: is 0; the height must be above 0"),
    ],
)
def test_other_routes_are_refused(tmp_path, text, message):
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(InputError, match=re.escape(message)):
        walk.load(tmp_path / "r.csv", (0.0, 0.0, 10.0), 28e9)
