import pytest

from mmwemu.apps.download.content import make_file
from mmwemu.core.errors import MmwemuError


def test_sparse_and_random_files_have_the_size_asked(tmp_path):
    sparse = tmp_path / make_file(tmp_path, 3_000_001)
    assert sparse.stat().st_size == 3_000_001
    assert sparse.stat().st_blocks == 0
    filled = tmp_path / make_file(tmp_path, 3_000_001, "random", seed=4)
    assert filled.stat().st_size == 3_000_001
    assert len(set(filled.read_bytes()[:10_000])) == 256
    again = tmp_path / "again"
    again.mkdir()
    assert (again / make_file(again, 3_000_001, "random", seed=4)).read_bytes() == filled.read_bytes()


def test_an_impossible_size_fails_in_one_line_and_leaves_nothing(tmp_path):
    with pytest.raises(MmwemuError, match=r"making a file of \d+ bytes failed: "):
        make_file(tmp_path, 2**62)
    assert list(tmp_path.iterdir()) == []
