from dataclasses import replace

import pytest

from mmwemu.core.errors import InputError
from mmwemu.rays import fit
from mmwemu.scenario.model import Box, Waypoint
from tests import rays as made


def refused(scenario, rays=None):
    with pytest.raises(InputError) as error:
        fit.check(rays or made.make(), scenario, "r.parquet")
    return str(error.value)


def test_rays_fit_their_scenario_at_any_speed_and_with_rests():
    rays = made.make()
    fit.check(rays, made.walk(), "r")
    fit.check(rays, made.walk(duration_s=0.4), "r")
    start, end = made.walk().route
    rests = (start, Waypoint(1.0, start.position_m), Waypoint(3.0, end.position_m))
    fit.check(rays, replace(made.walk(), route=rests, duration_s=9.0), "r")


def test_a_scenario_that_ends_early_needs_the_first_part_only():
    scenario = replace(made.walk(), duration_s=1.0)
    fit.check(made.make(made.walk(end_m=(60.0, 0.0, 1.5), duration_s=1.0)), scenario, "r")


def test_rays_of_something_else_are_refused():
    walk = made.walk()
    assert refused(replace(walk, base_station_m=(0.0, 1.0, 10.0))) == (
        "r.parquet: is of a base station at (0, 0, 10) m, that of scenario walk is at (0, 1, 10) m"
    )
    assert refused(made.walk(carrier_hz=60e9)) == (
        "r.parquet: is of a carrier at 2.8e+10 Hz, that of scenario walk is at 6e+10 Hz"
    )
    assert refused(made.walk(start_m=(60.0, -5.0, 1.7))).startswith(
        "r.parquet: is at (60, -5, 1.5) m after 0 m of the route, scenario walk at (60, -5, 1.7) m; it belongs to"
    )
    assert refused(made.walk(end_m=(60.0, 6.0, 1.5))) == (
        "r.parquet: ends after 10 m, the route of scenario walk is 11 m long; trace all of it"
    )
    assert refused(replace(walk, boxes=(Box((1, 2), (1, 2), (0, 2)),))) == (
        "scenario walk: has boxes; with rays the traced scene alone is in the way: remove [[boxes]]"
    )
