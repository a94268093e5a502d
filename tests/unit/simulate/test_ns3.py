"""Ns3Engine with stand-ins for the program; test_cell.py has the program itself."""

import os
import stat
import time

import numpy as np
import pytest

from mmwemu.core import paths
from mmwemu.core.errors import InputError, MissingError, MmwemuError
from mmwemu.core.progress import Progress
from mmwemu.simulate.ns3 import Ns3Engine
from mmwemu.simulate.program import parse_progress
from mmwemu.trace.model import COLUMNS

ROWS = "0.000,1,38.5,nan,3e9,0,0,nan,0\\n0.001,0,-1,5,3e8,1e9,10,0.011,2\\n"


@pytest.fixture
def stand_in(tmp_path):
    def make(body):
        path = tmp_path / "mmwemu-cell"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return make


def test_a_trace_is_read(scenario, stand_in):
    program = stand_in(
        f"""
        echo 'progress 0.2 4.0' >&2; echo 'progress 4.0 4.0' >&2
        grep -q 'seed 3' "$1" || exit 1
        printf '{",".join(COLUMNS)}\\n{ROWS}' > "$2"
        echo '{{"version": "0.1.0", "ns3_version": "3.44", "frame": "legacy"}}' > "$3"
        """
    )
    steps = []
    trace = Ns3Engine(program).simulate(scenario, "mmwave", 3, steps.append)
    assert steps == [Progress("simulate", 0.2, 4.0), Progress("simulate", 4.0, 4.0)]
    assert list(trace.los) == [1, 0]
    assert np.isnan(trace.delay_s[0])
    assert trace.meta["scenario"] == "t"
    assert trace.meta["engine"] == "mmwemu-cell"
    assert trace.meta["ns3_version"] == "3.44"
    assert trace.meta["seed"] == 3
    assert trace.meta["header_bytes"] == 28
    assert trace.meta["frame"] == "legacy"
    assert len(trace.meta["scenario_hash"]) == 64


def test_a_refused_scenario_is_an_input_error(scenario, stand_in):
    program = stand_in("echo 'mmwemu-cell: cell.txt:8: box: a side is not positive' >&2; exit 2")
    with pytest.raises(InputError, match=r"^scenario t: cell.txt:8: box: a side is not positive$"):
        Ns3Engine(program).simulate(scenario, "mmwave", 1)


def test_a_failure_is_told_in_one_line(scenario, stand_in):
    program = stand_in("echo 'mmwemu-cell: cannot write trace.csv: No space left on device' >&2; exit 1")
    with pytest.raises(MmwemuError, match=r"failed with exit code 1: cannot write trace.csv: No space") as caught:
        Ns3Engine(program).simulate(scenario, "mmwave", 1)
    assert caught.value.exit_code == 1


def test_an_abort_names_the_signal(scenario, stand_in):
    program = stand_in("echo 'NS_ASSERT failed, cond=\"x\"' >&2; kill -ABRT $$")
    with pytest.raises(MmwemuError, match=r"mmwemu-cell was ended by SIGABRT: NS_ASSERT failed"):
        Ns3Engine(program).simulate(scenario, "mmwave", 1)


def test_the_program_is_killed_on_interrupt(scenario, stand_in, tmp_path):
    program = stand_in(f"echo $$ > {tmp_path}/pid; echo 'progress 0.2 4.0' >&2; exec sleep 60")

    def interrupt(_):
        raise KeyboardInterrupt

    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        Ns3Engine(program).simulate(scenario, "mmwave", 1, interrupt)
    assert time.monotonic() - begin < 10
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_missing_program_is_named(scenario, monkeypatch):
    monkeypatch.setattr(paths, "installed", lambda _: None)
    with pytest.raises(MissingError, match="mmwemu-cell was not built"):
        Ns3Engine().simulate(scenario, "mmwave", 1)


@pytest.mark.parametrize("line", ["", "progress", "progress a b", "progress 1 2 3", "hello 1 2"])
def test_other_lines_are_not_progress(line):
    assert parse_progress(line) is None
