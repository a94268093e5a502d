"""A study whose runner is killed again and again: no finished run is lost, none is made twice.

``MMWEMU_SEED`` is the seed of what is drawn.
"""

import json
import os
import random
import shutil
import subprocess
import time

import pandas as pd
import pytest

from mmwemu.core import temporary
from mmwemu.results import store
from tests.programs import MMWEMU

pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_link")]

STUDY = """
format = 1
name = "killed"
pattern = ["s1-long-nlos.mmwave", "s1-long-nlos.lte"]
repetitions = {repetitions}

[[run]]
application = "download"
size = ["20kB", "30kB"]

[[run]]
application = "command"
argv = ["sleep", "0.1"]
clients = 2
"""
LONGEST_S = 7.0


@pytest.mark.parametrize("kills", [4, pytest.param(15, marks=pytest.mark.long)])
def test_a_killed_study_goes_on_where_it_was(tmp_path, kills):
    """Long: kills at some 4 s each."""
    generator = random.Random(int(os.environ.get("MMWEMU_SEED", "1")))
    (tmp_path / "study.toml").write_text(STUDY.format(repetitions=3 if kills < 10 else 12))
    temporary_files = tmp_path / "tmp"
    temporary_files.mkdir()
    env = os.environ | {"XDG_STATE_HOME": str(tmp_path / "state"), "TMPDIR": str(temporary_files)}
    done, kept = 0, {}
    draft, path = tmp_path / "r.in-progress", tmp_path / "r"
    while done < kills:
        begun = (draft / "study.json").exists()
        if draft.exists() and not begun:  # killed before there was anything to go on with
            shutil.rmtree(draft)
        argv = ["resume", str(draft)] if begun else ["run", "study.toml", "-o", "r"]
        with subprocess.Popen([*MMWEMU, "study", *argv], cwd=tmp_path, env=env, stdout=-3, stderr=-1) as runner:
            try:
                runner.wait(generator.uniform(0.2, LONGEST_S))
            except subprocess.TimeoutExpired:
                runner.kill()
                done += 1
            complaints = runner.communicate()[1].decode()
        assert runner.returncode in (0, 4, -9), complaints  # 4: a run was not valid, after its retries
        if path.exists():
            check(path, kept)
            path.rename(tmp_path / f"finished-{time.monotonic_ns()}")
            kept = {}
        elif draft.exists():
            kept = still_there(draft, kept)
    if draft.exists():
        subprocess.run([*MMWEMU, "study", "resume", draft], cwd=tmp_path, env=env, check=True, timeout=300)
        check(path, kept)


def still_there(draft, kept):
    """Give the rows of the replays that are complete, those known before unchanged."""
    rows = {int(file.stem[4:]): json.loads(file.read_text()) for file in (draft / "parts").glob("run-*.json")}
    for run, row in kept.items():
        assert rows.get(run) == row
    runs = pd.DataFrame(rows.values(), columns=["replay", "clients", "run"])
    whole = runs.groupby("replay").filter(lambda mine: len(mine) == mine["clients"].iloc[0])
    return {run: rows[run] for run in whole["run"]}


def check(path, kept):
    """Hold that a finished study has each run once, and those known before as they were."""
    runs = store.load(path)
    assert sorted(runs["run"]) == list(range(1, json.loads((path / "manifest.json").read_text())["runs"] + 1))
    planned = json.loads((path / "study.json").read_text())["experiments"]
    assert len(runs) == sum(each["runs"] for each in planned)
    key = ["experiment", "pattern", "size_bytes", "client", "repetition"]
    assert not runs.duplicated(key).any()
    by_run = runs.set_index("run")
    for run, row in kept.items():
        assert by_run.loc[run, ["replay", "duration_s", "lateness_p99_s"]].tolist() == [
            row[name] for name in ("replay", "duration_s", "lateness_p99_s")
        ]
    assert set(pd.read_parquet(path / "link.parquet")["run"]) <= set(runs["run"])
    assert not (path / "parts").exists()
    assert not [each for each in path.iterdir() if temporary.DRAFT.fullmatch(each.name)]
