"""Programs of an application that the computer holds up while the link has room."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from mmwemu.apps.download.application import Downloads
from mmwemu.pattern.convert import constant
from tests.apps import running
from tests.link import as_who
from tests.programs import MMWEMU

pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_link")]

BUSY = [sys.executable, "-I", "-S", "-c", "while True: pass"]


def descendants(pid):
    """Give the processes below another one."""
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, path.read_text().split()):
            found += [child, *descendants(child)]
    return found


def named(name):
    """Give a process below this one that runs a program, once there is one."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        for pid in descendants(os.getpid()):
            try:
                if Path(f"/proc/{pid}/comm").read_text().strip() == name:
                    return pid
            except OSError:
                continue  # it has ended
        time.sleep(0.01)
    raise TimeoutError(name)


@contextmanager
def stopping(name, for_s):
    """Stop a program once in the meantime, for a while and soon after it starts."""

    def stop():
        pid = named(name)
        time.sleep(0.5)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(for_s)
        os.kill(pid, signal.SIGCONT)

    thread = threading.Thread(target=stop)
    thread.start()
    yield
    thread.join()


@contextmanager
def busy(loops):
    """Keep the processors busy in the meantime."""
    programs = [subprocess.Popen(BUSY) for _ in range(loops)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def test_a_download_whose_client_stood_stopped_is_cpu_bound(tmp_path):
    with stopping("curl", 2.0):
        (run,) = running.run(tmp_path, constant(20e6, 10), Downloads(sizes_bytes=(5_000_000,)))
    assert run.status == "ok"
    assert run.duration_s > 2.4  # 2.14 s without
    assert run.stopped_s == pytest.approx(2.0, abs=0.4)
    assert 0.3 < run.held_up_s < 2.3
    assert run.cpu_bound
    assert "a program stood stopped" in run.cpu_bound_because


def test_a_download_from_a_server_that_stood_stopped_is_cpu_bound(tmp_path):
    with stopping("nginx", 2.0):
        (run,) = running.run(tmp_path, constant(20e6, 10), Downloads(sizes_bytes=(20_000_000,)))
    assert run.stopped_s == pytest.approx(2.0, abs=0.4)
    assert bool(run.held_up_s > 0.03 * run.duration_s) == run.cpu_bound


def test_waits_that_cost_the_download_nothing_do_not_count(tmp_path):
    with busy(2 * len(os.sched_getaffinity(0))):
        runs = running.run(tmp_path, constant(5e6, 10), Downloads(sizes_bytes=(1_000_000,)), repetitions=3)
    quiet_s = 8e6 / 5e6 * 1500 / 1448 + 0.05
    for run in runs:
        assert run.waited_s > 0
        assert run.held_up_s <= run.waited_s + run.stopped_s
        assert run.cpu_bound or run.duration_s == pytest.approx(quiet_s, rel=0.05)


@pytest.mark.parametrize("who", ["root", "user"])
def test_root_and_users_see_that_a_command_stood_stopped(who):
    stop = "(sleep 1.5; kill -CONT $$) & kill -STOP $$; wait"
    with tempfile.TemporaryDirectory() as name:  # unlike those of pytest, open to others
        folder = Path(name)
        folder.chmod(0o777)
        running.saved(folder, constant(20e6, 10)).chmod(0o644)
        argv = [*MMWEMU, "run", "command", "--pattern", name + "/p.csv", "-n", "1", "-o", name + "/r"]
        subprocess.run(as_who.command(who, [*argv, "--", "sh", "-c", stop], folder), check=True)
        (run,) = pd.read_parquet(folder / "r" / "runs.parquet").to_dict("records")
    assert run["stopped_s"] == pytest.approx(1.5, abs=0.4)
    assert run["waited_s"] is not None
    assert run["cpu_bound"]
