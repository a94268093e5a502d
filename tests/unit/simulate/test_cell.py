"""The program itself: levels, determinism, errors."""

import subprocess
from dataclasses import replace

import numpy as np
import pytest

from mmwemu.core import paths
from mmwemu.core.errors import InputError, MissingError
from mmwemu.scenario.geometry import los
from mmwemu.scenario.model import Ue, Uplink, Waypoint
from mmwemu.simulate.config import config_text
from mmwemu.simulate.ns3 import Ns3Engine

try:
    PROGRAM = paths.program("mmwemu-cell")
except MissingError as error:
    PROGRAM = None
    REASON = str(error)
else:
    REASON = ""

pytestmark = [pytest.mark.cell, pytest.mark.skipif(PROGRAM is None, reason=REASON)]


def run(folder, text, csv="trace.csv", meta="meta.json"):
    (folder / "cell.txt").write_text(text)
    argv = [PROGRAM, "cell.txt", csv, meta]
    done = subprocess.run(argv, cwd=folder, env={}, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr.splitlines()


@pytest.fixture(scope="module")
def levels():
    return {}


def trace_of(levels, scenario, rat):
    key = (scenario, rat)
    if key not in levels:
        levels[key] = Ns3Engine().simulate(scenario, rat, 1)
    return levels[key]


def test_line_of_sight_is_that_of_the_scenario(levels, scenario):
    trace = trace_of(levels, scenario, "mmwave")
    assert np.array_equal(trace.los == 1, los(scenario, trace.time_s))


def test_mmwave_levels(levels, scenario):
    trace = trace_of(levels, scenario, "mmwave")
    free, hidden = trace.los == 1, trace.los == 0
    assert trace.sinr_db[free].min() > 25
    assert 30 < np.median(trace.sinr_db[free]) < 45
    assert -8 < np.median(trace.sinr_db[hidden]) < 3
    assert trace.throughput_bps[200:900].mean() == pytest.approx(1001e6, rel=0.01)
    assert 150e6 < trace.throughput_bps[hidden].mean() < 450e6
    assert 0.010 < np.nanmedian(trace.delay_s[200:900]) < 0.0115
    assert trace.rlc_queue_bytes.max() > 0.99 * scenario.mmwave.rlc_buffer_bytes
    assert trace.drops[free].sum() < trace.drops[hidden].sum()


def test_the_backlog_drains_faster_than_the_source(levels, scenario):
    trace = trace_of(levels, scenario, "mmwave")
    back = int(np.flatnonzero(np.diff(trace.los) == 1)[-1])
    assert trace.throughput_bps[back + 5 : back + 50].mean() > 2e9
    assert trace.throughput_bps[back + 200 :].mean() == pytest.approx(1001e6, rel=0.01)


def test_packets_are_neither_made_nor_lost(levels, scenario):
    trace = trace_of(levels, scenario, "mmwave")
    delivered = trace.throughput_bps.sum() * trace.bin_s / 8 / 1400
    sent = 1001e6 / 8 / 1400 * (4.0 - 0.11)
    waiting = trace.rlc_queue_bytes[-1] / 1428
    assert delivered + trace.drops.sum() + waiting == pytest.approx(sent, rel=1e-3)


def test_an_obstacle_with_loss_is_an_outage(levels, outage):
    trace = trace_of(levels, outage, "mmwave")
    hidden = np.flatnonzero(trace.los == 0)
    assert trace.throughput_bps[hidden[5:]].mean() < 5e6
    assert trace.throughput_bps[hidden[-1] + 20 : hidden[-1] + 100].mean() > 900e6


def test_lte_is_steady(levels, scenario):
    trace = trace_of(levels, scenario, "lte")
    tenths = trace.throughput_bps[500:].reshape(-1, 100).mean(axis=1)
    assert tenths.min() > 50e6
    assert tenths.max() < 76e6
    assert np.array_equal(trace.los == 1, los(scenario, trace.time_s))


@pytest.mark.parametrize("rat", ["mmwave", "lte"])
def test_the_same_seed_gives_the_same_bytes(tmp_path, scenario, rat):
    short = replace(scenario, duration_s=0.8)
    texts = []
    for seed in (1, 1, 2):
        code, _ = run(tmp_path, config_text(short, rat, seed))
        assert code == 0
        texts.append((tmp_path / "trace.csv").read_bytes() + (tmp_path / "meta.json").read_bytes())
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]


@pytest.mark.parametrize("choice", [{"beam": "svd"}, {"frame": "numerology2"}, {"frame": "numerology3"}])
@pytest.mark.parametrize("path_loss", ["akdeniz", "umi-street-canyon", "uma"])
def test_choices_give_a_line_of_sight_rate(scenario, choice, path_loss):
    radio = replace(scenario.mmwave, path_loss=path_loss, **choice)
    trace = Ns3Engine().simulate(replace(scenario, duration_s=0.4, mmwave=radio), "mmwave", 1)
    assert trace.sinr_db.min() > 25
    assert trace.throughput_bps[200:].mean() == pytest.approx(1001e6, rel=0.01)


def test_without_harq_less_gets_through(scenario):
    rates = []
    for harq in (True, False):
        radio = replace(scenario.mmwave, harq=harq)
        trace = Ns3Engine().simulate(replace(scenario, mmwave=radio, duration_s=2.8), "mmwave", 1)
        rates.append(trace.throughput_bps[1500:].mean())
    assert rates[1] < rates[0]


@pytest.fixture
def open_air(scenario):
    """Give one UE at rest in sight of the base station for 0.6 s."""
    return replace(scenario, duration_s=0.6, route=scenario.route[:1])


def with_radio(scenario, **changes):
    return replace(scenario, mmwave=replace(scenario.mmwave, **changes))


def with_ues(scenario, *rates_bps):
    places = [(75.0, -3.0 - 2 * i, 1.0) for i in range(len(rates_bps))]
    return replace(
        scenario, ues=tuple(Ue((Waypoint(0.0, p),), r, 0.0, 0.1) for p, r in zip(places, rates_bps, strict=True))
    )


@pytest.mark.parametrize("tti", ["fixed", "flexible"])
@pytest.mark.parametrize("scheduler", ["round-robin", "proportional-fair"])
def test_ues_share_the_cell_and_each_could_have_had_all_of_it(open_air, tti, scheduler):
    several = with_ues(with_radio(open_air, tti=tti, scheduler=scheduler), 3e9, 0.0, 3e9, 3e9)
    traces = Ns3Engine().simulate_ues(several, "mmwave", 1)
    assert [(trace.meta["ue"], trace.meta["ues"]) for trace in traces] == [(i, 4) for i in (1, 2, 3, 4)]
    rates = [trace.throughput_bps[200:].mean() for trace in traces]
    assert rates[1] == 0
    for i in (0, 2, 3):
        assert rates[i] == pytest.approx(3.167e9 * 1400 / 1431 / 3, rel=0.01)
    for trace in traces:
        assert trace.phy_rate_bps[200:].mean() == pytest.approx(3.167e9, rel=0.01)
    draws = [tuple(trace.sinr_db[:100]) for trace in traces]
    assert len(set(draws)) == 4


def test_several_ues_need_simulate_ues_and_mmwave(open_air):
    several = with_ues(open_air, 1e9, 1e9)
    with pytest.raises(InputError, match=r"^scenario t: has 2 UEs; simulate_ues returns a trace of each$"):
        Ns3Engine().simulate(several, "mmwave", 1)
    with pytest.raises(InputError, match=r"^scenario t: ues: LTE has one UE; several need --rat mmwave$"):
        Ns3Engine().simulate_ues(several, "lte", 1)


@pytest.mark.parametrize(("tti", "left"), [("fixed", 9 / 10), ("flexible", 219 / 220)])
def test_an_uplink_has_its_share_and_status_pdus_take_airtime(open_air, tti, left):
    radio = with_radio(open_air, tti=tti, uplink=Uplink(share=0.2))
    idle = Ns3Engine().simulate(radio, "mmwave", 1)
    assert idle.phy_rate_bps[200:].mean() == pytest.approx(3.167e9 * left, rel=0.005)
    assert np.all(idle.optional["uplink_throughput_bps"] == 0)
    full = replace(radio, traffic=replace(radio.traffic, rate_bps=4e9, uplink_rate_bps=2e9))
    busy = Ns3Engine().simulate(full, "mmwave", 1)
    assert busy.phy_rate_bps[200:].mean() == pytest.approx(3.167e9 * 0.8, rel=0.01)
    assert busy.throughput_bps[200:].mean() == pytest.approx(3.167e9 * 0.8 * 1400 / 1431, rel=0.01)
    assert busy.optional["uplink_phy_rate_bps"][200:].mean() == pytest.approx(3.167e9 * 0.2, rel=0.01)
    assert busy.optional["uplink_throughput_bps"][200:].mean() == pytest.approx(3.167e9 * 0.2 * 1400 / 1431, rel=0.02)


def test_without_an_uplink_there_are_no_columns_of_it(open_air):
    trace = Ns3Engine().simulate(open_air, "mmwave", 1)
    assert not {"uplink_phy_rate_bps", "uplink_throughput_bps"} & set(trace.optional)


def test_the_uplink_is_behind_the_downlink_by_its_power(scenario):
    radio = with_radio(scenario, tti="flexible", uplink=Uplink(share=0.5, power_dbm=20.0))
    both = replace(radio, duration_s=2.8, traffic=replace(radio.traffic, rate_bps=4e9, uplink_rate_bps=4e9))
    trace = Ns3Engine().simulate(both, "mmwave", 1)
    hidden = trace.los == 0
    assert trace.optional["uplink_throughput_bps"][hidden].mean() < 0.3 * trace.throughput_bps[hidden].mean()


def test_progress_reaches_the_end(scenario):
    steps = []
    Ns3Engine().simulate(replace(scenario, duration_s=0.5), "mmwave", 1, steps.append)
    assert [step.done for step in steps] == [0.2, 0.4, 0.5]
    assert {step.total for step in steps} == {0.5}


def test_a_refused_scenario_names_the_record(scenario):
    with pytest.raises(InputError, match=r"^scenario t: cell.txt:\d+: power_dbm: 200 is not in -50 to 80$"):
        Ns3Engine().simulate(replace(scenario, lte=replace(scenario.lte, power_dbm=200.0)), "lte", 1)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("colour red", "cell.txt:20: colour: unknown record"),
        ("seed 1", "cell.txt:20: seed: given twice"),
        ("waypoint 5 a 0 1", "cell.txt:20: waypoint: 'a' is not a number this record takes"),
    ],
)
def test_a_bad_record_is_named_by_its_line(tmp_path, scenario, record, message):
    text = config_text(scenario, "lte", 1)
    padded = text + "#\n" * (19 - text.count("\n")) + record + "\n"
    assert run(tmp_path, padded) == (2, [f"mmwemu-cell: {message}"])


def test_usage_and_missing_config(tmp_path):
    done = subprocess.run([PROGRAM], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "usage: mmwemu-cell CONFIG OUT.csv META.json\n")
    done = subprocess.run([PROGRAM, "none", "a", "b"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "mmwemu-cell: none: cannot be read: No such file or directory\n")


@pytest.mark.parametrize(("csv", "meta"), [("/dev/full", "meta.json"), ("trace.csv", "/dev/full")])
def test_a_full_disk_is_an_error(tmp_path, scenario, csv, meta):
    code, lines = run(tmp_path, config_text(replace(scenario, duration_s=0.2), "mmwave", 1), csv, meta)
    assert code == 1
    assert lines[-1] == "mmwemu-cell: cannot write /dev/full: No space left on device"
