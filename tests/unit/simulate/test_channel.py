"""The mmWave channel of the program: levels against closed forms, evolution along the route, files of it."""

import math
from dataclasses import replace

import numpy as np
import pytest

from mmwemu.core import paths
from mmwemu.core.errors import InputError, MissingError
from mmwemu.scenario import read
from mmwemu.scenario.geometry import los
from mmwemu.scenario.model import BeamSearch, Box, Waypoint
from mmwemu.simulate import channel_file
from mmwemu.simulate.config import channel_hash, scenario_hash
from mmwemu.simulate.ns3 import Ns3Engine

try:
    PROGRAM = paths.program("mmwemu-cell")
except MissingError as error:
    PROGRAM = None
    REASON = str(error)
else:
    REASON = ""

needs_program = pytest.mark.skipif(PROGRAM is None, reason=REASON)
pytestmark = [pytest.mark.cell]


def with_radio(scenario, **changes):
    return replace(scenario, mmwave=replace(scenario.mmwave, **changes))


def simulate(scenario, seed=1, **options):
    return Ns3Engine(**options).simulate(scenario, "mmwave", seed)


@pytest.fixture
def hidden(scenario):
    """Give a way of 15 m behind a long wall, at 3 m/s."""
    route = (Waypoint(0.0, (75.0, -7.5, 1.5)), Waypoint(5.0, (75.0, 7.5, 1.5)))
    wall = Box((50.0, 56.0), (-60.0, 60.0), (0.0, 15.0))
    return with_radio(replace(scenario, duration_s=5.0, route=route, boxes=(wall,)), evolution="consistent")


@needs_program
@pytest.mark.parametrize("evolution", ["independent", "consistent"])
@pytest.mark.parametrize("distance_m", [30.0, 150.0])
def test_the_line_of_sight_has_the_sinr_of_free_space(scenario, evolution, distance_m):
    place = (distance_m, 0.0, 3.0)
    route = (Waypoint(0.0, place), Waypoint(2.0, (distance_m, 6.0, 3.0)))
    free = with_radio(replace(scenario, duration_s=2.0, route=route, boxes=()), evolution=evolution)
    # Akdeniz's loss with line of sight is that of free space at 28 GHz; noise of 1 GHz, 64 and 16 elements.
    loss_db = 20 * math.log10(4 * math.pi * 28e9 / 299_792_458) + 20 * math.log10(distance_m)
    expected = 30 - loss_db + 10 * math.log10(64 * 16) - (-174 + 90 + 5)
    medians = [np.median(simulate(free, seed).sinr_db) for seed in (1, 2)]
    assert np.mean(medians) == pytest.approx(expected, abs=1.5)


@needs_program
def test_consistent_sinr_drifts_where_independent_draws_jump(hidden):
    jumps = {}
    for evolution in ("independent", "consistent"):
        slow = tuple(replace(w, time_s=w.time_s, position_m=(75.0, w.position_m[1] / 30, 1.5)) for w in hidden.route)
        trace = simulate(with_radio(replace(hidden, route=slow), evolution=evolution))
        jumps[evolution] = np.sort(np.abs(np.diff(trace.sinr_db)))
    # 0.1 mm a millisecond: the phases of rays turn by 0.06 rad at most. Independent draws follow each 100 ms.
    assert jumps["consistent"][-1] < 0.6
    assert np.median(jumps["independent"][-40:]) > 1.5


@needs_program
def test_a_faster_ue_gets_less_on_the_same_route(hidden):
    rates, levels = {}, {}
    for speed_mps in (3.0, 25.0):
        duration_s = 15.0 / speed_mps
        route = (hidden.route[0], replace(hidden.route[1], time_s=duration_s))
        moved = replace(hidden, duration_s=duration_s, route=route)
        moved = replace(moved, traffic=replace(moved.traffic, start_s=0.0), core=replace(moved.core, delay_s=0.0))
        traces = [simulate(moved, seed) for seed in (1, 2, 3)]
        rates[speed_mps] = np.array([t.throughput_bps[50:].mean() for t in traces])
        levels[speed_mps] = np.array([np.median(t.sinr_db[50:]) for t in traces])
    assert np.all(rates[25.0] < 0.95 * rates[3.0])
    assert np.all(rates[25.0] > 0.6 * rates[3.0])
    # Not because the signal is weaker, but because CQI is older than the fading.
    assert levels[25.0] == pytest.approx(levels[3.0], abs=0.8)


@needs_program
@pytest.mark.parametrize("change", [{}, {"evolution": "consistent"}, {"evolution": "consistent", "shadowing": True}])
def test_line_of_sight_changes_as_in_the_geometry(scenario, change):
    trace = simulate(with_radio(scenario, **change))
    assert np.array_equal(trace.los == 1, los(scenario, trace.time_s))


@needs_program
def test_shadowing_is_a_slow_loss(hidden):
    plain = simulate(hidden).sinr_db
    shadowed = simulate(with_radio(hidden, shadowing=True)).sinr_db
    loss_db = plain - shadowed
    # 3 mm a millisecond against a decorrelation distance of 13 m: 0.2 dB in standard deviation.
    assert np.abs(np.diff(loss_db)).max() < 1.5
    assert loss_db.std() > 0.5


@needs_program
def test_diffraction_makes_the_change_gradual(scenario):
    radio = {"evolution": "consistent"}
    sharp = simulate(with_radio(scenario, **radio))
    gradual = simulate(with_radio(scenario, los_change="diffraction", **radio))
    edge = int(np.flatnonzero(np.diff(sharp.los))[0])
    assert np.array_equal(sharp.los, gradual.los)
    assert sharp.sinr_db[edge] - sharp.sinr_db[edge + 1] > 20
    around = gradual.sinr_db[edge - 30 : edge + 30]
    assert np.abs(np.diff(around)).max() < 3
    assert sharp.sinr_db[edge] - gradual.sinr_db[edge] == pytest.approx(6, abs=1.5)
    hidden = gradual.sinr_db[gradual.los == 0]
    assert gradual.sinr_db[edge] - hidden.min() > 8
    assert hidden.min() > np.median(sharp.sinr_db[sharp.los == 0])


@needs_program
def test_a_beam_search_costs_time_and_errs(scenario):
    free = with_radio(replace(scenario, duration_s=1.0, boxes=()), evolution="consistent", beam="codebook")
    possible = {}
    for name, search in {
        "free": BeamSearch(0.02, 0.0, 0.0),
        "slow": BeamSearch(0.02, 0.01, 0.0),
        "wrong": BeamSearch(0.02, 0.0, 10.0),
    }.items():
        trace = simulate(with_radio(free, beam_search=search))
        possible[name] = (trace.phy_rate_bps[100:].mean(), trace.sinr_db[100:].mean())
    assert possible["slow"][0] == pytest.approx(0.5 * possible["free"][0], rel=0.02)
    assert possible["slow"][1] == pytest.approx(possible["free"][1], abs=0.5)
    assert possible["wrong"][1] < possible["free"][1] - 3


@needs_program
@pytest.mark.parametrize("evolution", ["independent", "consistent"])
def test_blockage_takes_power_from_the_side_of_the_body(scenario, evolution):
    # Self-blocking of a phone held upright: 30 dB from azimuths of 200 to 320 degrees (TR 38.901, table 7.6.4.1-1).
    losses_db = []
    for y in (60.0, -60.0):
        route = (Waypoint(0.0, (75.0, y, 1.5)),)
        free = with_radio(replace(scenario, duration_s=1.0, route=route, boxes=()), evolution=evolution)
        plain, blocked = (np.median(simulate(with_radio(free, blockage=on)).sinr_db) for on in (False, True))
        losses_db.append(plain - blocked)
    assert losses_db[0] > 15
    assert losses_db[1] < losses_db[0] - 10


@needs_program
def test_shadowing_and_drift_spread_the_sinr_without_line_of_sight():
    # Five walks of the public module spread over 16.5 dB (median; 13.4 to 22.3).
    s1 = replace(read.load("s1"), duration_s=22.2)
    radio = {"path_loss": "umi-street-canyon", "frame": "numerology3", "evolution": "consistent", "shadowing": True}
    spreads = []
    for seed in range(1, 6):
        trace = simulate(with_radio(s1, **radio), seed)
        rows = trace.sinr_db[(trace.los == 0) & (trace.time_s > 0.5)]
        low, high = np.quantile(rows, [0.05, 0.95])
        spreads.append(high - low)
    assert np.median(spreads) == pytest.approx(16.5, abs=3)


@needs_program
@pytest.mark.parametrize("evolution", ["independent", "consistent"])
def test_a_channel_that_was_written_gives_the_same_trace(tmp_path, scenario, evolution):
    short = with_radio(replace(scenario, duration_s=1.6), evolution=evolution)
    file = tmp_path / "a channel"
    traces = [simulate(short), simulate(short, channel_out=file), simulate(short, channel_in=file)]
    for trace in traces[1:]:
        for name in ("los", "sinr_db", "mcs", "phy_rate_bps", "throughput_bps", "delay_s"):
            assert np.array_equal(getattr(trace, name), getattr(traces[0], name), equal_nan=True)
    assert traces[2].meta["channel_seed"] == 1
    # The same channel, other traffic and luck; power is not part of the channel.
    other = replace(with_radio(short, power_dbm=20.0), traffic=replace(short.traffic, rate_bps=1e8))
    weaker = simulate(other, 2, channel_in=file)
    assert weaker.sinr_db == pytest.approx(traces[0].sinr_db - 10, abs=0.002)
    assert weaker.meta["seed"] == 2
    assert weaker.meta["channel_seed"] == 1


@needs_program
def test_a_channel_file_that_does_not_fit_is_refused(tmp_path, scenario):
    short = replace(scenario, duration_s=0.5)
    file = tmp_path / "c.channel"
    simulate(short, channel_out=file)
    with pytest.raises(InputError, match=r"c\.channel: holds 0\.5 s; the scenario lasts 4 s"):
        simulate(scenario, channel_in=file)
    with pytest.raises(InputError, match="holds the channel of another scenario"):
        simulate(with_radio(short, path_loss="uma"), channel_in=file)
    with pytest.raises(InputError, match="--channel-in: is for --rat mmwave"):
        Ns3Engine(channel_in=file).simulate(short, "lte", 1)
    with pytest.raises(InputError, match="a run reads a channel or writes one"):
        simulate(short, channel_in=file, channel_out=tmp_path / "d")
    for bad in (b"", file.read_bytes()[:-1], file.read_bytes()[5:], b"mmwemu-channel 1\nhash x\nseed y\n"):
        cut = tmp_path / "cut"
        cut.write_bytes(bad)
        with pytest.raises(InputError, match=r"cut: (is not|has a header)"):
            channel_file.check(cut, short)
    with pytest.raises(InputError, match="nothing: cannot be read"):
        channel_file.check(tmp_path / "nothing", short)


@needs_program
def test_a_full_disk_ends_a_channel_file(tmp_path, scenario):
    (tmp_path / "full").symlink_to("/dev/full")
    with pytest.raises(Exception, match="No space left on device"):
        simulate(replace(scenario, duration_s=0.5), channel_out=tmp_path / "full")


def test_new_settings_enter_the_hashes_where_they_differ_only(scenario):
    plain = scenario_hash(scenario, "mmwave")
    for change in (
        {"evolution": "consistent"},
        {"shadowing": True},
        {"blockage": True},
        {"beam": "codebook"},
        {"los_change": "diffraction"},
    ):
        changed = with_radio(scenario, **change)
        assert scenario_hash(changed, "mmwave") != plain
        assert channel_hash(changed) != channel_hash(scenario)
    assert scenario_hash(with_radio(scenario, beam_search=BeamSearch(0.1)), "mmwave") == plain
    assert channel_hash(with_radio(scenario, power_dbm=1.0, frame="numerology3")) == channel_hash(scenario)
    consistent = with_radio(scenario, evolution="consistent")
    assert channel_hash(with_radio(consistent, frame="numerology3")) != channel_hash(consistent)
