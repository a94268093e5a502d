import json

import pytest

from mmwemu.core.errors import InputError
from mmwemu.results import collection, store
from mmwemu.results.merge import merge
from tests.kept_results import make_results


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
