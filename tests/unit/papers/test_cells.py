"""The table of simulated cells."""

import numpy as np
import pytest

from mmwemu.papers.cells import table_of
from mmwemu.scenario import read
from mmwemu.simulate.fake import FakeEngine


def test_a_row_for_each_state_with_means_and_quantiles():
    scenario = read.load("s1-long-nlos")
    trace = FakeEngine().simulate(scenario, "mmwave", 7)
    table = table_of([({"variant": "", "seed": 7}, trace)]).set_index("state")
    assert list(table.index) == ["all", "los", "nlos", "los-1", "nlos-1", "los-2"]
    assert (table[["variant", "seed"]] == ["", 7]).all(axis=None)
    chosen = trace.los == 0
    assert table.loc["nlos", "sinr_db"] == pytest.approx(np.mean(trace.sinr_db[chosen]))
    assert table.loc["nlos", "p50_sinr_db"] == pytest.approx(np.median(trace.sinr_db[chosen]))
    assert table.loc["nlos", "share"] == pytest.approx(np.mean(chosen))
    assert 1.5 < table.loc["all", "los_change_1_s"] < 3 < table.loc["all", "los_change_2_s"]


def test_sums_and_extremes_of_each_stretch_between_changes_of_line_of_sight():
    trace = FakeEngine().simulate(read.load("s1-long-nlos"), "mmwave", 7)
    table = table_of([({}, trace)]).set_index("state")
    first = int(np.argmax(trace.throughput_bps > 0))
    for state, column in (("los-1", "throughput_bps"), ("nlos-1", "throughput_bps"), ("los-2", "rlc_queue_bytes")):
        begin = {"los-1": 0.0, "nlos-1": table["los_change_1_s"].iloc[0], "los-2": table["los_change_2_s"].iloc[0]}[
            state
        ]
        end = {"los-1": table["los_change_1_s"].iloc[0], "nlos-1": table["los_change_2_s"].iloc[0], "los-2": np.inf}[
            state
        ]
        rows = (trace.time_s > begin - 5e-4) & (trace.time_s < end - 5e-4) & (np.arange(len(trace.time_s)) >= first)
        values = trace.columns()[column][rows]
        found = table.loc[state, [f"{figure}_{column}" for figure in ("sum", "min", "max")]]
        assert found.tolist() == pytest.approx([values.sum(), values.min(), values.max()])
    shares = table.loc[["los-1", "nlos-1", "los-2"], "share"]
    assert shares.sum() == pytest.approx(1) and shares["nlos-1"] == pytest.approx(table.loc["nlos", "share"])
