import math

import pandas as pd
import pytest

from mmwemu.apps.web import figures as page_figures
from mmwemu.apps.web import summary as pages
from mmwemu.apps.web.metrics import METRICS
from mmwemu.report.summary import Results


def runs(*rows):
    base = dict.fromkeys(METRICS, 1.0) | {
        "site": "s", "pattern": "p", "rat": "lte", "status": "ok", "valid": True, "cpu_bound": False,
        "control_speed_index_s": 0.5, "failed_requests": 0, "start_at_s": 0.0, "client": 1,
    }  # fmt: skip
    return pd.DataFrame([base | {"repetition": i} | row for i, row in enumerate(rows, 1)])


def groups(table, **options):
    return pages.page_groups(Results(table, lambda _: {}, **options))


def notes(table):
    (row,) = pages.page_table(groups(table)).rows
    return row[-1]


def test_cpu_bound_loads_count_unless_asked():
    table = runs({"speed_index_s": 4.0}, {"speed_index_s": 2.0, "cpu_bound": True})
    (group,) = groups(table)
    assert (group.metrics["speed_index_s"].value, group.cpu_bound, group.is_cpu_bound) == (3.0, 1, False)
    (group,) = groups(table, exclude_cpu_bound=True)
    assert group.metrics["speed_index_s"].value == 4.0


def test_a_group_of_mostly_cpu_bound_loads_says_so():
    (group,) = groups(runs({"cpu_bound": True}, {"cpu_bound": True}, {}))
    assert group.is_cpu_bound
    assert group.metrics["speed_index_s"].value == 1.0


def test_failed_and_invalid_loads_are_counted_only():
    (group,) = groups(runs({"status": "failed", "on_load_s": None}, {"valid": False}, {"on_load_s": 3.0}))
    assert (group.runs, group.failed, group.invalid) == (3, 1, 1)
    assert group.values["on_load_s"] == (3.0,)


def test_requests_that_failed_are_told_of_good_loads_only():
    assert notes(runs({"failed_requests": 2}, {"failed_requests": 9, "status": "failed"}, {})) == (
        "1 failed, 2 requests of a load failed"
    )
    assert notes(runs({"failed_requests": None})) == ""


def test_a_table_has_medians_and_the_mean_of_the_speed_index():
    table = pages.page_table(groups(runs({"ttfb_s": 1.0}, {"ttfb_s": 2.0}, {"ttfb_s": 9.0, "cpu_bound": True})))
    (row,) = table.rows
    found = dict(zip(table.header, row, strict=True))
    assert (found["site"], found["pattern"], found["TTFB [s]"], found["Speed Index"]) == ("s", "p", "2.00", "1.00")
    assert (found["95 % interval, or runs"], found["runs"], found[""]) == ("1.00, 1.00, 1.00", 3, "1 CPU-bound")
    assert notes(runs({"cpu_bound": True})) == "1 CPU-bound, mostly CPU-bound"


def test_a_summary_compares_patterns_and_draws_two_figures(tmp_path):
    rows = [{"speed_index_s": 1.0 + i / 10, "repetition": i} for i in range(4)]
    slower = [row | {"pattern": "q", "speed_index_s": row["speed_index_s"] + 1.0} for row in rows]
    same = [
        row | {"pattern": "r", "speed_index_s": row["speed_index_s"] + 0.1 * (-1) ** i} for i, row in enumerate(rows)
    ]
    summary = pages.summarize(Results(runs(*rows, *slower, *same), lambda _: {}), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["metrics.png", "speed-index.png"]
    found, missed = summary.lines
    assert found == "s: Speed Index over q against p: +1.00 s (95 %: +1.00 to +1.00, 4 pairs)"
    assert missed == "s: Speed Index over r against p: no difference found, 0.18 s at most (95 %, 4 pairs)"
    assert [group["pattern"] for group in summary.values["pages"]] == ["p", "q", "r"]
    assert [each["pattern"] for each in summary.values["differences"]] == ["q", "r"]


def test_missing_values_are_left_out():
    (group,) = groups(runs({"status": "timeout", "on_load_s": None, "fcp_s": 2.0}))
    assert group.timeouts == 1
    assert math.isnan(group.median("on_load_s"))
    assert group.median("fcp_s") == 2.0


@pytest.mark.parametrize("plot", [page_figures.plot_speed_index, page_figures.plot_metrics])
def test_figures_are_drawn(tmp_path, plot):
    rows = [{"rat": "mmwave", "pattern": "q"}, {"site": "t", "cpu_bound": True}, {"site": "u", "status": "failed"}]
    plot(groups(runs({}, *rows)), tmp_path / "p.png", "title")
    assert (tmp_path / "p.png").stat().st_size > 1000


def test_a_row_has_each_median_under_its_name():
    values = {"ttfb_s": 1.0, "first_paint_s": 2.0, "dom_interactive_s": 3.0, "on_load_s": 4.0, "above_the_fold_s": 5.0,
              "speed_index_s": 6.0}  # fmt: skip
    table = pages.page_table(groups(runs(values)))
    assert tuple(table.header) == (
        "site", "pattern", "TTFB [s]", "paint", "interactive", "onLoad", "ATF", "Speed Index", "95 % interval, or runs",
        "runs", "",
    )  # fmt: skip
    assert table.rows == [("s", "p", "1.00", "2.00", "3.00", "4.00", "5.00", "6.00", "-", 1, "")]
    assert tuple(table.right) == tuple(range(2, 10))


def test_every_metric_of_a_load_is_summed_up():
    (group,) = groups(runs({}))
    assert list(group.metrics) == list(METRICS)
    (site, pattern, rat) = group.keys.values()
    assert (site, pattern, rat) == ("s", "p", "lte")


def test_where_every_load_failed_no_request_is_told_of():
    assert notes(runs({"status": "failed", "failed_requests": 3})) == "1 failed"
    assert notes(runs({"failed_requests": 1})) == "1 requests of a load failed"
