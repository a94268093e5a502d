from dataclasses import replace

import pytest

from mmwemu.scenario.model import Box, Scenario, Waypoint


@pytest.fixture
def scenario():
    """Give a walk of 4 s behind a small building: LOS, from about 1 s to about 3 s NLOS, LOS."""
    return Scenario(
        name="t",
        duration_s=4.0,
        base_station_m=(0.0, 0.0, 3.0),
        route=(Waypoint(0.0, (75.0, -3.0, 1.0)), Waypoint(4.0, (75.0, 3.0, 1.0))),
        boxes=(Box((50.0, 56.0), (-1.0, 1.0), (0.0, 15.0)),),
    )


@pytest.fixture
def outage(scenario):
    """Give the same with a building that lets nothing through."""
    return replace(scenario, boxes=tuple(replace(box, loss_db=60.0) for box in scenario.boxes))
