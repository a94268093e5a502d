"""How `mmwemu link` ends: by its command, by signals, and with standard streams that are closed, full or broken."""

import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from tests.link.test_terminal import Terminal
from tests.programs import MMWEMU

pytestmark = pytest.mark.link
LINK = [*MMWEMU, "link", "--pattern", "s1-long-nlos.lte"]
RUNNING = ["sh", "-c", "trap '' INT TERM; echo go; exec sleep 60"]


def start(*words, **options):
    return subprocess.Popen(
        [*LINK, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **options,
    )  # fmt: skip


@pytest.mark.parametrize(
    "redirections", [">&-", "2>&-", "<&-", ">/dev/full", "2>/dev/full", "<&- >&- 2>&-", "> >(true)", "2> >(true)"]
)
def test_the_exit_code_is_the_commands_whatever_the_streams(redirections):
    words = ["bash", "-c", f'exec "$@" {redirections}', "bash", *LINK, "--", "bash", "-c", "sleep 0.1; exit 7"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (7, "", "")


def test_a_closed_input_is_empty_for_the_command():
    words = ["bash", "-c", 'exec "$@" <&-', "bash", *LINK, "--", "sh", "-c", "cat && ls /proc/self/fd | wc -l"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()) == (0, ["4"])  # the three, and that of ls


@pytest.fixture
def terminal():
    opened = Terminal([*LINK, "--", *RUNNING])
    yield opened
    opened.close()


def test_ctrl_c_twice_ends_a_command_that_ignores_it(terminal):
    terminal.expect("go")
    terminal.type("\x03")
    time.sleep(0.5)
    assert os.waitpid(terminal.pid, os.WNOHANG) == (0, 0)
    terminal.type("\x03")
    terminal.expect("mmwemu: interrupted")


@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGTERM, 143, "terminated"), (signal.SIGHUP, 129, "hung up")]
)
def test_a_signal_ends_it_and_the_telemetry_is_kept(tmp_path, number, code, word):
    with start("--start", "now", "--log", "log", "--tcp", "tcp.parquet", "--", *RUNNING, cwd=tmp_path) as head:
        assert head.stdout.readline() == "go\n"
        time.sleep(0.5)
        for _ in range(3):
            head.send_signal(number)
            time.sleep(0.05)
        _, words = head.communicate(timeout=20)
    assert (head.returncode, words) == (code, f"mmwemu: {word}; the telemetry is kept in log\n")
    assert pd.read_parquet(tmp_path / "log" / "link.parquet")["time_s"].max() > 0.3
    assert {path.name for path in tmp_path.iterdir()} <= {"log", "tcp.parquet"}


def test_two_sessions_cannot_keep_one_log(tmp_path):
    with start("--start", "now", "--log", tmp_path / "log", "--", "sh", "-c", "echo go; exec sleep 3") as first:
        assert first.stdout.readline() == "go\n"
        with start("--log", tmp_path / "log", "--", "true") as second:
            _, words = second.communicate(timeout=20)
        assert first.poll() is None
    assert (second.returncode, words) == (
        2, f"mmwemu: {tmp_path}/log: is being written by another process; choose another folder\n"
    )  # fmt: skip
    assert first.returncode == 0
    assert pd.read_parquet(tmp_path / "log" / "link.parquet")["time_s"].max() > 1.5


def test_a_run_whose_reader_has_gone_keeps_its_results(tmp_path):
    run = [*MMWEMU, "run", "command", "--pattern", "s1-long-nlos.lte", "-n", "2", "-o", "r", "--", sys.executable]
    script = '"$@" -c "print(1)" | true; echo ${PIPESTATUS[0]}'
    done = subprocess.run(["bash", "-c", script, "bash", *run], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "141\n"
    assert [line for line in done.stderr.splitlines() if not line.endswith(" ...")] == []
    assert len(pd.read_parquet(tmp_path / "r" / "runs.parquet")) == 2
