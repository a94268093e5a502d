"""Campaigns as a user runs them: real workers of Dask, which run the real simulator."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from mmwemu.trace import parquet
from tests.programs import MMWEMU

pytestmark = pytest.mark.cell

WALK = """format = 1
name = "walk"
duration_s = {duration}
[base_station]
position_m = [0.0, 0.0, 3.0]
[[route]]
time_s = 0.0
position_m = [75.0, -3.0, 1.0]
"""
LIMIT_S = 240


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Give a folder with a short scenario, a long one, and a folder for temporary files; the test works there."""
    (tmp_path / "short.toml").write_text(WALK.format(duration=0.3))
    (tmp_path / "long.toml").write_text(WALK.format(duration=60.0).replace("walk", "long"))
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def start(*words):
    argv = [*MMWEMU, "simulate", *words]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def run(*words):
    with start(*words) as program:
        out, err = program.communicate(timeout=LIMIT_S)
    return program.returncode, out, err


def await_true(condition, what):
    end_s = time.monotonic() + LIMIT_S
    while not (found := condition()):
        assert time.monotonic() < end_s, f"no {what}"
        time.sleep(0.05)
    return found


def processes(pattern, of):
    """Return the ids of processes whose words match, below a process."""
    parents, words = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                words[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except (OSError, ValueError):
                continue
    below = {of}
    for _ in range(10):
        below |= {pid for pid, parent in parents.items() if parent in below}
    return [pid for pid in below - {of} if re.search(pattern, words.get(pid, ""))]


def nothing_is_left(folder, pids):
    await_true(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids), "end of all processes")
    assert list((folder / "tmp").iterdir()) == []


def test_a_campaign_resumes_and_its_traces_are_those_of_single_simulations(folder):
    words = ["short.toml", "--rat", "mmwave,lte", "--jobs", "2", "-o", "c"]
    code, out, err = run(*words, "--seeds", "1-2")
    assert (code, out.splitlines()[-2:]) == (0, ["c/campaign.parquet", "c/levels.parquet"]), err
    traces = sorted((folder / "c/traces").iterdir())
    assert [path.name for path in traces] == [
        f"walk.{rat}.seed-{seed}.parquet" for rat in ("lte", "mmwave") for seed in (1, 2)
    ]
    assert run("short.toml", "--rat", "mmwave", "--seed", "2", "-o", "one.parquet")[0] == 0
    assert (folder / "one.parquet").read_bytes() == traces[3].read_bytes()
    before = {path: path.stat().st_mtime_ns for path in traces}
    traces[0].unlink()
    assert run(*words, "--seeds", "1-3")[0] == 0
    assert all(path.stat().st_mtime_ns == before[path] for path in traces[1:])
    table = pd.read_parquet(folder / "c/campaign.parquet")
    assert set(table["seeds"]) == {3}
    (folder / "short.toml").write_text(WALK.format(duration=0.4))
    code, _, err = run(*words, "--seeds", "1-3")
    assert code == 2
    assert re.fullmatch(r"mmwemu: c/traces/walk.*: is of another simulation \(its scenario_hash differs\); .*\n", err)
    assert list((folder / "tmp").iterdir()) == []


def test_several_ues_are_a_trace_and_levels_each_and_a_lost_trace_is_made_again(folder):
    second = "[[ues]]\nrate_bps = 1e8\n[[ues.route]]\ntime_s = 0.0\nposition_m = [75.0, 5.0, 1.0]\n"
    (folder / "two.toml").write_text(WALK.format(duration=0.3).replace("[[route]]", "[[ues]]\n[[ues.route]]") + second)
    words = ("two.toml", "--rat", "mmwave", "--seeds", "1-2", "-o", "out")
    code, _, err = run(*words)
    assert code == 0, err
    traces = sorted((folder / "out/traces").iterdir())
    assert [path.name for path in traces] == [f"walk.mmwave.seed-{s}.ue{ue}.parquet" for s in (1, 2) for ue in (1, 2)]
    levels = pd.read_parquet(folder / "out/levels.parquet").query("state == 'all' and figure == 'mean'")
    rates = levels[levels["column"] == "throughput_bps"].set_index("ue")["mean"]
    assert 4 < rates[1] / rates[2] < 14
    lost = traces[1].read_bytes()
    traces[1].unlink()
    assert run(*words)[0] == 0
    assert traces[1].read_bytes() == lost


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_signal_ends_workers_and_their_simulators_and_keeps_what_is_finished(folder, number):
    with start("long.toml", "short.toml", "--rat", "mmwave", "--seeds", "1-3", "--jobs", "2", "-o", "c") as program:
        await_true(lambda: len(processes("mmwemu-cell cell.txt", program.pid)) == 2, "two simulators")
        await_true(lambda: list((folder / "c").glob("traces/*")), "trace")
        below = processes("", program.pid)
        assert len(below) >= 5
        program.send_signal(number)
        _, err = program.communicate(timeout=LIMIT_S)
    await_true(lambda: not any(Path(f"/proc/{pid}").exists() for pid in below), "end of all processes")
    kept = list((folder / "c/traces").glob("*.parquet"))
    assert all(parquet.load(path).meta["seed"] for path in kept)
    if number == signal.SIGINT:
        assert program.returncode == 130
        assert err.splitlines()[-1] == (
            f"mmwemu: interrupted; {len(kept)} of 6 simulations are kept in c: the same command continues"
        )
        nothing_is_left(folder, below)


def test_a_simulation_whose_worker_is_killed_is_made_by_another(folder):
    with start("long.toml", "--rat", "mmwave", "--seeds", "1-2", "--jobs", "1", "-o", "c") as program:
        (cell,) = await_true(lambda: processes("mmwemu-cell cell.txt", program.pid), "simulator")
        worker = int(Path(f"/proc/{cell}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(worker, signal.SIGKILL)
        _, err = program.communicate(timeout=LIMIT_S)
    assert program.returncode == 0, err
    assert len(list((folder / "c/traces").iterdir())) == 2


def test_a_scheduler_that_dies_is_one_line_and_keeps_what_is_finished(folder):
    words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show", "--scheduler-file", "s.json"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-P", "-m"]
    with subprocess.Popen([*dask, "distributed.cli.dask_scheduler", *words], **quiet) as scheduler:
        try:
            file = folder / "s.json"
            await_true(lambda: file.exists() and file.read_text().endswith("}"), "scheduler")
            address = json.loads(file.read_text())["address"]
            worker_words = [address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "5"]
            with subprocess.Popen([*dask, "distributed.cli.dask_worker", *worker_words], **quiet) as worker:
                with start("short.toml", "long.toml", "--rat", "mmwave", "--seeds", "1-2", "--scheduler", address,
                           "-o", "c") as program:  # fmt: skip
                    await_true(lambda: list((folder / "c").glob("traces/*")), "trace")
                    scheduler.kill()
                    _, err = program.communicate(timeout=LIMIT_S)
                worker.kill()
        finally:
            scheduler.kill()
    assert program.returncode == 1
    kept = len(list((folder / "c/traces").glob("*.parquet")))
    assert err.splitlines()[-1] == (
        f"mmwemu: Dask scheduler {address} has gone; {kept} of 4 simulations are kept in c: the same command continues"
    )
    assert "Traceback" not in err


@contextmanager
def small_disk(path):
    path.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(path)], capture_output=True)
    if made.returncode:
        pytest.skip("no small file system can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(path)], check=True)


def test_a_full_disk_is_one_line_and_keeps_what_is_finished(folder):
    with small_disk(folder / "small"):
        code, _, err = run("short.toml", "--rat", "mmwave", "--seeds", "1-12", "--jobs", "1", "-o", "small/c")
        kept = list((folder / "small/c/traces").iterdir())
        assert code == 1
        assert re.fullmatch(
            rf"mmwemu: small/c/traces/walk.mmwave.seed-\d+.parquet: (writing failed|cannot be written): "
            rf"No space left on device; {len(kept)} of 12 simulations are kept in small/c: the same command continues",
            err.splitlines()[-1],
        )
        assert kept
        assert all(parquet.load(path) for path in kept)


def test_what_a_worker_lacks_ends_the_campaign_with_its_exit_code(folder, monkeypatch):
    monkeypatch.delenv("MMWEMU_NS3_MMWAVE", raising=False)
    code, _, err = run("short.toml", "--rat", "mmwave", "--seeds", "1-9", "--engine", "ns3-mmwave", "-o", "c")
    assert code == 3
    assert re.fullmatch(r"mmwemu: walk.mmwave.seed-\d: no build of ns3-mmwave is named; set .*", err.splitlines()[-1])
    assert not (folder / "c").exists()
    assert list((folder / "tmp").iterdir()) == []


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("--seeds 1-2 --scheduler nonsense", 2, "--scheduler: is 'nonsense'; must be such as tcp://10.0.0.1:8786"),
        ("--seeds 1-2 --scheduler tls://127.0.0.1:9", 2, "--scheduler: speaks TLS; name its keys in Dask's"),
        ("--seeds 1-2 --scheduler tcp://127.0.0.1:9", 3, "Dask scheduler tcp://127.0.0.1:9 does not answer; start it"),
        ("--seeds 1-2 --scheduler tcp://127.0.0.1:9 --jobs 2", 2, "--jobs is for this machine"),
        ("--jobs 2", 2, "--jobs and --scheduler are for campaigns"),
        ("--seeds 1-2 --plot p.png", 2, "--plot is for one simulation"),
        ("--seeds 1-2 -o short.toml", 2, "short.toml"),
        ("--seeds 1-2 --engine nosuch", 2, "engine nosuch: is not registered"),
    ],
)
def test_what_is_asked_for_in_vain_is_one_line(folder, words, code, message):
    before = sorted(folder.rglob("*"))
    got, _, err = run("short.toml", "--rat", "mmwave", *words.split())
    assert got == code
    assert err.splitlines()[-1].startswith(f"mmwemu: {message}")
    assert "Traceback" not in err
    assert sorted(folder.rglob("*")) == before
