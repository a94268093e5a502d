import json

import pytest

from mmwemu.core.errors import InputError
from mmwemu.results import collection
from tests.kept_results import make_results


def edit(folder, **changes):
    manifest = json.loads((folder / "manifest.json").read_text()) | changes
    kept = {key: value for key, value in manifest.items() if value is not None}
    (folder / "manifest.json").write_text(json.dumps(kept))


def test_a_folder_says_what_it_is(tmp_path):
    found = collection.open_folder(make_results(tmp_path / "r", 1e6, 2e6, valid=False))
    assert (found.name, found.command, found.runs, found.invalid_runs) == ("download", ["mmwemu", "run", "a b"], 2, 2)
    assert found.tables == ["link", "runs"]
    assert found.asked == {"sizes": [3]}
    assert found.started <= found.ended


def test_folders_are_found_by_age_and_the_others_are_told(tmp_path):
    for name, started in (("a", "2026-02-01T00:00:00+00:00"), ("b", "2026-01-01T00:00:00")):
        edit(make_results(tmp_path / name, 1e6), started=started)
    edit(make_results(tmp_path / "c", 1e6), format=99)
    (tmp_path / "d.in-progress" / "parts").mkdir(parents=True)
    (tmp_path / "e").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "file").touch()
    found, refused = collection.find(tmp_path)
    assert [each.path.name for each in found] == ["b", "a"]
    assert [error.where.rpartition("/")[2].partition(":")[0] for error in refused] == [
        "manifest.json", "d.in-progress", "e",
    ]  # fmt: skip
    with pytest.raises(InputError, match="is not a folder"):
        collection.find(tmp_path / "none")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 2}, "format: is 2; this mmwemu reads up to 1"),
        ({"command": "mmwemu"}, "command: is 'mmwemu'; must be a list of words"),
        ({"started": "yesterday"}, "started: is 'yesterday'; must be a time such as"),
        ({"runs": -1}, "runs: is -1"),
        ({"asked": 3}, "asked: must be a table"),
        ({"ended": None}, "ended: is missing"),
    ],
)
def test_a_manifest_edited_into_nonsense_is_one_line(tmp_path, changes, message):
    folder = make_results(tmp_path / "r", 1e6)
    edit(folder, **changes)
    with pytest.raises(InputError, match=message):
        collection.open_folder(folder)


@pytest.mark.parametrize("text", ["", "[1]", "{", "\x00"])
def test_a_manifest_that_is_none_is_one_line(tmp_path, text):
    folder = make_results(tmp_path / "r", 1e6)
    (folder / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=r"manifest\.json"):
        collection.open_folder(folder)
