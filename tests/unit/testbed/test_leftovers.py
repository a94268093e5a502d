import os
import subprocess
import sys

from mmwemu.testbed import leftovers


def make(folder, name, age_s=1000.0):
    path = folder / name
    path.mkdir()
    os.utime(path, (path.stat().st_atime, path.stat().st_mtime - age_s))
    return path


def test_only_what_carries_our_mark_and_is_old_is_found(tmp_path):
    left = make(tmp_path, "mmwemu-nginx-abc_1234")
    make(tmp_path, "mmwemu-nginx-abcdefgh", age_s=0)
    make(tmp_path, "mmwemu-build")
    make(tmp_path, "mmwemu-notes-of-mine")
    (tmp_path / "mmwemu-file-abcdefgh").write_text("")
    (tmp_path / "mmwemu-link-abcdefgh").symlink_to(left)
    assert leftovers.find(tmp_path) == [left]


def test_what_a_process_uses_is_not_left_over(tmp_path):
    used = make(tmp_path, "mmwemu-nginx-abcdefgh")
    script = "import sys; print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=used, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert leftovers.find(tmp_path) == []
        process.communicate()
    assert leftovers.find(tmp_path) == [used]
