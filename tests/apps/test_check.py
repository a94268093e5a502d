"""Checks over real links: versions whose speed differs, baselines, budgets, and what goes wrong."""

import json
import os
import shutil
import signal
import subprocess
import time
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest

from mmwemu.results import store
from tests.programs import MMWEMU

pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_link")]

STUDY = """
format = 1
name = "c"
pattern = ["s1-long-nlos.mmwave"]
expect = ["took_s <= 1.5 of baseline"]
[[run]]
application = "command"
argv = ["./client", "0.1"]
"""
DOWNLOAD = """
format = 1
name = "d"
pattern = ["s1-long-nlos.mmwave"]
expect = ["goodput_bps >= 10e6"]
[[run]]
application = "download"
size = ["500kB"]
"""
CLIENT = """#!/bin/sh
sleep $1
echo "{\\"took_s\\": $1, \\"stalls\\": 0}"
"""


@pytest.fixture
def check(tmp_path):
    """Give a function that runs ``mmwemu check`` in a folder with study, client and a state of its own."""
    (tmp_path / "c.toml").write_text(STUDY)
    (tmp_path / "d.toml").write_text(DOWNLOAD)
    client(tmp_path)

    def run(*argv, code=0, verb="check"):
        done = subprocess.run(
            [*MMWEMU, verb, *argv], cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, timeout=300
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def environment(folder):
    names = {"XDG_STATE_HOME": str(folder / "state"), "GITHUB_STEP_SUMMARY": str(folder / "step.md")}
    return os.environ | names


def client(folder, text=CLIENT):
    folder.mkdir(exist_ok=True)
    (folder / "client").write_text(text)
    (folder / "client").chmod(0o755)


def test_equal_versions_pass_and_a_slower_one_fails(check, tmp_path):
    same = ("--base", "./client 0.1", "--head", "./client 0.1")
    found = json.loads(check("c.toml", *same, "-o", "same", "--json").partition("mmwemu:")[0])
    assert (found["verdict"], found["lines"][0]["n"]) == ("pass", 7)  # constant
    runs = store.load(tmp_path / "same")
    assert runs.groupby("repetition").size().eq(2).all()
    assert runs.groupby("repetition")["seed"].nunique().eq(1).all()
    check("c.toml", "--base", "./client 0.1", "--head", "./client 0.2", "--junit", "j.xml", code=1)
    (case,) = ElementTree.parse(tmp_path / "j.xml").getroot().iter("testcase")
    assert case.find("failure") is not None
    summary = (tmp_path / "step.md").read_text()
    assert "c: pass" in summary
    assert "c: fail" in summary


def test_two_checkouts_are_compared_by_what_is_in_them(check, tmp_path):
    client(tmp_path / "old")
    client(tmp_path / "new", CLIENT.replace("sleep $1", "sleep 0.3").replace("$1", "0.3"))
    assert "3 of baseline" in check("c.toml", "--base-dir", "old", "--head-dir", "new", code=1)
    shutil.copy(tmp_path / "old" / "client", tmp_path / "new" / "client")
    check("c.toml", "--base-dir", "old", "--head-dir", "new")


def test_a_stored_baseline_and_what_another_machine_does_to_the_verdict(check, tmp_path):
    """The bound is far, since a busy machine widens the limits by a lot."""
    study, file = tmp_path / "c.toml", tmp_path / "b.parquet"
    study.write_text(STUDY.replace("1.5 of", "100 of"))
    check("c.toml", "--update", "--baseline", "b.parquet", "--budget", "60s")
    said = check("c.toml", "--baseline", "b.parquet", "--budget", "60s")
    assert "limits are widened on each side" in said
    assert "another machine" not in said
    table = pq.read_table(file)
    head = json.loads(table.schema.metadata[b"mmwemu.baseline"])
    head |= {"machine": "a slower one", "processor_s": head["processor_s"] * 1e3, "mmwemu": "0.0.9"}
    pq.write_table(table.replace_schema_metadata({b"mmwemu.baseline": json.dumps(head).encode()}), file)
    said = check("c.toml", "--baseline", "b.parquet", "--budget", "60s", code=4)
    assert "the baseline is of another machine: a slower one" in said
    assert "mmwemu 0.0.9" in said
    study.write_text(study.read_text().replace('"0.1"', '"0.12"'))
    assert "is of another plan" in check("c.toml", "--baseline", "b.parquet", code=2)


def test_a_download_that_clearly_passes_is_decided_within_a_minute(check):
    begin_s = time.monotonic()
    found = json.loads(check("d.toml", "--json").partition("mmwemu:")[0])
    assert found["verdict"] == "pass"
    assert time.monotonic() - begin_s < 60


def test_a_command_that_fails_or_reports_nothing(check):
    pair = ("--base", "./client 0.01")
    said = check("c.toml", *pair, "--head", "sh -c 'echo it broke >&2; exit 7'", code=1)
    assert "exit code 7: it broke" in said
    assert "took_s is no metric of any run" in check("c.toml", "--base", "true", "--head", "true", code=2)
    check("c.toml", *pair, "--head", "true", code=1)
    said = check("c.toml", "--base", "false", "--head", "./client 0.01", code=4)
    assert "of base" in said


def test_a_budget_too_short_for_two_runs(check):
    pair = ("--base", "./client 0.1", "--head", "./client 0.1", "--budget", "0.1s")
    assert "too short for two runs" in check("c.toml", *pair, code=4)
    check("c.toml", *pair, "--inconclusive", "pass")
    check("c.toml", *pair, "--inconclusive", "fail", code=1)


def test_metrics_that_are_0_are_judged_by_differences(check):
    pair = ("--base", "./client 0.01", "--head", "./client 0.01")
    check("c.toml", *pair, "--expect", "stalls <= baseline + 1", "--expect", "stalls <= 1")
    check("c.toml", *pair, "--expect", "stalls <= baseline - 1", code=1)


def test_sigterm_keeps_the_runs_and_says_so_in_the_summary(check, tmp_path):
    argv = [
        *MMWEMU,
        "check",
        "c.toml",
        "--base",
        "./client 0.3",
        "--head",
        "./client 0.3",
        "-o",
        "r",
        "--junit",
        "j.xml",
    ]
    program = subprocess.Popen(
        argv, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    parts = tmp_path / "r.in-progress" / "parts"
    end_s = time.monotonic() + 60
    while len(list(parts.glob("run-*.json"))) < 3 and time.monotonic() < end_s:
        time.sleep(0.05)
    program.send_signal(signal.SIGTERM)
    said, complaints = program.communicate(timeout=60)
    assert program.returncode == 143, said + complaints
    summary = (tmp_path / "step.md").read_text()
    assert "\n\nterminated; " in summary
    assert "complete runs are kept" in summary
    assert ElementTree.parse(tmp_path / "j.xml").getroot().find(".//error") is not None
    assert len(store.load(tmp_path / "r.in-progress")) >= 3


def test_bad_input_is_one_line_and_nothing_runs(check, tmp_path):
    for argv, words in (
        (("c.toml",), "needs a baseline"),
        (("d.toml", "--expect", "speed_index_s <= 1"), "is no metric of any run"),
        (("d.toml", "--expect", "goodput_bps > 1"), "must be METRIC"),
        (("d.toml", "--base", "true"), "has none; use --base-dir"),
        (("d.toml", "--update"), "needs --baseline"),
        (("c.toml", "--baseline", "none.parquet"), "is not a file"),
        (("c.toml", "--base-dir", "none"), "is not a folder"),
        (("d.toml", "--budget", "soon"), "is not a time"),
    ):
        said = check(*argv, "--summary", "s.md", code=2)
        assert words in said
        assert said.count("\n") == 1
    assert "is not a time" not in (tmp_path / "s.md").read_text()
    assert not (tmp_path / "results").exists()


def test_mmwemu_study_says_that_it_does_not_judge(check):
    said = check("show", "d.toml", verb="study")
    assert "download" in said
    assert "expect is not judged here" in check("run", "--dry-run", "d.toml", verb="study")


def test_the_budgets_of_a_page_are_judged_without_a_study_file(check, tmp_path):
    check("make", "--objects", "3", "--bytes", "30kB", "-o", "page", verb="site")
    places = ("--pattern", "s1-long-nlos.mmwave", "--pattern", "s1-long-nlos.lte")
    said = check("page", *places, "--expect", "on_load_s <= 39", "--budget", "3m", verb="budget")
    assert said.count("on_load_s <= 39") == 1
    assert "2 of 2" in said
    assert "needs a baseline" in check("page", "--expect", "lcp_s <= 1.1 of baseline", verb="budget", code=2)
    assert "does not exist" in check("none", verb="budget", code=2)
