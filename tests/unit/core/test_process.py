import logging
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mmwemu.core import paths, process
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


@pytest.mark.parametrize("call", ["process.run(['sleep', '60'])", "process.start(['sleep', '60'], tied=True).wait()"])
def test_a_program_does_not_outlive_this_process(call):
    if paths.installed("bin/mmwemu-link") is None:
        pytest.skip("mmwemu-link is not built")
    script = f"from mmwemu.core import process; {call}"
    with subprocess.Popen([sys.executable, "-P", "-c", script]) as head:
        children = Path(f"/proc/{head.pid}/task/{head.pid}/children")
        while not (found := children.read_text().split()):
            time.sleep(0.01)
        program = Path(f"/proc/{found[0]}/cmdline")
        while program.read_bytes() != b"sleep\x0060\x00":
            time.sleep(0.01)
        head.kill()
    end_s = time.monotonic() + 5
    while program.exists() and time.monotonic() < end_s:
        time.sleep(0.01)
    assert not program.exists()


def test_a_program_that_is_missing_is_an_error_of_this_process():
    with pytest.raises(FileNotFoundError):
        process.run(["/no/such/program"])
