import pytest

from mmwemu.core.errors import InputError
from mmwemu.results import store
from mmwemu.results.collection import open_folder
from mmwemu.study import review
from tests.kept_results import TELEMETRY, make_results
from tests.records import download


def summary(folder, plots, **options):
    plots.mkdir(exist_ok=True)
    return review.summarize(open_folder(folder), plots, **options)


def test_the_summary_of_a_folder_is_that_of_its_application(tmp_path):
    found = summary(make_results(tmp_path / "r", 1e6, 3e6), tmp_path / "plots")
    assert found.values["goodput"][0]["metrics"]["goodput_bps"]["mean"] == 2e6
    assert (tmp_path / "plots" / "goodput.png").exists()
    median = summary(tmp_path / "r", tmp_path / "plots", average="median")
    assert median.values["goodput"][0]["interval_of"] == "median"


def test_an_application_that_is_gone_has_a_generic_summary(tmp_path):
    found = summary(make_results(tmp_path / "r", 1e6, application="gone"), tmp_path / "plots")
    assert found.values["groups"][0]["metrics"]["goodput_bps"]["values"] == [1e6]


def test_two_folders_are_compared_group_by_group(tmp_path):
    plots = tmp_path / "plots"
    before = summary(make_results(tmp_path / "a", *[10e6] * 5), plots)
    (change,) = review.compare(before, summary(make_results(tmp_path / "b", *[15e6] * 5), plots))
    assert change.keys == {
        "pattern": "p", "rat": "lte", "size_bytes": 2_000_000, "protocol": "http", "start_at_s": 0.0,
    }  # fmt: skip
    assert (change.metric, change.before, change.after) == ("goodput_bps", 10e6, 15e6)
    assert (change.ratio.value, change.ratio.low, change.ratio.high) == (1.5, 1.5, 1.5)
    with pytest.raises(InputError, match="no group of runs in common"):
        review.compare(before, summary(make_results(tmp_path / "c", 1e6, pattern="q"), plots))


def test_each_application_of_a_study_has_its_own_values(tmp_path):
    path = tmp_path / "r"
    with store.create(store.Experiment("study", [], {}), path) as writer:
        for number in range(1, 11):
            named = {"application": "download"} if number < 6 else {"application": "gone"}
            writer.add(download(number, goodput_bps=1e6 * number, **named), TELEMETRY)
    found = summary(path, tmp_path / "plots")
    assert sorted(found.values) == ["download", "gone"]
    assert found.values["download"]["goodput"][0]["metrics"]["goodput_bps"]["mean"] == 3e6
    changes = review.compare(found, found)
    assert {(change.keys["application"], change.metric) for change in changes} >= {
        ("download", "goodput_bps"), ("gone", "goodput_bps"),
    }  # fmt: skip
    assert {change.ratio.value for change in changes} == {1.0}
