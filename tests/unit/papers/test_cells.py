"""The table of simulated cells."""

import numpy as np
import pytest

from mmwemu.papers.cells import table_of
from mmwemu.scenario import read
from mmwemu.simulate.fake import FakeEngine


def test_a_row_for_each_state_with_means_and_quantiles():
    scenario = read.load("s1-long-nlos")
    trace = FakeEngine().simulate(scenario, "mmwave", 7)
    table = table_of([trace]).set_index("state")
    assert list(table.index) == ["all", "los", "nlos"]
    assert (table[["scenario", "rat", "seed"]] == ["s1-long-nlos", "mmwave", 7]).all(axis=None)
    chosen = trace.los == 0
    assert table.loc["nlos", "sinr_db"] == pytest.approx(np.mean(trace.sinr_db[chosen]))
    assert table.loc["nlos", "p50_sinr_db"] == pytest.approx(np.median(trace.sinr_db[chosen]))
    assert table.loc["nlos", "share"] == pytest.approx(np.mean(chosen))
    assert 1.5 < table.loc["all", "los_change_1_s"] < 3 < table.loc["all", "los_change_2_s"]
