import numpy as np
import pytest

from mmwemu.rays import draw, summary
from tests import rays as made

WALL = np.array([[[70, -9, 0], [70, 9, 0], [70, 0, 12]], [[0, 0, 0], [90, 0, 0], [0, 90, 0]]], dtype=float)


@pytest.mark.parametrize("surfaces_m", [None, WALL, np.zeros((0, 3, 3))])
@pytest.mark.parametrize("hidden", [lambda along_m: False, lambda along_m: along_m > 5, lambda along_m: True])
def test_a_map_is_drawn(tmp_path, surfaces_m, hidden):
    draw.plot(made.make(step_m=1, hidden=hidden), tmp_path / "m.png", surfaces_m, "street")
    assert (tmp_path / "m.png").read_bytes().startswith(b"\x89PNG")


def test_key_figures():
    found = summary.of(made.make(hidden=lambda along_m: 4.05 < along_m < 6.05, step_m=0.1))
    assert (found["points"], found["length_m"], found["points_without_paths"]) == (101, 10.0, 20)
    assert found["los_share"] == pytest.approx(81 / 101)
    assert found["los_changes"] == 2
    assert found["paths_of_a_point"] == [0, 1.0, 1]
    assert summary.of(made.make(hidden=lambda along_m: True))["received_db"] is None
