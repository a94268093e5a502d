from pathlib import Path

import pytest

from mmwemu.core import paths
from mmwemu.core.errors import MissingError


@pytest.fixture
def home(monkeypatch, tmp_path):
    """Give a home without folders of the XDG specification."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_folders_of_the_user_are_those_of_the_xdg_specification(home, monkeypatch):
    assert paths.user_folder() == home / ".local" / "share" / "mmwemu"
    assert paths.cache_folder() == home / ".cache" / "mmwemu"
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert (paths.user_folder(), paths.cache_folder()) == (Path("/data/mmwemu"), Path("/cache/mmwemu"))
    monkeypatch.setenv("XDG_DATA_HOME", "")
    assert paths.user_folder() == home / ".local" / "share" / "mmwemu"


def package(monkeypatch, folder):
    """Let the package be one in a folder."""
    monkeypatch.setattr(paths.sys.modules["mmwemu"], "__path__", [str(folder / "mmwemu")])
    (folder / "mmwemu" / "bin").mkdir(parents=True)
    return folder


def test_a_part_of_the_package_is_found_or_named(monkeypatch, tmp_path):
    top = package(monkeypatch, tmp_path)
    (top / "mmwemu" / "bin" / "tool").touch()
    assert (
        paths.installed("bin/tool") == paths.program("tool") == paths.part("bin/tool", "it") == top / "mmwemu/bin/tool"
    )
    assert paths.installed("bin/other") is None
    with pytest.raises(MissingError, match=r"^other was not built with this installation; install again on x86-64"):
        paths.program("other")
    with pytest.raises(MissingError, match=r"^the thing is not in this installation; install mmwemu again$"):
        paths.part("bin/other", "the thing")


def test_sources_in_place_have_their_data_at_the_top(monkeypatch, tmp_path):
    top = package(monkeypatch, tmp_path)
    (top / "patterns").mkdir()
    (top / "other").mkdir()
    # What is no source tree has nothing beside the package.
    assert paths.installed("data/patterns") is None
    (top / "pyproject.toml").touch()
    assert paths.installed("data/patterns") == top / "patterns"
    assert paths.installed("patterns") is None
    assert paths.installed("data/scenarios") is None
    (top / "mmwemu" / "data" / "patterns").mkdir(parents=True)
    assert paths.installed("data/patterns") == top / "mmwemu" / "data" / "patterns"
