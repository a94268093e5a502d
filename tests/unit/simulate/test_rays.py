"""The mmWave cell on rays: levels in closed form, line of sight, speed, refusals."""

import subprocess
from dataclasses import replace

import numpy as np
import pytest

from mmwemu.core import paths
from mmwemu.core.errors import MissingError
from mmwemu.rays import parquet, walk
from mmwemu.simulate.config import config_text, rays_text, scenario_hash
from mmwemu.simulate.ns3 import Ns3Engine
from mmwemu.trace.parquet import load as load_trace
from tests import rays as made
from tests.programs import MMWEMU

try:
    PROGRAM = paths.program("mmwemu-cell")
except MissingError as error:
    PROGRAM = None
    REASON = str(error)
else:
    REASON = ""

needs_cell = [pytest.mark.cell, pytest.mark.skipif(PROGRAM is None, reason=REASON)]


def simulate(scenario, rays):
    return Ns3Engine(rays=rays).simulate(scenario, "mmwave", 1)


def free_space_sinr_db(scenario, time_s):
    """Return the SINR of the direct path alone with the gain of both arrays."""
    (start, end), radio = (np.array(w.position_m) for w in scenario.route), scenario.mmwave
    where = start + np.outer(time_s / scenario.duration_s, end - start)
    distance_m = np.linalg.norm(where - np.array(scenario.base_station_m), axis=1)
    noise_dbm = -174 + 10 * np.log10(radio.bandwidth_hz) + radio.noise_figure_db
    elements = np.prod(radio.gnb_array) * np.prod(radio.ue_array)
    loss_db = 20 * np.log10(4 * np.pi * distance_m * radio.carrier_hz / 299_792_458.0)
    return radio.power_dbm - loss_db + 10 * np.log10(elements) - noise_dbm


class TestCell:
    pytestmark = needs_cell

    @pytest.mark.parametrize("beam", ["dft", "svd"])
    def test_one_ray_gives_the_sinr_of_free_space(self, beam):
        scenario = made.walk(duration_s=0.5)
        scenario = replace(scenario, mmwave=replace(scenario.mmwave, beam=beam))
        trace = simulate(scenario, made.make(scenario))
        assert trace.sinr_db == pytest.approx(free_space_sinr_db(scenario, trace.time_s), abs=0.1)
        assert np.all(trace.los == 1)

    def test_line_of_sight_and_rate_are_those_of_the_rays(self):
        scenario = made.walk(duration_s=3.0)
        rays = made.make(scenario, hidden=lambda along_m: 4 < along_m < 7, wall_x_m=90.0, loss_db=20.0)
        trace = simulate(scenario, rays)
        changes_s = np.flatnonzero(np.diff(trace.los)) * 0.001
        assert changes_s == pytest.approx([1.2, 2.1], abs=0.02)
        free, hidden = trace.los == 1, trace.los == 0
        assert np.median(trace.sinr_db[free]) - np.median(trace.sinr_db[hidden]) > 15
        # The line of sight comes back over a step of 0.1 m, 30 ms.
        back = int(np.flatnonzero(np.diff(trace.los) == 1)[-1])
        assert trace.sinr_db[back + 40 :].min() > np.median(trace.sinr_db[hidden]) + 15

    def test_no_path_is_an_outage(self):
        scenario = made.walk(duration_s=2.0)
        trace = simulate(scenario, made.make(scenario, hidden=lambda along_m: along_m > 5))
        assert trace.throughput_bps[500:900].mean() == pytest.approx(1001e6, rel=0.02)
        assert trace.throughput_bps[1200:].sum() == 0

    def test_two_rays_fade_at_the_rate_of_the_speed(self):
        """The beat of two rays has as many periods over the route at any speed."""
        beats = []
        for duration_s in (1.0, 2.0):
            scenario = made.walk((40.0, -2.0, 1.5), (40.0, 2.0, 1.5), duration_s)
            small = replace(scenario.mmwave, ue_array=(1, 1), gnb_array=(1, 1), bandwidth_hz=100e6)
            scenario = replace(scenario, mmwave=small)
            trace = simulate(scenario, made.make(scenario, step_m=0.05, wall_x_m=60.0, loss_db=3.0))
            beats.append(np.count_nonzero(np.diff(np.signbit(trace.sinr_db - np.median(trace.sinr_db)))))
        assert beats[0] > 4
        assert beats[0] == pytest.approx(beats[1], abs=2)

    def test_a_broken_file_of_rays_is_named_by_its_line(self, tmp_path):
        scenario = made.walk(duration_s=0.1)
        (tmp_path / "cell.txt").write_text(config_text(scenario, "mmwave", 1, {"rays": "rays.txt"}))
        argv = [PROGRAM, "cell.txt", "trace.csv", "meta.json"]
        for text, message in (
            ("point 0 1 2\n", "rays.txt:1: point: must have four numbers"),
            (None, "rays.txt: cannot be read: No such file or directory"),
        ):
            (tmp_path / "rays.txt").unlink(missing_ok=True)
            if text is not None:
                (tmp_path / "rays.txt").write_text(text)
            done = subprocess.run(argv, cwd=tmp_path, env={}, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (2, f"mmwemu-cell: {message}\n")

    def test_the_verb_writes_a_trace_that_names_the_rays(self, tmp_path):
        scenario = made.walk(duration_s=0.2)
        walk.save(scenario, tmp_path / "walk.toml")
        parquet.save(made.make(scenario), tmp_path / "rays.parquet")
        words = ["simulate", "walk.toml", "--rat", "mmwave", "--rays", "rays.parquet"]
        done = subprocess.run([*MMWEMU, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "walk.mmwave.trace.parquet\n"), done.stderr
        trace = load_trace(tmp_path / "walk.mmwave.trace.parquet")
        assert trace.meta["rays"] == "made"
        assert trace.meta["scenario_hash"] == scenario_hash(scenario, "mmwave", made.make(scenario))


def test_rays_are_part_of_the_hash_and_the_hash_without_them_is_the_same():
    scenario, rays = made.walk(), made.make()
    plain = scenario_hash(scenario, "mmwave")
    louder = replace(rays, gain_db=rays.gain_db + 1)
    assert len({plain, scenario_hash(scenario, "mmwave", rays), scenario_hash(scenario, "mmwave", louder)}) == 3


def test_rays_are_written_to_the_last_digit():
    rays = made.make()
    values = [float(word) for word in rays_text(rays).split("\n")[1].split()[1:]]
    assert values == [rays.delay_s[0], rays.gain_db[0], rays.phase_rad[0], rays.departure_azimuth_deg[0],
                      rays.departure_elevation_deg[0], rays.arrival_azimuth_deg[0], rays.arrival_elevation_deg[0],
                      rays.direct[0]]  # fmt: skip
