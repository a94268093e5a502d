from pathlib import Path

import pytest

from mmwemu.core import files
from mmwemu.core.errors import InputError, MmwemuError


def test_whole_file_appears_only_when_all_went_well(tmp_path):
    path = tmp_path / "out.csv"
    with files.whole_file(path) as draft:
        draft.write_text("a")
        assert not path.exists()
    assert path.read_text() == "a"
    assert list(tmp_path.iterdir()) == [path]


def test_whole_file_keeps_the_old_one_when_writing_fails(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), files.whole_file(path) as draft:
        draft.write_text("new")
        raise ZeroDivisionError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_replaced_and_not_written_over(tmp_path):
    path, other = tmp_path / "out.csv", tmp_path / "other"
    path.write_text("old")
    other.hardlink_to(path)
    with files.whole_file(path) as draft:
        draft.write_text("new")
    assert (path.read_text(), other.read_text()) == ("new", "old")


def test_whole_file_says_when_the_folder_is_not_there(tmp_path):
    with pytest.raises(InputError, match="its folder does not exist"), files.whole_file(tmp_path / "no" / "out.csv"):
        raise AssertionError("must not be reached")


def test_whole_file_on_a_full_disk(tmp_path):
    path = tmp_path / "out.csv"
    with pytest.raises(MmwemuError, match="No space left on device") as caught, files.whole_file(path) as draft:
        draft.touch()
        with Path("/dev/full").open("w") as full:
            full.write("x" * 100_000)
    assert caught.value.exit_code == 1
    assert list(tmp_path.iterdir()) == []


def test_whole_folder_is_renamed_when_whole_and_never_overwrites(tmp_path):
    path = tmp_path / "results"
    with files.whole_folder(path) as draft:
        (draft / "x").touch()
        assert not path.exists()
    assert [p.name for p in path.iterdir()] == ["x"]
    with pytest.raises(InputError, match="exists already"), files.whole_folder(path):
        raise AssertionError("must not be reached")


def test_whole_folder_keeps_what_was_made_when_it_fails(tmp_path):
    with pytest.raises(ZeroDivisionError), files.whole_folder(tmp_path / "results") as draft:
        (draft / "x").write_text("1")
        raise ZeroDivisionError
    assert [p.name for p in tmp_path.iterdir()] == ["results.in-progress"]


def test_whole_folder_leaves_no_empty_one(tmp_path):
    with pytest.raises(ZeroDivisionError), files.whole_folder(tmp_path / "results"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []
