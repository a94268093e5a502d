import json
import re

import pandas as pd
import pytest

from mmwemu.apps.command.application import Command
from mmwemu.pattern.convert import constant
from mmwemu.pattern.formats import native
from mmwemu.report.summary import Summary
from mmwemu.study.conduct import conduct, conduct_mix
from mmwemu.study.plan import ReplayPlan
from mmwemu.study.planned import Part

PLAN = ReplayPlan(delay_s=0.0)
MINE = Command(("sh", "-c", """echo '{"load_s": 0.5}'"""))


def test_an_experiment_is_kept_and_summarized(testbeds, patterns, tmp_path):
    found = conduct(MINE, patterns, PLAN, tmp_path / "r", ["mmwemu", "run"])
    assert found.folder == tmp_path / "r"
    assert [run.pattern for run in found.runs] == ["a", "b"]
    assert (found.folder / "plots" / "metrics.png").exists()
    assert [group["metrics"]["load_s"]["mean"] for group in found.summary.values["groups"]] == [0.5, 0.5]
    manifest = json.loads((found.folder / "manifest.json").read_text())
    assert (manifest["name"], manifest["command"], manifest["runs"]) == ("command", ["mmwemu", "run"], 2)
    asked = manifest["asked"]
    assert (asked["delay_s"], asked["core_rate_bps"], asked["patterns"]) == (0.0, None, [str(p) for p in patterns])
    assert asked["argv"] == list(MINE.argv)


def test_an_application_summarizes_its_own_runs(testbeds, patterns, tmp_path):
    seen = []

    def summarize(results, plots):
        seen.append((results.runs["load_s"].tolist(), results.exclude_cpu_bound, sorted(results.tables(1))))
        (plots / "own.txt").write_text("x")
        return Summary(lines=["mine"])

    found = conduct(MINE, patterns, PLAN, tmp_path / "r", [], summarize=summarize, exclude_cpu_bound=True)
    assert seen == [([0.5, 0.5], True, ["link"])]
    assert found.summary.lines == ["mine"]
    assert (tmp_path / "r" / "plots" / "own.txt").exists()


def test_patterns_may_be_made_in_the_results_folder(testbeds, tmp_path):
    def make(folder):
        native.save(constant(2e6, 1.0), folder / "made.csv")
        return [folder / "made.csv"]

    found = conduct(MINE, make, PLAN, tmp_path / "r", [])
    assert [run.pattern for run in found.runs] == ["made"]
    assert (tmp_path / "r" / "made.csv").exists()


def test_without_a_folder_one_is_named_after_the_application(testbeds, patterns, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = conduct(MINE, patterns[:1], PLAN, None, [])
    assert re.fullmatch(r"results/\d{8}T\d{6}Z-command", str(found.folder))


@pytest.mark.parametrize(("clients", "names"), [(1, ["command"]), (2, ["command of client 1", "command of client 2"])])
def test_a_mix_has_a_figure_of_each_replay_and_a_row_of_each_run(testbeds, patterns, tmp_path, clients, names):
    plan = ReplayPlan(delay_s=0.0, clients=clients)
    found = conduct_mix([Part(MINE), Part(MINE, 0.1)], patterns, plan, tmp_path / "r", [])
    assert sorted(path.name for path in (tmp_path / "r" / "plots").iterdir()) == ["mix-1.png", "mix-2.png"]
    (table,) = found.summary.tables
    assert [row[2] for row in table.rows] == [name for name in names for _ in range(2)] * 2
    assert [row[1] for row in table.rows] == [1] * 2 * clients + [2] * 2 * clients
    assert [row[3] for row in table.rows] == ["0", "0.1"] * 2 * clients
    assert {row[5] for row in table.rows} == {"load_s 0.5"}
    asked = json.loads((tmp_path / "r" / "manifest.json").read_text())["asked"]
    assert [(part["name"], part["offset_s"]) for part in asked["applications"]] == [("command", 0.0), ("command", 0.1)]
    assert len(pd.read_parquet(tmp_path / "r" / "runs.parquet")) == 4 * clients
