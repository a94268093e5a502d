"""Tracing by Sionna RT, in its scene of a floor and a wall; skipped where it is not installed."""

import numpy as np
import pytest

from mmwemu.core.errors import InputError, MissingError
from mmwemu.core.units import LIGHT_MPS
from mmwemu.rays import requirements, trace
from tests import rays as made

MISSING = next((f"{one.what} is {one.detail}; {one.remedy}" for one in requirements.examine() if not one.found), None)
needs_sionna = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))


@pytest.mark.parametrize(("length_m", "step_m", "n"), [(1.0, 0.1, 11), (1.05, 0.1, 12), (0.0, 0.1, 1), (0.05, 0.1, 2)])
def test_points_go_from_the_start_to_the_end(length_m, step_m, n):
    points = trace.points_m(length_m, step_m)
    assert len(points) == n
    assert (points[0], points[-1]) == (0, length_m)
    assert np.all(np.diff(points) > 1e-9)


def test_a_missing_extra_names_the_command(monkeypatch):
    monkeypatch.setattr(requirements.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingError, match=r"^sionna-rt is not there; pip install 'mmwemu\[rays\]'$"):
        trace.Tracer("munich", made.walk())


@needs_sionna
def test_a_missing_llvm_names_the_package(monkeypatch):
    monkeypatch.setenv("DRJIT_LIBLLVM_PATH", "/nonexistent")
    with pytest.raises(MissingError, match=r"^libLLVM is not there; sudo apt-get install libllvm19 "):
        trace.Tracer("munich", made.walk())


@needs_sionna
def test_an_unknown_or_broken_scene_is_one_line(tmp_path):
    with pytest.raises(InputError, match=r"^scene nosuch: is neither a file \(.xml\) nor one of .*munich"):
        trace.Tracer("nosuch", made.walk())
    broken = tmp_path / "broken.xml"
    broken.write_text("<scene version='3.0.0'><shape type='nosuch'/></scene>")
    with pytest.raises(InputError, match=r"broken.xml: cannot be used: ") as error:
        trace.Tracer(str(broken), made.walk())
    assert "\n" not in str(error.value)


@needs_sionna
def test_the_direct_path_is_that_of_free_space_and_a_wall_mirrors_another():
    scenario = made.walk((2.0, -1.0, 1.5), (2.0, 1.0, 1.5))
    seen = []
    rays = trace.Tracer("floor_wall", scenario).trace(trace.Tracing(step_m=0.25, depth=1), seen.append)
    assert (seen[0].done, seen[-1].done, seen[-1].total) == (0, 9, 9)
    assert np.all(rays.los)
    assert np.diff(rays.first).max() > 1
    distance_m = np.linalg.norm(rays.position_m - np.array(scenario.base_station_m), axis=1)
    direct = rays.direct == 1
    assert rays.delay_s[direct] * LIGHT_MPS == pytest.approx(distance_m, rel=1e-5)
    free_space_db = -20 * np.log10(4 * np.pi * 28e9 * distance_m / LIGHT_MPS)
    # The antennas are vertically polarised, so the wave keeps the share that both elevations leave.
    assert rays.gain_db[direct] == pytest.approx(free_space_db, abs=0.1)
    assert np.exp(1j * rays.phase_rad[direct]) == pytest.approx(
        np.exp(-2j * np.pi * 28e9 * distance_m / LIGHT_MPS), abs=0.1
    )
    assert (rays.departure_azimuth_deg - rays.arrival_azimuth_deg)[direct] % 360 == pytest.approx(180, abs=0.01)
    assert (rays.departure_elevation_deg + rays.arrival_elevation_deg)[direct] == pytest.approx(0, abs=0.01)
    assert rays.departure_elevation_deg[direct].max() < 0


@needs_sionna
def test_too_many_points_are_refused():
    with pytest.raises(InputError, match=r"^step: of 1e-05 m gives 1000000 points of 10 m; at most 100000 are traced$"):
        trace.Tracer("floor_wall", made.walk()).trace(trace.Tracing(step_m=1e-5))
