import os
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


def test_whole_file_with_a_name_that_is_too_long(tmp_path):
    with pytest.raises(InputError, match="cannot be written: File name too long"):
        with files.whole_file(tmp_path / ("n" * 256)):
            raise AssertionError("must not be reached")
    with files.whole_file(tmp_path / ("ü" * 120 + ".parquet")) as draft:
        assert draft.suffix == ".parquet"


def test_whole_file_through_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").write_text("old")
    (tmp_path / "link").symlink_to("real/file")
    with files.whole_file(tmp_path / "link") as draft:
        draft.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "file").read_text() == "new"


def test_whole_file_to_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    fd = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with files.whole_file(tmp_path / "pipe") as draft:
        draft.write_text("new")
        assert draft.parent != tmp_path
    assert os.read(fd, 9) == b"new"
    os.close(fd)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_whole_folder_is_renamed_when_whole_and_never_overwrites(tmp_path):
    path = tmp_path / "new" / "site"
    with files.whole_folder(path) as draft:
        (draft / "x").touch()
        assert not path.exists()
    assert [p.name for p in path.iterdir()] == ["x"]
    assert [p.name for p in path.parent.iterdir()] == ["site"]
    with pytest.raises(InputError, match="exists already"), files.whole_folder(path):
        raise AssertionError("must not be reached")


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_whole_folder_leaves_nothing_when_it_fails(tmp_path, error):
    with pytest.raises(error), files.whole_folder(tmp_path / "new" / "site") as draft:
        (draft / "x").write_text("1")
        raise error
    assert list(tmp_path.iterdir()) == []


def test_whole_folder_on_a_full_disk(tmp_path):
    with pytest.raises(MmwemuError, match="site: writing failed: No space left on device"):
        with files.whole_folder(tmp_path / "site"), Path("/dev/full").open("w") as full:
            full.write("x" * 100_000)
    assert list(tmp_path.iterdir()) == []


def test_kept_folder_is_renamed_when_whole_and_never_overwrites(tmp_path):
    path = tmp_path / "results"
    with files.kept_folder(path) as draft:
        (draft / "x").touch()
        assert not path.exists()
    assert [p.name for p in path.iterdir()] == ["x"]
    with pytest.raises(InputError, match="exists already"), files.kept_folder(path):
        raise AssertionError("must not be reached")


def test_kept_folder_keeps_what_was_made_when_it_fails(tmp_path):
    with pytest.raises(ZeroDivisionError), files.kept_folder(tmp_path / "results") as draft:
        (draft / "x").write_text("1")
        raise ZeroDivisionError
    assert [p.name for p in tmp_path.iterdir()] == ["results.in-progress"]


def test_kept_folder_leaves_no_empty_one(tmp_path):
    with pytest.raises(ZeroDivisionError), files.kept_folder(tmp_path / "results"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_kept_folder_is_filled_by_one_process(tmp_path):
    with files.kept_folder(tmp_path / "results") as draft:
        (draft / "x").write_text("1")
        with pytest.raises(InputError, match="another run is writing it"), files.kept_folder(tmp_path / "results"):
            raise AssertionError("must not be reached")
    assert [p.name for p in tmp_path.iterdir()] == ["results"]


def test_locked_folder_is_had_by_one_process(tmp_path):
    path = tmp_path / "new" / "log"
    with files.locked_folder(path):
        with pytest.raises(InputError, match="is being written by another process"), files.locked_folder(path):
            raise AssertionError("must not be reached")
    assert path.is_dir()
