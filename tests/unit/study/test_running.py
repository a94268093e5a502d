"""Studies on testbeds without networks: order, what is repeated, what a crash leaves, and one at a time."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from mmwemu.apps.command.application import Command
from mmwemu.core import files
from mmwemu.core.errors import InputError, InterruptedRunError, MmwemuError
from mmwemu.link.check import LinkCheck
from mmwemu.pattern.convert import constant
from mmwemu.pattern.formats import native
from mmwemu.results import store
from mmwemu.study import rooms, state
from mmwemu.study.lock import running_study, study_lock
from mmwemu.study.plan import ReplayPlan
from mmwemu.study.planned import Part, PlannedExperiment
from mmwemu.study.running import resume_study, run_study
from mmwemu.study.studies import Share, Study
from mmwemu.testbed import testbed


@pytest.fixture(autouse=True)
def own_state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def command(script):
    return (Part(Command(("sh", "-c", script))),)


@pytest.fixture
def study(testbeds, patterns):
    """Give a study of 4 + 2 replays and 10 runs."""
    plan = ReplayPlan(delay_s=0.0, repetitions=2)
    experiments = (
        PlannedExperiment(command("true"), (patterns[0],), replace(plan, clients=2)),
        PlannedExperiment(command("exit 0"), tuple(patterns), replace(plan, repetitions=1)),
        PlannedExperiment(command("true"), (patterns[1],), replace(plan, clients=2)),
    )
    return Study("mine", experiments)


def link_check(valid):
    reasons = () if valid else ("late",)
    return LinkCheck(valid, reasons, 0.5, excess_bytes=0, lateness_p99_s=0.1, lateness_max_s=0.1, device_drops=0)


def in_progress(path):
    return path.with_name(f"{path.name}.in-progress")


def test_a_study_has_a_testbed_for_each_setup_and_application(study, testbeds, tmp_path):
    run_study(study, tmp_path / "r", ["mmwemu", "study"])
    assert [testbed.topology.clients for testbed in testbeds] in ([1, 2], [2, 1])
    runs = store.load(tmp_path / "r")
    assert sorted(runs["run"]) == list(range(1, 11))
    assert runs["experiment"].is_monotonic_increasing
    assert runs.loc[runs["experiment"] == 2, "pattern"].tolist() == ["a", "b"]
    assert runs.groupby("experiment").size().to_dict() == {1: 4, 2: 2, 3: 4}
    manifest = json.loads((tmp_path / "r" / "manifest.json").read_text())
    assert (manifest["name"], manifest["command"], manifest["runs"]) == ("mine", ["mmwemu", "study"], 10)
    assert len(manifest["asked"]["experiments"]) == 3


def test_shares_are_the_whole_together_and_keep_repetitions_whole(study):
    parts = [study.replays_of(Share(i, 3)) for i in (1, 2, 3)]
    numbers = sorted(this.number for part in parts for this in part)
    assert numbers == [this.number for this in study.replays]
    blocks = [{(this.experiment_number, this.repetition) for this in part} for part in parts]
    assert sum(map(len, blocks)) == len(set.union(*blocks)) == 5


class Crash(BaseException):
    """The process ended here."""


def test_a_crash_at_any_write_is_resumed_without_losing_or_doubling_a_run(study, tmp_path, monkeypatch):
    path, real = tmp_path / "r", os.fsync
    left = 0

    def fsync(fd):
        nonlocal left
        left -= 1
        if left == 0:
            raise Crash
        real(fd)

    monkeypatch.setattr(files.os, "fsync", fsync)
    crashes, kept = 0, {}
    while not path.exists():
        crashes += 1
        left = 1 + crashes % 7  # each attempt comes a few writes further
        try:
            resume_study(study, in_progress(path)) if in_progress(path).exists() else run_study(study, path)
        except Crash:
            if in_progress(path).exists():
                now = {row["run"]: row["duration_s"] for row in store.load(in_progress(path)).to_dict("records")}
                whole = [this for this in study.replays if set(this.runs) <= set(now)]
                for number, duration_s in kept.items():
                    assert now[number] == duration_s, f"run {number} was made twice"
                kept = {run: now[run] for this in whole for run in this.runs}
        assert crashes < 200
    assert crashes > 5
    runs = store.load(path)
    assert sorted(runs["run"]) == list(range(1, 11))
    assert {run: runs.set_index("run")["duration_s"][run] for run in kept} == kept
    assert sorted(pd.read_parquet(path / "link.parquet")["run"].unique()) == list(range(1, 11))
    assert not list(path.glob("parts")) and not in_progress(path).exists()


def test_a_crash_before_the_folder_gets_its_name_is_settled(study, tmp_path):
    path = tmp_path / "r"
    run_study(study, path)
    path.rename(in_progress(path))
    (in_progress(path) / "parts").mkdir()
    assert resume_study(study, in_progress(path)) == path
    assert len(store.load(path)) == 10


def test_an_interruption_says_how_to_go_on(study, tmp_path, monkeypatch):
    seen = []

    def stop(progress):
        seen.append(progress)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(InterruptedRunError, match=r"kept in .*r\.in-progress; mmwemu study resume .* goes on"):
        run_study(study, tmp_path / "r", on_progress=stop)
    found = state.state_of(in_progress(tmp_path / "r"))
    assert (found.status, sum(one.done for one in found.experiments) > 0) == ("interrupted", True)
    assert sum(one.left for one in found.experiments) == 10 - sum(one.done for one in found.experiments)
    assert all(event.left_s > 0 for event in seen)
    resume_study(study, in_progress(tmp_path / "r"))
    assert state.state_of(tmp_path / "r").status == "finished"


def test_a_study_that_cannot_begin_leaves_nothing(study, tmp_path):
    missing = PlannedExperiment((Part(Command(("nosuch",))),), study.experiments[0].patterns, ReplayPlan())
    with pytest.raises(InputError, match=r"^run\[3\]: nosuch: is not a program in PATH$"):
        run_study(replace(study, experiments=(*study.experiments, missing)), tmp_path / "r")
    assert not in_progress(tmp_path / "r").exists() and not (tmp_path / "r").exists()


def test_another_study_or_pattern_is_not_gone_on_with(study, patterns, tmp_path):
    def stop(progress):
        if progress.done:
            raise KeyboardInterrupt

    with pytest.raises(InterruptedRunError):
        run_study(study, tmp_path / "r", on_progress=stop)
    folder = in_progress(tmp_path / "r")
    with pytest.raises(InputError, match="was begun with another plan"):
        resume_study(replace(study, seed=2), folder)
    native.save(constant(2e6, 10), patterns[1])
    changed = Study(study.name, study.experiments)
    with pytest.raises(InputError, match=r"pattern b: was changed since the study in .* began"):
        resume_study(changed, folder)


def test_an_invalid_replay_is_repeated_and_what_was_rejected_is_kept(study, tmp_path, monkeypatch):
    verdicts = iter([False, False, True, *[False] * 100])
    monkeypatch.setattr(testbed.Testbed, "check", lambda *_: link_check(next(verdicts)))
    one = replace(study, experiments=study.experiments[:1], retries=2)
    run_study(one, tmp_path / "r")
    runs, rejected = store.load(tmp_path / "r"), pd.read_parquet(tmp_path / "r" / "rejected.parquet")
    assert runs["valid"].tolist() == [True, True, False, False]
    assert rejected[["run", "attempt"]].to_numpy().tolist() == [[1, 1], [1, 2], [2, 1], [2, 2],
                                                                [3, 1], [3, 2], [4, 1], [4, 2]]  # fmt: skip
    assert set(rejected["invalid_because"]) == {"late"}
    manifest = json.loads((tmp_path / "r" / "manifest.json").read_text())
    assert (manifest["invalid_runs"], manifest["rejected_runs"]) == (2, 8)
    (found,) = state.state_of(tmp_path / "r").experiments
    assert (found.done, found.invalid, found.rejected) == (4, 2, 8)


def test_one_study_at_a_time(study, tmp_path):
    assert running_study() is None
    with study_lock(Path("/x/r")):
        with pytest.raises(MmwemuError) as caught:
            run_study(study, tmp_path / "r")
        assert str(running_study()) == f"process {os.getpid()}, /x/r"
    assert str(caught.value) == (
        f"a study runs on this computer already (process {os.getpid()}, /x/r); two would disturb each other"
    )
    assert caught.value.exit_code == 1
    assert not in_progress(tmp_path / "r").exists()
    assert running_study() is None
    run_study(study, tmp_path / "r")


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("study.json", "{", r"study\.json: is not valid JSON"),
        ("study.json", "[]", r"study\.json: is \[\]; must be a JSON object"),
        ("study.json", '{"format": 2}', r"study\.json: format: is 2; this mmwemu reads up to 1"),
        ("study.json", '{"format": 1}', r"study\.json: share: is missing"),
        ("study.json", None, r"is not the results folder of a study: it has no study\.json"),
        ("parts/run-00001.json", "[]", r"run-00001\.json: is not the row of a run"),
        ("parts/run-00001.json", "{", r"run-00001\.json: is not valid JSON"),
        ("parts/run-00001.json", "{}", r"run-00001\.json: is not the row of a run"),
    ],
)
def test_a_folder_that_was_edited_is_one_line(study, tmp_path, file, text, message):
    def stop(progress):
        if progress.done:
            raise KeyboardInterrupt

    with pytest.raises(InterruptedRunError):
        run_study(study, tmp_path / "r", on_progress=stop)
    folder = in_progress(tmp_path / "r")
    (folder / file).unlink() if text is None else (folder / file).write_text(text)
    with pytest.raises(InputError, match=message):
        state.state_of(folder)
    with pytest.raises(InputError, match=message):
        resume_study(study, folder)


def test_rooms_are_shared_by_experiments_with_the_same_applications(study):
    experiment = study.experiments[0]
    room = rooms.Room(experiment, None, None, [], None)
    assert room.serves(study.experiments[2])
    assert not room.serves(study.experiments[1])
    assert not room.serves(replace(experiment, plan=replace(experiment.plan, clients=3)))
    assert not room.serves(replace(experiment, plan=replace(experiment.plan, serve_edge="true", clients=2)))
