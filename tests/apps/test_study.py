"""Studies from a file to a results folder, over real links."""

import json
import os
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
    assert runs["run"].tolist() == list(range(1, 21))
    assert runs.groupby(["experiment", "application"]).size().to_dict() == {(1, "download"): 16, (2, "command"): 4}
    assert runs.groupby(["pattern", "size_bytes", "congestion_control"]).size().eq(2).all()
    assert runs[runs["application"] == "command"]["client"].tolist() == [1, 2, 1, 2]
    assert runs["repetition"].is_monotonic_increasing
    assert set(pd.read_parquet(tmp_path / "r" / "link.parquet")["run"]) == set(range(1, 21))
    assert (tmp_path / "r" / "study.toml").read_text() == STUDY
    assert "is not in progress" in study("resume", "r", code=2)
