import pytest

from mmwemu.core import paths
from mmwemu.core.errors import MissingError
from mmwemu.core.requirements import Requirement, first_line, own_program, requirement, tool


def test_what_is_there_needs_no_remedy():
    assert requirement("a", "b", "1.0", "get it") == Requirement("a", "b", False, True, "1.0", "")
    assert requirement("a", "b", None, "get it", absent="is 0") == Requirement("a", "b", False, False, "is 0", "get it")
    assert requirement("a", "b", "", "get it").found


def test_the_first_line_of_either_output_is_told():
    assert first_line(["sh", "-c", "echo one >&2; echo two >&2"]) == (True, "one")
    assert first_line(["sh", "-c", "exit 3"]) == (False, "")
    works, words = first_line(["/nonexistent/program"])
    assert not works and "No such file" in words


def test_a_tool_tells_its_version(tmp_path, monkeypatch):
    (tmp_path / "nice").write_text("#!/bin/sh\necho nice $1 2.0\n")
    (tmp_path / "nice").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert tool("nice", "run nice", "nicer", "-V").detail == "nice -V 2.0"
    assert tool("nice", "run nice", "nicer").detail == "nice --version 2.0"
    found = tool("nosuchprogram", "run nice", "nicer", required=True)
    assert (found.found, found.remedy, found.required) == (False, "sudo apt-get install nicer", True)


@pytest.mark.parametrize("built", [True, False])
def test_our_own_programs_are_required(monkeypatch, tmp_path, built):
    def program(name):
        if not built:
            raise MissingError(f"{name} was not built", "install again")
        return tmp_path / name

    monkeypatch.setattr(paths, "program", program)
    found = own_program("mmwemu-link", "link")
    expected = (True, "mmwemu-link", "") if built else (False, "not there", "install again")
    assert (found.found, found.detail, found.remedy, found.required) == (*expected, True)
