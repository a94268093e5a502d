import numpy as np
import pytest

from mmwemu.core.progress import Progress
from mmwemu.simulate.engine import Engine
from mmwemu.simulate.fake import FakeEngine


@pytest.fixture
def engine() -> Engine:
    return FakeEngine()


def test_levels_follow_the_line_of_sight(engine, scenario):
    steps = []
    trace = engine.simulate(scenario, "mmwave", 1, steps.append)
    assert steps == [Progress("simulate", 4.0, 4.0)]
    assert len(trace.time_s) == 4000
    free, hidden = trace.los == 1, trace.los == 0
    assert 1000 < hidden.sum() < 3000
    assert np.median(trace.sinr_db[free]) == pytest.approx(38, abs=0.1)
    assert np.median(trace.sinr_db[hidden]) == pytest.approx(-1, abs=0.1)
    assert trace.throughput_bps[500:900].mean() == pytest.approx(1001e6, rel=1e-3)
    assert trace.throughput_bps[hidden].mean() == pytest.approx(260e6, rel=0.1)
    assert trace.rlc_queue_bytes.max() <= scenario.mmwave.rlc_buffer_bytes
    assert trace.drops[hidden].sum() > 0


def test_bytes_are_neither_made_nor_lost(engine, scenario):
    trace = engine.simulate(scenario, "mmwave", 1)
    packet = scenario.traffic.payload_bytes
    out = trace.throughput_bps.sum() * trace.bin_s / 8
    waiting = trace.rlc_queue_bytes[-1] * packet / (packet + 28)
    offered = scenario.traffic.rate_bps / 8 * (4.0 - 0.11)
    assert out + waiting + trace.drops.sum() * packet == pytest.approx(offered, rel=2e-3)


def test_an_obstacle_with_loss_is_an_outage(engine, outage):
    trace = engine.simulate(outage, "mmwave", 1)
    assert trace.throughput_bps[trace.los == 0].max() < 5e6


def test_lte_is_steady(engine, scenario):
    trace = engine.simulate(scenario, "lte", 1)
    assert trace.throughput_bps[200:] == pytest.approx(75e6 * 1400 / 1428)


def test_seeds_differ_and_repeat(engine, scenario):
    one, again, two = (engine.simulate(scenario, "mmwave", seed) for seed in (1, 1, 2))
    assert np.array_equal(one.sinr_db, again.sinr_db)
    assert not np.array_equal(one.sinr_db, two.sinr_db)
