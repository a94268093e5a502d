from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.apps import registry
from mmwemu.apps.web.sites.model import PRESETS
from mmwemu.core.errors import InputError
from mmwemu.core.names import check_file_name, check_name, check_path, is_inner_path, is_name
from mmwemu.link import profile_files
from mmwemu.pattern import library
from mmwemu.scenario import read


@pytest.mark.parametrize("name", ["a", "s1-long-nlos", "s1-long-nlos.mmwave", "9_x", "a" * 64])
def test_names(name):
    assert check_name(name, "t") == name
    assert check_file_name(Path("d", name + ".csv")) == name


@pytest.mark.parametrize(
    "name", ["", "a/b", "/etc/x", "..", ".a", "-a", "_a", "ä", "a b", "a\n", "a\0", "a" * 65, "\x1b"]
)
def test_what_is_no_name_is_refused_with_the_rule(name):
    with pytest.raises(InputError, match=r"must be at most 64 letters of ASCII, digits and -_\., the first"):
        check_name(name, "t")


@given(st.text())
def test_a_name_is_always_one_part_of_a_path(text):
    if is_name(text):
        assert Path(text).name == text and len(Path(text).parts) == 1


def test_whatever_is_shipped_keeps_the_rule():
    shipped = [*read.shipped(), *library.shipped(), *profile_files.names(), *PRESETS, *registry.names()]
    assert len(shipped) > 20
    assert all(map(is_name, shipped))


@pytest.mark.parametrize("text", ["a", "/a/b", "a" * 255, "ä" * 127, "\udcff", "a\nb"])
def test_paths(text):
    assert check_path(text) == Path(text)


@pytest.mark.parametrize("text", ["", "a\0", "a" * 256, "ä" * 128, "a/" * 3000, "\ud800"])
def test_what_no_system_takes_is_no_path(text):
    with pytest.raises(InputError):
        check_path(text)


@pytest.mark.parametrize("text", ["", "/a", "../a", "a/../b", "a//b", "./a", "a/", "a\n", "\x1b", "a\0", "x" * 300])
def test_what_could_leave_its_folder_is_no_inner_path(text):
    assert not is_inner_path(text)
    assert is_inner_path("a/b c.ä/d")
