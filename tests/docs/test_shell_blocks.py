"""The shell blocks of tutorial and how-tos run as they stand."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from mmwemu.core import paths
from mmwemu.pattern import library
from tests.docs import shell_blocks
from tests.programs import MMWEMU

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {page.name: page for folder in ("tutorial", "how-to") for page in sorted((DOCS / folder).glob("*.md"))}
LEAST_SHARE = 0.6
# Pages whose blocks need longer than 15 s, with the reason.
LONG = {
    "campaigns.md": "four simulations",
    "first-run.md": "a simulation and ten downloads",
    "clients-and-edge.md": "many clients",
    "flows.md": "flows of 5 to 10 s",
    "measured-traces.md": "downloads over LTE",
    "mixed-runs.md": "a browser, and a large download over LTE",
    "patterns-from-traces.md": "simulates four drives",
    "report.md": "draws every figure in four formats",
    "stream.md": "two films in real time",
    "tcp-senders.md": "downloads with six settings, and flows of 10 s",
    "users.md": "starts users, and simulates ten",
    "web-pages.md": "a browser loads some twenty pages",
}
# A link that was not valid on a busy machine is not what this is about.
# PYTHONPATH, by which the python of a `first` finds tests/, would let mmwemu be the sources, without its programs.
PROGRAM = '#!/bin/sh\n{before}{argv} "$@" || {{ code=$?; [ $code = 4 ] || exit $code; }}\n'


def check_make_patterns(folder, output):
    assert "3 received" in output
    assert output.count(": ok (") == 30
    assert len({file.read_bytes() for file in folder.glob("drive-*.csv")}) == 30


def check_patterns_from_traces(folder, output):
    steps = {file.stem: len(library.load(str(file)).time_s) for file in folder.glob("*.csv")}
    assert len(steps) == 7
    assert 1 < steps["few-steps"] < steps["mostly-better"] < steps["fading"]


def check_studies(folder, output):
    assert "study cc: finished" in output
    whole, both = (pd.read_parquet(folder / "results" / name / "runs.parquet") for name in ("cc", "cc-both"))
    assert sorted(whole["run"]) == sorted(both["run"]) == list(range(1, 13))
    key = ["run", "replay", "application", "pattern", "repetition", "congestion_control", "start_at_s"]
    assert whole.sort_values("run")[key].to_dict("list") == both.sort_values("run")[key].to_dict("list")


def check_own_client(folder, output):
    assert "ttfb [s]" in output
    assert json.loads((folder / "out.json").read_text())["groups"][0]["metrics"]["answer_s"]["mean"] == 0.25


def check_report(folder, output):
    assert (folder / "report.html").stat().st_size > 100_000
    assert {file.suffix for file in (folder / "figures").iterdir()} == {".png", ".pdf", ".svg", ".csv"}


CHECKS = {
    "make-patterns.md": check_make_patterns,
    "own-client.md": check_own_client,
    "patterns-from-traces.md": check_patterns_from_traces,
    "report.md": check_report,
    "studies.md": check_studies,
}


def runs_here(block):
    return block.is_shell and not {"not run", "run by"} & set(block.marks)


def cases():
    for name, page in PAGES.items():
        if any(map(runs_here, shell_blocks.read(page))):
            yield pytest.param(page, id=name, marks=[pytest.mark.apps, *([pytest.mark.long] if name in LONG else [])])


@pytest.fixture
def surroundings(tmp_path):
    """Give a folder to work in, and the environment of somebody who has mmwemu in PATH and a home of its own."""
    programs, folder = tmp_path / "bin", tmp_path / "work"
    programs.mkdir()
    folder.mkdir()
    (tmp_path / "home").mkdir()
    for name, before, argv in (("mmwemu", "unset PYTHONPATH\n", MMWEMU), ("python", "", [sys.executable])):
        (programs / name).write_text(PROGRAM.format(before=before, argv=shlex.join(argv)))
        (programs / name).chmod(0o755)
    # What was fetched and encoded once stays where it is.
    data, cache = paths.user_folder().parent, paths.cache_folder().parent
    around = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(tmp_path / "home"),
              "XDG_DATA_HOME": str(data), "XDG_CACHE_HOME": str(cache)}  # fmt: skip
    return folder, os.environ | around


def run(code, folder, around, where, typed=None):
    argv = ["bash", "-e", "-o", "pipefail", "-c", code]
    if typed is not None:
        argv = ["script", "--quiet", "--return", "--flush", "--command", shlex.join(argv), "/dev/null"]
    done = subprocess.run(
        argv, cwd=folder, env=around, input=f"{typed or ''}\n", capture_output=True, text=True, timeout=300
    )
    if done.returncode == 3:
        pytest.skip(f"{where}: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, f"{where} ended with {done.returncode}:\n{code}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("page", list(cases()))
def test_the_blocks_of_a_page_run_in_order(page, surroundings, needs_link):
    """Long where LONG has the reason."""
    folder, around = surroundings
    output = ""
    for block in shell_blocks.read(page):
        where = f"{page.name}:{block.line}"
        if "file" in block.marks:
            (folder / block.marks["file"]).write_text(block.code)
        if "first" in block.marks:
            run(block.marks["first"], folder, around | {"PYTHONPATH": str(DOCS.parent)}, f"{where}, first")
        if runs_here(block):
            output += run(block.code, folder, around, where, block.marks.get("terminal"))
    CHECKS.get(page.name, lambda folder, output: None)(folder, output)


def test_most_blocks_run_and_the_others_say_why_not(capsys):
    blocks = [(name, block) for name, page in PAGES.items() for block in shell_blocks.read(page) if block.is_shell]
    left_out = [(name, block) for name, block in blocks if "not run" in block.marks]
    share = 1 - len(left_out) / len(blocks)
    with capsys.disabled():
        print(f" {len(blocks) - len(left_out)} of {len(blocks)} shell blocks run ({share:.0%})", end=" ")
    assert share >= LEAST_SHARE, [f"{name}:{block.line}: {block.marks['not run']}" for name, block in left_out]
    assert all(len(block.marks["not run"]) > 7 for _, block in left_out)
    for _, block in blocks:
        assert (DOCS.parent / block.marks.get("run by", "tests")).exists()


def test_the_lists_of_pages_are_true():
    assert set(LONG) | set(CHECKS) <= set(PAGES)
