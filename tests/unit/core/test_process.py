import logging
import subprocess
import sys

import pytest

from mmwemu.core import process
from mmwemu.core.errors import InputError, MissingError


def test_a_command_becomes_words_as_in_a_shell():
    assert process.split("sh -c 'echo \"a b\"'", "--serve") == ["sh", "-c", 'echo "a b"']


@pytest.mark.parametrize(
    ("command", "problem"), [("it's", 'is "it\'s": no closing quotation'), (" ", "is ' '; must name a program")]
)
def test_what_is_no_command_is_refused(command, problem):
    with pytest.raises(InputError) as caught:
        process.split(command, "--serve")
    assert str(caught.value) == f"--serve: {problem}"


def test_a_tool_that_is_missing_has_a_remedy(monkeypatch):
    with pytest.raises(MissingError, match="nosuchtool is not installed; install it: sudo apt-get install nosuch"):
        process.find_tool("nosuchtool", "install it: sudo apt-get install nosuch")
    monkeypatch.setenv("PATH", "/nonexistent")
    assert process.find_tool("ldconfig", "").endswith("/ldconfig")  # of the system's sbin folders


def test_programs_are_logged_as_typed(caplog):
    with caplog.at_level(logging.DEBUG, "mmwemu.process"):
        done = process.run(["sh", "-c", "echo out; echo err >&2; exit 3"])
    assert (done.returncode, done.stdout, done.stderr) == (3, b"out\n", b"err\n")
    assert caplog.messages == ["sh -c 'echo out; echo err >&2; exit 3'"]
    with caplog.at_level(logging.DEBUG, "mmwemu.process"):
        process.start(["sh", "-c", "exit 0"]).wait()
    assert caplog.messages[1:] == ["sh -c 'exit 0'"]


def test_what_does_not_end_is_made_to():
    script = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(60)"
    with process.start([sys.executable, "-c", script], stdout=subprocess.PIPE) as program:
        program.stdout.readline()
        process.end(program, grace_s=0.1)
        assert program.returncode == -9
        process.end(program)
