"""Studies from a file to a results folder, over real links."""

import json
import os
import shlex
import subprocess

import pandas as pd
import pytest

from mmwemu.results import store
from tests.programs import MMWEMU

pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_link")]

STUDY = """
format = 1
name = "two"
pattern = ["s1-long-nlos.mmwave", "s1-long-nlos.lte"]
repetitions = 2
seed = 3

[[run]]
application = "download"
size = ["50kB", "100kB"]
cc = ["cubic", "reno"]

[[run]]
application = "command"
argv = ["true"]
repetitions = 1
clients = 2
"""


@pytest.fixture
def study(tmp_path):
    """Give a function that runs ``mmwemu study`` in a folder with study.toml and a state of its own."""
    (tmp_path / "study.toml").write_text(STUDY)

    def run(*argv, code=0):
        env = os.environ | {"XDG_STATE_HOME": str(tmp_path / "state")}
        argv = [*MMWEMU, "study", *argv]
        done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout if code == 0 else done.stderr

    return run


def test_a_study_of_two_experiments_is_one_results_folder(study, tmp_path):
    plan = json.loads(study("show", "study.toml", "--json"))
    assert (plan["status"], plan["runs"], plan["done"]) == ("planned", 20, 0)
    found = json.loads(study("run", "study.toml", "-o", "r", "--json"))
    assert (found["status"], found["runs"], found["done"]) == ("finished", 20, 20)
    runs = store.load(tmp_path / "r")
    assert sorted(runs["run"]) == list(range(1, 21))
    assert runs.groupby(["experiment", "application"]).size().to_dict() == {(1, "download"): 16, (2, "command"): 4}
    assert runs.groupby(["pattern", "size_bytes", "congestion_control"]).size().eq(2).all()
    commands = runs[runs["application"] == "command"]
    assert commands["pattern"].tolist() == ["s1-long-nlos.mmwave"] * 2 + ["s1-long-nlos.lte"] * 2
    assert commands["client"].tolist() == [1, 2, 1, 2]
    assert runs.sort_values("run")["repetition"].is_monotonic_increasing
    downloads = runs.loc[runs["application"] == "download", "run"]
    assert pd.read_parquet(tmp_path / "r" / "link.parquet")["run"].unique().tolist() == sorted(downloads)
    assert (tmp_path / "r" / "study.toml").read_text() == STUDY
    assert "is not in progress" in study("resume", "r", code=2)


FULL = """
set -u
mount -t tmpfs -o size=150k tmpfs disk
{mmwemu} study run study.toml -o disk/r
echo "code $?"
test ! -e disk/r
mount -o remount,size=50m disk
{mmwemu} study resume disk/r.in-progress --json > resumed.json
echo "code $?"
cp -r disk/r kept
"""


def test_a_full_disk_in_the_middle_is_one_line_and_loses_no_run(tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "disk").mkdir()
    env = os.environ | {"XDG_STATE_HOME": str(tmp_path / "state")}
    script = FULL.format(mmwemu=shlex.join(MMWEMU))
    argv = ["unshare", "--user", "--map-root-user", "--mount", "bash", "-c", script]
    done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300)
    assert done.stdout in ("code 1\ncode 0\n", "code 1\ncode 4\n"), done.stderr
    (line,) = [line for line in done.stderr.splitlines() if "No space left on device" in line]
    assert line.startswith("mmwemu: ") and line.endswith("disk/r.in-progress goes on")
    runs = store.load(tmp_path / "kept")
    assert sorted(runs["run"]) == list(range(1, 21))
    assert json.loads((tmp_path / "resumed.json").read_text())["done"] == 20


def test_two_studies_do_not_run_at_once_and_a_run_beside_one_says_so(study, tmp_path):
    slow = STUDY.replace('argv = ["true"]', 'argv = ["sleep", "20"]').replace("seed = 3", "seed = 4")
    (tmp_path / "slow.toml").write_text(slow)
    env = os.environ | {"XDG_STATE_HOME": str(tmp_path / "state")}
    argv = [*MMWEMU, "study", "run", "slow.toml", "-o", "slow"]
    with subprocess.Popen(argv, cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True) as first:
        assert first.stderr.readline() == "mmwemu: two ...\n"
        holder = f"process {first.pid}, {tmp_path}/slow"
        refused = f"mmwemu: a study runs on this computer already ({holder}); two would disturb each other\n"
        assert study("run", "study.toml", "-o", "r", code=1) == refused
        assert not (tmp_path / "r").exists() and not (tmp_path / "r.in-progress").exists()
        assert json.loads(study("show", "slow.in-progress", "--json"))["status"] == "running"
        beside = [*MMWEMU, "run", "command", "--pattern", "s1-long-nlos.lte", "-n", "1", "-o", "x", "--", "true"]
        done = subprocess.run(beside, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60)
        assert f"note: a study runs on this computer ({holder}), which this may disturb" in done.stderr
        assert done.returncode in (0, 4)
        first.terminate()
        assert "terminated" in first.communicate()[1]
