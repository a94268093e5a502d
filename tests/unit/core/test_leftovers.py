import os
import signal
import subprocess
import sys

import pytest

from mmwemu.core import files, leftovers, paths, temporary

MAKERS = """
import sys
from pathlib import Path
from mmwemu.core import files, temporary

def make(path):
    return {
        "folder": lambda: temporary.temporary_folder("web"),
        "file": lambda: files.whole_file(path),
        "site": lambda: files.whole_folder(path),
        "results": lambda: files.kept_folder(path),
    }[sys.argv[1]]()

with make(Path(sys.argv[2])) as made:
    (made / "x").write_text("x") if made.is_dir() else made.write_text("x")
    print(flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _own_folders(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in ("TMPDIR", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))


@pytest.mark.parametrize("kind", ["folder", "file", "site"])
def test_what_a_process_makes_is_found_when_it_was_killed_and_not_before(tmp_path, kind):
    argv = [sys.executable, "-P", "-c", MAKERS, kind, str(tmp_path / ("n" * 250 + ".csv"))]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"\n"
        (made,) = tmp_path.iterdir()
        assert leftovers.find([tmp_path]) == []
        assert list(leftovers.remove([made])) == [(made, False)]
        process.send_signal(signal.SIGKILL)
    assert leftovers.find([tmp_path]) == [made]
    assert list(leftovers.remove([made])) == [(made, True)]
    assert list(tmp_path.iterdir()) == []


def test_results_that_a_process_fills_are_not_left_over(tmp_path):
    argv = [sys.executable, "-P", "-c", MAKERS, "results", str(tmp_path / "r")]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        assert not leftovers.is_unused(tmp_path / "r.in-progress")
        process.kill()
    assert leftovers.is_unused(tmp_path / "r.in-progress")
    assert leftovers.find([tmp_path]) == []


def test_what_does_not_carry_our_mark_stays(tmp_path):
    left = tmp_path / "mmwemu-nginx-abcd1234"
    left.mkdir()
    for name in (
        "mmwemu-build",
        "mmwemu-nginx-wxyz1234",
        "mmwemu-notes-of-mine",
        ".git",
        ".x.in-progress",
        "x-12345678.in-progress",
    ):
        (tmp_path / name).mkdir()
    (tmp_path / "mmwemu-file-abcdef12").write_text("")
    (tmp_path / "mmwemu-link-abcdef12").symlink_to(left)
    assert leftovers.find([tmp_path]) == [left]


def test_drafts_in_the_users_folders_are_found(tmp_path):
    films = paths.cache_folder() / "films"
    films.mkdir(parents=True)
    left = films / ".film-abcdef12.in-progress"
    left.mkdir()
    with temporary.draft_folder(films / "film") as draft:
        assert temporary.DRAFT.fullmatch(draft.name)
        assert leftovers.find() == [left]


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a folder to another user, which root may")
def test_what_belongs_to_another_user_stays(tmp_path):
    left = tmp_path / "mmwemu-nginx-abcd1234"
    left.mkdir()
    os.chown(left, 1, 1)
    assert leftovers.find([tmp_path]) == []


def test_a_file_and_a_folder_get_the_permissions_that_the_user_wants(tmp_path):
    before = os.umask(0o027)
    try:
        with files.whole_file(tmp_path / "f") as draft:
            draft.write_text("")
        with files.whole_folder(tmp_path / "d"):
            pass
    finally:
        os.umask(before)
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "d").stat().st_mode & 0o777 == 0o750
