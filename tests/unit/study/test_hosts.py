"""What a host sends as results is written below their folder alone."""

import io
import tarfile

import pytest

from mmwemu.core.errors import InputError
from mmwemu.study import hosts


@pytest.mark.parametrize("name", ["../out", "/tmp/out", "results/../../out"])
def test_results_of_a_host_are_written_below_their_folder_alone(tmp_path, name):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("results/kept"), io.BytesIO())
        archive.addfile(tarfile.TarInfo(name), io.BytesIO())
    content.seek(0)
    folder = tmp_path / "below"
    folder.mkdir()
    with (
        tarfile.open(fileobj=content, mode="r|") as archive,
        pytest.raises(InputError, match="leads out of its folder"),
    ):
        for member in archive:
            hosts._extract(archive, member, folder)
    assert (folder / "results/kept").exists()


def test_links_in_results_of_a_host_are_refused(tmp_path):
    link = tarfile.TarInfo("link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        archive.addfile(link)
    content.seek(0)
    with tarfile.open(fileobj=content, mode="r|") as archive, pytest.raises(InputError, match="neither a file"):
        for member in archive:
            hosts._extract(archive, member, tmp_path)
