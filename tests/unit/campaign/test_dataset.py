from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mmwemu.campaign import dataset, plan
from mmwemu.core.errors import InputError
from mmwemu.core.progress import ignore
from mmwemu.report.statistics import mean_intervals, students_mean
from mmwemu.trace import parquet


def test_intervals_of_arrays_are_those_of_lists():
    rng = np.random.default_rng(1)
    values = rng.normal(5, 2, (6, 4))
    values[:5, 1] = np.nan
    values[:, 2] = np.nan
    values[0, 3] = np.nan
    found = mean_intervals(values)
    for i in range(4):
        one = students_mean([value for value in values[:, i] if not np.isnan(value)])
        mine = (found.mean[i], found.low[i], found.high[i], found.n[i])
        assert mine == pytest.approx((one.value, one.low, one.high, one.n), nan_ok=True)


@pytest.fixture
def campaign(tmp_path, make_trace):
    """Give a plan of three seeds with traces of 0.3 s, whose rates differ by seed."""
    scenarios = plan.find_scenarios(["s1"])
    simulations = plan.make_plan(scenarios, ("mmwave",), (1, 2, 3), "mmwemu-cell")
    (tmp_path / "traces").mkdir()
    for one in simulations:
        trace = make_trace([1] * 200 + [0] * 100, throughput_bps=[one.seed * 1e6] * 300, seed=one.seed)
        parquet.save(trace, one.traces(tmp_path)[0])
    return simulations


def test_a_campaign_becomes_means_over_seeds(campaign, tmp_path):
    done = dataset.write(campaign, tmp_path, ignore)
    over_time = pd.read_parquet(done.over_time)
    assert over_time["time_s"].tolist() == [0.0, 0.1, 0.2]
    assert over_time["los_mean"].tolist() == [1, 1, 0]
    assert set(over_time["seeds"]) == {3}
    expected = students_mean([1e6, 2e6, 3e6])
    assert over_time["throughput_bps_low"].to_numpy() == pytest.approx(expected.low)
    assert over_time["throughput_bps_high"].to_numpy() == pytest.approx(expected.high)
    levels = pd.read_parquet(done.levels_file).set_index(["state", "column", "figure"])
    assert levels.loc[("nlos", "throughput_bps", "mean"), "mean"] == 2e6
    assert levels.loc[("nlos", "sinr_db", "p50"), ["mean", "low", "high"]].tolist() == [0, 0, 0]
    assert set(levels["scenario"]) == {"s1-long-nlos"}
    assert set(levels["ue"]) == {1}


def test_traces_of_different_engine_versions_are_not_mixed(campaign, tmp_path):
    (path,) = campaign[1].traces(tmp_path)
    trace = parquet.load(path)
    parquet.save(replace(trace, meta={**trace.meta, "engine_version": "0.0.1"}), path)
    with pytest.raises(InputError, match=r"seed-2.parquet: is of another version of the engine than the others"):
        dataset.write(campaign, tmp_path, ignore)
    assert not (tmp_path / "campaign.parquet").exists()
