import math

import pandas as pd
import pytest

from mmwemu.apps.web import figures as page_figures
from mmwemu.apps.web import summary as pages


def runs(*rows):
    base = dict.fromkeys(pages.METRICS, 1.0) | {
        "site": "s", "pattern": "p", "rat": "lte", "status": "ok", "valid": True, "cpu_bound": False,
        "control_speed_index_s": 0.5, "failed_requests": 0,
    }  # fmt: skip
    return pd.DataFrame([base | row for row in rows])


def test_cpu_bound_loads_count_unless_asked():
    table = runs({"speed_index_s": 4.0}, {"speed_index_s": 2.0, "cpu_bound": True})
    (group,) = pages.page_table(table)
    assert (group.metrics["speed_index_s"].mean, group.cpu_bound, group.at_computers_limit) == (3.0, 1, False)
    (group,) = pages.page_table(table, exclude_cpu_bound=True)
    assert group.metrics["speed_index_s"].mean == 4.0


def test_a_group_of_mostly_cpu_bound_loads_says_so():
    (group,) = pages.page_table(runs({"cpu_bound": True}, {"cpu_bound": True}, {}))
    assert group.at_computers_limit
    assert group.metrics["speed_index_s"].mean == 1.0


def test_failed_and_invalid_loads_are_counted_only():
    (group,) = pages.page_table(runs({"status": "failed", "on_load_s": None}, {"valid": False}, {"on_load_s": 3.0}))
    assert (group.runs, group.failed, group.invalid) == (3, 1, 1)
    assert group.values_s["on_load_s"] == (3.0,)


def test_requests_that_failed_are_told_of_good_loads_only():
    (group,) = pages.page_table(runs({"failed_requests": 2}, {"failed_requests": 9, "status": "failed"}, {}))
    assert group.requests_failed == 2


def test_missing_values_are_left_out():
    (group,) = pages.page_table(runs({"status": "timeout", "on_load_s": None, "fcp_s": 2.0}))
    assert group.timeouts == 1
    assert math.isnan(group.medians["on_load_s"])
    assert group.medians["fcp_s"] == 2.0


@pytest.mark.parametrize("plot", [page_figures.plot_speed_index, page_figures.plot_metrics])
def test_figures_are_drawn(tmp_path, plot):
    rows = [{"rat": "mmwave", "pattern": "q"}, {"site": "t", "cpu_bound": True}, {"site": "u", "status": "failed"}]
    plot(pages.page_table(runs({}, *rows)), tmp_path / "p.png", "title")
    assert (tmp_path / "p.png").stat().st_size > 1000
