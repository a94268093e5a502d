import numpy as np
import pandas as pd
import pytest

from mmwemu.report.page import metric_figures
from mmwemu.report.page.course_figures import course_figure
from mmwemu.report.page.figure import columns, script
from mmwemu.report.page.groups import case_groups
from mmwemu.report.page.metric_figures import ecdf_figure, runs_figure
from mmwemu.report.page.place_figures import map_figure
from mmwemu.report.statistics import ecdf
from mmwemu.report.summary import Results
from mmwemu.report.view import Course, Curve, Mark, Metric, Panel, Span
from mmwemu.results.store import to_frame
from mmwemu.scenario import read
from tests import report_folders
from tests.records import download

GOODPUT = Metric("goodput_bps")


def groups(runs, cases=("size_bytes",)):
    return case_groups(Results(to_frame(runs).assign(label="1"), lambda _: {}), cases, ["goodput_bps"])


def test_every_run_is_a_point_and_its_state_a_shape():
    states = [{}, {"cpu_bound": True}, {"status": "timeout"}, {"valid": False}, {"status": "failed"}]
    runs = [download(i, goodput_bps=i * 1e6, **state) for i, state in enumerate(states, 1)]
    figure = runs_figure("f", GOODPUT, groups(runs), "mean")
    points = figure.data["points"]
    assert points["value"].tolist() == pytest.approx([1, 2, 3, 4, 5])
    assert points["state"].tolist() == ["counted", "CPU-bound", "at the limit", "not counted", "not counted"]
    (group,) = figure.data["groups"].to_dict("records")
    assert (group["average"], group["runs counted"]) == (2.0, 3)


def test_points_of_many_runs_are_thinned_and_averages_are_not(monkeypatch):
    monkeypatch.setattr(metric_figures, "MOST_POINTS", 10)
    figure = runs_figure("f", GOODPUT, groups([download(i, goodput_bps=i * 1e6) for i in range(1, 51)]), "mean")
    assert len(figure.data["points"]) == 10
    assert figure.data["groups"]["average"].tolist() == [25.5]
    assert figure.note == "10 of 50 runs are drawn; boxes, averages and intervals are of all."


def test_places_are_named_without_the_technology_unless_that_is_ambiguous():
    def places(*patterns):
        runs = [download(i, pattern=name, rat=rat) for i, (name, rat) in enumerate(patterns, 1)]
        return [(group.place, group.series) for group in groups(runs)]

    pair = ("s1.mmwave, bbr", "mmwave"), ("s1.lte, bbr", "lte")
    assert places(*pair) == [("s1, bbr", "5G mmWave"), ("s1, bbr", "4G LTE")]
    assert places(("a.mmwave", "mmwave"), ("mmwave.a", "mmwave")) == [
        ("a.mmwave", "5G mmWave"),
        ("mmwave.a", "5G mmWave"),
    ]
    assert places(("lte", "lte"), ("x", "")) == [("lte", "4G LTE"), ("x", "other link")]


def test_cases_are_named_by_what_varies():
    runs = [download(1), download(2, size_bytes=5)]
    assert [group.case for group in groups(runs)] == ["2 MB", "5 B"]
    assert [group.case for group in groups(runs[:1])] == [""]


def test_the_distribution_rises_to_one_in_steps():
    values, share = ecdf([3.0, 1.0, 3.0, 2.0])
    assert (values.tolist(), share.tolist()) == ([1.0, 2.0, 3.0], [0.25, 0.5, 1.0])
    assert ecdf([])[0].tolist() == []
    figure = ecdf_figure("f", GOODPUT, groups([download(i, goodput_bps=i * 1e6) for i in (1, 2)]))
    assert figure.data["steps"][["value", "share"]].to_numpy().tolist() == [[1, 0], [1, 0.5], [2, 1]]
    assert ecdf_figure("f", GOODPUT, groups([download(1)])) is None


def test_a_course_has_overlapping_spans_in_rows_and_labels_at_levels():
    spans = [Span(0, 2, "requests"), Span(1, 3, "requests"), Span(2.5, 4, "requests"), Span(0, 1, "stall")]
    panels = [Panel("window [MB]", [Curve("cwnd", np.array([0.0, 1.0]), np.array([1.0, 2.0]), "step")])]
    marks = [Mark(1.0, "FCP"), Mark(1.01, "LCP"), Mark(3.0, "onLoad")]
    figure = course_figure("c", "t", report_folders.telemetry(4.0), Course(marks, spans, panels))
    assert figure.data["spans"]["row"].tolist() == [0, 1, 0, 2]
    assert figure.data["marks"]["level"].tolist() == [0, 1, 0]
    assert figure.data["curves0"]["value"].tolist() == [1.0, 2.0]
    link = figure.data["link"]
    assert link["pattern"].tolist() == pytest.approx([80.0] * len(link))
    assert link["time"].iloc[-1] == pytest.approx(4.0)


def test_the_bins_of_a_long_run_are_joined_without_loss():
    link = course_figure("c", "t", report_folders.telemetry(100.0), Course()).data["link"]
    assert len(link) <= 401
    assert link["delivered"].mean() == pytest.approx(72.0, rel=1e-3)
    assert link["queue"].max() == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize("name", sorted(read.shipped()))
def test_every_shipped_scenario_has_a_map_with_equal_scales(name):
    figure = map_figure("m", read.load(name))
    layer = figure.spec["layer"][1]["encoding"]
    width, height = (float(b - a) for a, b in (layer[axis]["scale"]["domain"] for axis in "xy"))
    assert height / width == pytest.approx(figure.spec["usermeta"]["aspect"])
    assert len(figure.data["route"]) >= 1


@pytest.mark.parametrize("ending", ["png", "pdf", "svg", "csv"])
def test_a_figure_is_saved_in_every_form(ending, tmp_path):
    figure = runs_figure("f", GOODPUT, groups(report_folders.downloads(2)), "mean")
    files = {path.name: path for path in figure.save(tmp_path)}
    head = files[f"f.{ending}"].read_bytes()[:400]
    assert head.startswith(
        {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<svg", "csv": b"case,place,series,value"}[ending]
    )
    assert set(files) == {"f.png", "f.pdf", "f.svg", "f.csv", "f.groups.csv"}


def test_values_for_the_page_are_short_and_texts_harmless():
    table = pd.DataFrame({"a": [1 / 3, float("nan")], "b": ["</script>", None], "c": [True, False]})
    assert columns(table) == {"a": [0.333333, None], "b": ["</script>", None], "c": [True, False]}
    assert "<" not in script(columns(table))
