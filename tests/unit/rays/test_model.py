from dataclasses import replace

import numpy as np
import pytest

from mmwemu.core.errors import InputError
from tests import rays as made


def test_points_know_their_power_and_line_of_sight():
    rays = made.make(hidden=lambda along_m: along_m > 5, wall_x_m=90.0)
    assert np.array_equal(rays.los, rays.along_m <= 5)
    assert rays.received_db[rays.los].min() > rays.received_db[~rays.los].max() + 6
    dark = made.make(hidden=lambda along_m: along_m > 5)
    assert np.all(np.isneginf(dark.received_db[dark.along_m > 5]))
    assert dark.received_db[0] == pytest.approx(dark.gain_db[0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gain_db": np.full(101, np.nan)}, "rays: gain_db: is nan at point 1; must be from -500 to 50"),
        ({"delay_s": np.full(101, -1e-9)}, "rays: delay_s: is -1e-09 at point 1; must be from 0 to 0.001"),
        ({"arrival_elevation_deg": np.append(np.zeros(100), 91)}, "arrival_elevation_deg: is 91 at point 101;"),
        ({"along_m": np.zeros(101)}, "rays: along_m: must start at 0 and rise strictly"),
        ({"x_m": np.full(101, 1e7)}, "rays: x_m: is 10000000 at point 1; must be from -1000000 to 1000000"),
        ({"phase_rad": np.zeros(3)}, "rays: phase_rad: has 3 values; must have 101"),
        ({"first": np.zeros(101, dtype=np.int64)}, "rays: first: must rise from 0"),
        ({"carrier_hz": 1e12}, "rays: carrier_hz: is 1e+12; must be from 500000000 to 1e+11"),
    ],
)
def test_what_cannot_be_is_refused(change, message):
    with pytest.raises(InputError, match=f"^{'' if message.startswith('rays') else '.*'}{message.replace('+', '.')}"):
        replace(made.make(), **change)
