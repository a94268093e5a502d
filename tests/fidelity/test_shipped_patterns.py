"""The shipped patterns are what the simulator makes, and have the levels of Hurtig 2019."""

import numpy as np
import pytest

from mmwemu.core import paths
from mmwemu.core.errors import MissingError
from mmwemu.pattern import convert, library, measures
from mmwemu.pattern.formats import native
from mmwemu.scenario import geometry, read
from mmwemu.simulate.config import scenario_hash
from mmwemu.simulate.ns3 import Ns3Engine

SCENARIOS = ("s1-long-nlos", "s2-crossings", "s3-people-and-trees", "s4-outage")


def test_there_are_both_conversions_of_all():
    names = {f"{name}.{rat}{ending}" for name in SCENARIOS for rat in ("mmwave", "lte") for ending in ("", ".window")}
    assert set(library.shipped()) == names


@pytest.mark.cell
def test_both_conversions_of_one_are_made_again_byte_for_byte():
    try:
        paths.program("mmwemu-cell")
    except MissingError as error:
        pytest.skip(str(error))
    name = "s3-people-and-trees.mmwave"
    trace = Ns3Engine().simulate(read.load("s3-people-and-trees"), "mmwave", 1)
    for method, ending in (("segments", ""), ("window", ".window")):
        made = native.dumps(convert.convert(trace, convert.Conversion(method)))
        assert made == library.find(f"{name}{ending}").read_text()


@pytest.mark.parametrize("rat", ["mmwave", "lte"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_patterns_carry_the_hash_of_their_scenario(name, rat):
    for ending in ("", ".window"):
        assert library.load(f"{name}.{rat}{ending}").meta["scenario_hash"] == scenario_hash(read.load(name), rat)


@pytest.mark.parametrize("rat", ["mmwave", "lte"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_both_conversions_carry_the_same_bytes(name, rat):
    segments, window = (library.load(f"{name}.{rat}{ending}") for ending in ("", ".window"))
    means = [measures.mean_rate_bps(one, one.downlink.rate_bps) for one in (segments, window)]
    # What came before the first packet counts as the first step, which is longer in segments.
    assert means[0] == pytest.approx(means[1], rel=0.005)


@pytest.mark.parametrize("name", SCENARIOS)
def test_mmwave_patterns_step_with_the_line_of_sight(name):
    pattern = library.load(f"{name}.mmwave")
    changes_s = geometry.los_changes_s(read.load(name))
    assert pattern.time_s[1:] == pytest.approx(changes_s, abs=0.002)


@pytest.mark.parametrize(
    ("name", "low_mbps", "high_mbps"), [("s1-long-nlos", 200, 400), ("s3-people-and-trees", 200, 400)]
)
def test_nlos_has_the_rate_of_the_study(name, low_mbps, high_mbps):
    pattern = library.load(f"{name}.mmwave")
    lengths_s = measures.step_lengths_s(pattern)
    nlos = pattern.downlink.rate_bps < 600e6
    mean_mbps = np.average(pattern.downlink.rate_bps[nlos], weights=lengths_s[nlos]) / 1e6
    assert low_mbps < mean_mbps < high_mbps


@pytest.mark.parametrize(("name", "least_bps"), [("s4-outage.mmwave", 990e6), ("s4-outage.mmwave.window", 5e6)])
def test_each_outage_of_s4_is_complete_and_lasts_about_a_second(name, least_bps):
    pattern = library.load(name)
    out = pattern.downlink.rate_bps == 0
    lengths_s = measures.step_lengths_s(pattern)
    assert out.sum() == 9
    assert np.all((lengths_s[out] > 0.9) & (lengths_s[out] < 1.2))
    assert np.all(pattern.downlink.rate_bps[~out] > least_bps)
    assert pattern.outage == "drop"


@pytest.mark.parametrize("name", SCENARIOS)
def test_lte_is_steady(name):
    rate_bps = library.load(f"{name}.lte").downlink.rate_bps
    assert np.all((rate_bps > 50e6) & (rate_bps < 76e6))
