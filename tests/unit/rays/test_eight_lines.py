import re

import numpy as np
import pytest

from mmwemu.core.errors import InputError
from mmwemu.rays import eight_lines, placing, walk
from tests import rays as made

GOOD = "2\n100,150,\n-110,-120,\n1,2,\n-1,-2,\n30,40,\n1,2,\n-150,-140,\n0\n\n\n\n\n\n\n\n"


def test_points_are_read_with_and_without_paths(tmp_path):
    path = tmp_path / "r.txt"
    path.write_text(GOOD)
    points = eight_lines.load(path)
    assert points.first.tolist() == [0, 2, 2]
    assert points.columns["delay_s"] == pytest.approx([1e-7, 1.5e-7])
    assert points.columns["departure_azimuth_deg"].tolist() == [30, 40]
    assert points.columns["arrival_elevation_deg"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "r.txt: has 1 lines; must have 8 for each point: a number of paths, delays"),
        (GOOD.replace("2\n100", "x\n100"), "line 1: is 'x'; must be the number of paths of a point"),
        (GOOD.replace("2\n100", "-2\n100"), "line 1: is '-2'; must be"),
        (GOOD.replace("2\n100", "3\n100"), "line 2: is '100,150,'; must be 3 delays, parted by commas"),
        (GOOD.replace("1,2,\n-1", "1,nan,\n-1"), "line 4: is '1,nan,'; must be 2 phases"),
        (GOOD.replace("30,40", "30,,40"), "line 6: is '30,,40,'; must be 2 departure azimuths"),
        (GOOD + "\n", "has 17 lines"),
    ],
)
def test_other_texts_are_refused(tmp_path, text, message):
    path = tmp_path / "r.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(message)):
        eight_lines.load(path)


@pytest.fixture
def street(tmp_path):
    """Give the rays of a street traced at 60 GHz, and the file of the module that holds them."""
    rays = made.make(
        made.walk((10.0, -30.0, 1.5), (40.0, 10.0, 1.5), carrier_hz=60e9),
        step_m=0.01,
        hidden=lambda along_m: 20 < along_m < 30,
        wall_x_m=70.0,
    )
    path = tmp_path / "street.txt"
    path.write_text(made.eight_lines(rays))
    return rays, path


def test_direct_paths_place_the_route(street):
    rays, path = street
    found = placing.place(eight_lines.load(path), None, 1.5, "street.txt")
    assert found.carrier_hz == 60e9
    assert found.base_station_m == pytest.approx(made.BASE_M, abs=0.001)
    assert np.allclose(found.position_m, rays.position_m, atol=0.001)
    assert np.allclose(found.along_m, rays.along_m, atol=0.001)
    assert np.array_equal(found.direct, rays.direct)
    assert np.allclose(np.exp(1j * found.phase_rad), np.exp(1j * rays.phase_rad), atol=1e-6)


def test_phases_of_another_carrier_are_those_of_the_delays(street):
    rays, path = street
    found = placing.place(eight_lines.load(path), 28e9, 1.5, "street.txt")
    expected = np.exp(-2j * np.pi * 28e9 * rays.delay_s)
    assert np.abs(np.exp(1j * found.phase_rad) - expected).max() < 0.01


def test_a_path_through_a_wall_is_not_direct(street, tmp_path):
    rays, path = street
    points = eight_lines.load(path)
    points.columns["gain_db"][:100] -= 12.0
    found = placing.place(points, None, 1.5, "street.txt")
    assert found.direct[:100].sum() == 0
    assert np.array_equal(found.direct[100:], rays.direct[100:])


def test_what_cannot_be_placed_is_refused(street):
    _, path = street
    points = eight_lines.load(path)
    bent = points.columns["delay_s"] * (1 + 0.1 * np.linspace(-1, 1, len(points.columns["delay_s"])) ** 2)
    with pytest.raises(InputError, match=r"m off a line; at least 1 m and at most 0.2 m are needed to place it"):
        placing.place(eight_lines.Points(points.first, points.columns | {"delay_s": bent}), None, 1.5, "r")
    turned = points.columns["arrival_azimuth_deg"] + 20
    with pytest.raises(InputError, match="has no direct path"):
        placing.place(
            eight_lines.Points(points.first, points.columns | {"arrival_azimuth_deg": turned}), None, 1.5, "r"
        )
    one = {name: values[:1] for name, values in points.columns.items()}
    with pytest.raises(InputError, match="has a direct path at one point only"):
        placing.place(eight_lines.Points(np.array([0, 1]), one), None, 1.5, "r")


def test_the_scenario_of_an_import_has_its_speed(street, tmp_path):
    _, path = street
    rays = placing.place(eight_lines.load(path), None, 1.5, "street.txt")
    scenario = walk.along(rays, 25.0, tmp_path / "fast.toml")
    assert scenario.duration_s == pytest.approx(2.0, abs=1e-3)
    assert (scenario.name, scenario.mmwave.carrier_hz) == ("fast", 60e9)
