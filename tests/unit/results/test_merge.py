import json

import pytest

from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.results import collection, store
from mmwemu.results.merge import merge
from tests.kept_results import TELEMETRY, make_results
from tests.records import download


def opened(*paths):
    return [collection.open_folder(path) for path in paths]


def test_runs_of_all_folders_stay_apart_and_whole(tmp_path):
    both = opened(make_results(tmp_path / "a", 1e6, 2e6), make_results(tmp_path / "b", 3e6))
    merge(both, tmp_path / "c", ["mmwemu"])
    runs = store.load(tmp_path / "c")
    assert runs["goodput_bps"].tolist() == [1e6, 2e6, 3e6]
    for name in ("run", "replay", "repetition"):
        assert runs[name].tolist() == [1, 2, 3]
    assert runs["folder"].tolist() == [str(tmp_path / "a")] * 2 + [str(tmp_path / "b")]
    assert store.load_table(tmp_path / "c", "link", 3)["delivered_bytes"].tolist() == [10, 20]
    (found,) = opened(tmp_path / "c")
    assert (found.name, found.runs, found.started) == ("download", 3, both[0].started)
    assert [each["folder"] for each in found.asked["merged"]] == [str(tmp_path / "a"), str(tmp_path / "b")]
    assert json.loads((tmp_path / "c" / "manifest.json").read_text())["command"] == ["mmwemu"]


def test_a_folder_without_runs_adds_none(tmp_path):
    merge(opened(make_results(tmp_path / "a"), make_results(tmp_path / "b", 3e6)), tmp_path / "c", [])
    assert store.load(tmp_path / "c")["run"].tolist() == [1]


def test_nothing_is_counted_twice_or_overwritten(tmp_path):
    one = opened(make_results(tmp_path / "a", 1e6))
    with pytest.raises(InputError, match="a folder twice"):
        merge([*one, *opened(tmp_path / "." / "a")], tmp_path / "c", [])
    with pytest.raises(InputError, match="exists already"):
        merge(one, tmp_path / "a", [])
    (tmp_path / "a" / "link.parquet").write_text("x")
    with pytest.raises(InputError, match=r"link\.parquet: cannot be read"):
        merge(one, tmp_path / "c", [])
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_shares_of_a_study_keep_their_numbers(tmp_path):
    for i, runs in enumerate(([1, 4], [2, 3]), 1):
        asked = {"plan_sha256": "x", "share": f"{i}/2"}
        with store.create(store.Experiment("study", [], asked), tmp_path / str(i)) as writer:
            for number in runs:
                writer.add(download(number), TELEMETRY)
    merge(opened(tmp_path / "1", tmp_path / "2"), tmp_path / "c", [])
    assert store.load(tmp_path / "c")["run"].tolist() == [1, 4, 2, 3]
    assert sorted(store.load_table(tmp_path / "c", "link")["run"].unique()) == [1, 2, 3, 4]
    merge(opened(tmp_path / "1", tmp_path / "c"), tmp_path / "d", [])
    assert store.load(tmp_path / "d")["run"].tolist() == [1, 4, 5, 8, 6, 7]


def test_a_table_that_cannot_be_joined_is_one_line(tmp_path):
    both = opened(make_results(tmp_path / "a", 1e6), make_results(tmp_path / "b", 3e6))
    (tmp_path / "b" / "link.parquet").write_text("x")
    with pytest.raises(InputError, match=r"b/link\.parquet: cannot be read: "):
        merge(both, tmp_path / "c", [])
    TELEMETRY.to_parquet(tmp_path / "b" / "link.parquet")
    with pytest.raises(InputError, match=r"b/link\.parquet: has no column run of whole numbers"):
        merge(both, tmp_path / "c", [])
    TELEMETRY.assign(run=1, delivered_bytes="many").to_parquet(tmp_path / "b" / "link.parquet")
    with pytest.raises(MmwemuError, match=r"link\.parquet: tables cannot be joined: "):
        merge(both, tmp_path / "c", [])
    assert not (tmp_path / "c").exists()
