"""The retry rule, on tests that fail as told."""

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
from pathlib import Path

import pytest

calls = Path(__file__).with_name("calls")
pytestmark = pytest.mark.link


@pytest.fixture(scope="module")
def broken_at_first():
    with calls.open("a") as file:
        file.write("f")
    assert calls.read_text().count("f") == 2


def test_of_a_fixture(broken_at_first):
    pass


def test_that_passes_the_third_time(tmp_path):
    with calls.open("a") as file:
        file.write("t")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "left").touch()
    assert calls.read_text().count("t") == 3


def test_that_never_passes():
    with calls.open("a") as file:
        file.write("n")
    raise ValueError("never")
"""
# A machine that is stalled for a known share of the time.
MACHINE = """
import time
from tests import retry

class Monitor:
    def stalled_s(self):
        return {share} * time.monotonic()
    def close(self):
        pass

retry.StallMonitor = Monitor
"""


@pytest.fixture
def outcome(tmp_path):
    """Run the tests on a machine that is stalled for some share of the time; return code, calls and lines."""

    def outcome(share):
        (tmp_path / "test_these.py").write_text(TESTS)
        (tmp_path / "conftest.py").write_text(MACHINE.format(share=share))
        root = Path(__file__).parents[1]
        argv = [sys.executable, "-m", "pytest", "-q", "-p", "tests.retry", "-p", "no:cacheprovider", "-c"]
        argv += [root / "pyproject.toml", tmp_path]
        done = subprocess.run(list(map(str, argv)), capture_output=True, text=True, timeout=60, cwd=root)
        return done.returncode, (tmp_path / "calls").read_text(), done.stdout

    return outcome


def test_what_fails_is_tried_three_times_and_listed(outcome):
    code, calls, words = outcome(0.005)
    assert (code, calls) == (1, "ff" + "ttt" + "nnn")
    assert "2 passed" in words and "1 failed" in words
    assert "test_of_a_fixture: passed in try 2, stalled for 0.5%, 0.5%; first: " in words
    assert "test_that_passes_the_third_time: passed in try 3, stalled for 0.5%, 0.5%, 0.5%; first: " in words
    assert "test_that_never_passes: failed in try 3, stalled for 0.5%, 0.5%, 0.5%; first: ValueError: never" in words


def test_what_fails_on_a_stalled_machine_is_skipped_with_the_figure(outcome):
    code, calls, words = outcome(0.02)
    assert (code, calls) == (0, "ff" + "ttt" + "nnn")
    assert "2 passed" in words and "1 skipped" in words
    assert "the machine was stalled for 2.0% of each try or more: ValueError: never" in words
