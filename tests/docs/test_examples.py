"""The code in the how-tos works as it stands."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbclient import NotebookClient

from mmwemu.pattern import library
from tests.programs import MMWEMU

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"


def run(argv, folder, **variables):
    done = subprocess.run(argv, cwd=folder, env=os.environ | variables, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.link
@pytest.mark.cell
def test_the_code_for_notebooks_runs(tmp_path, needs_link):
    blocks = re.findall(r"```python\n(.*?)```", (HOW_TO / "notebook.md").read_text(), re.DOTALL)
    output = run([sys.executable, "-P", "-c", "\n".join(blocks)], tmp_path)
    assert "True" in output  # the link was valid
    runs = pd.read_parquet(tmp_path / "results/two-links/runs.parquet")
    assert runs["status"].tolist() == ["ok"] * 4
    assert set(runs["pattern"]) == {"measured", "shipped"}


@pytest.mark.link
def test_the_notebook_runs_and_shows_its_figures(tmp_path, needs_link):
    notebook = nbformat.read(HOW_TO / "results.ipynb", as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    assert sum("image/png" in output for output in outputs) == 2
    ratio = next(output["text/plain"] for output in outputs if "ratio" in output.get("text/plain", ""))
    assert "s1-long-nlos.lte" in ratio
    assert pd.read_parquet(tmp_path / "results/notebook/runs.parquet")["status"].tolist() == ["ok"] * 24


def run_page(name, folder, commands):
    """Run the commands of a page and give what they print."""
    blocks = re.findall(r"```console\n(.*?)```", (HOW_TO / name).read_text(), re.DOTALL)
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    assert len(lines) == commands
    # What would stand in PATH; a pipe fails with any of its parts.
    before = f'set -e -o pipefail; mmwemu() {{ {shlex.join(MMWEMU)} "$@"; }}'
    return run(["bash", "-c", "\n".join([before, *lines])], folder)


@pytest.mark.cell
@pytest.mark.long
def test_patterns_are_made_of_traces_as_the_page_says(tmp_path):
    """Long: it simulates four drives."""
    run_page("patterns-from-traces.md", tmp_path, 9)
    steps = {file.stem: len(library.load(str(file)).time_s) for file in tmp_path.glob("*.csv")}
    assert len(steps) == 7
    assert 1 < steps["few-steps"] < steps["mostly-better"] < steps["fading"]


@pytest.mark.link
def test_patterns_are_made_as_the_page_says(tmp_path, needs_link):
    output = run_page("make-patterns.md", tmp_path, 12)
    assert "3 received" in output
    assert output.count(": ok (") == 30
    assert len({file.read_bytes() for file in tmp_path.glob("drive-*.csv")}) == 30


@pytest.mark.apps
def test_the_application_of_a_stranger_is_built_and_run(tmp_path, needs_link):
    text = (HOW_TO / "own-application.md").read_text()
    project, installed = tmp_path / "mmwemu-handshake", tmp_path / "installed"
    project.mkdir()
    for name, content in re.findall(r"^`([\w./-]+)`:\n\n```\w+\n(.*?)```", text, re.DOTALL | re.MULTILINE):
        (project / name).write_text(content)
    assert sorted(path.name for path in project.iterdir()) == ["mmwemu_handshake.py", "pyproject.toml"]
    # Beside mmwemu, not in its environment, which other tests use.
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    run([*pip, "--target", str(installed), str(project)], tmp_path)
    has_it = {"PYTHONPATH": str(installed)}
    assert "time their handshakes" in run([*MMWEMU, "run", "--help"], tmp_path, **has_it)
    asked = ["run", "handshake", "--connections", "3", "--pause-s", "0", "--pattern", "s1-long-nlos.lte", "-n", "2"]
    found = json.loads(run([*MMWEMU, *asked, "--json", "-o", "r"], tmp_path, **has_it))
    (group,) = found["groups"]
    assert group["runs"] == 2
    assert 0.022 <= group["metrics"]["handshake_mean_s"]["mean"] < 0.06
    assert pd.read_parquet(tmp_path / "r/runs.parquet")["connections"].tolist() == [3, 3]
    assert (tmp_path / "r/plots/metrics.png").stat().st_size > 1000


@pytest.mark.apps
def test_a_study_runs_as_the_page_says(tmp_path, needs_link):
    text = (HOW_TO / "studies.md").read_text()
    (study,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    (tmp_path / "study.toml").write_text(study)
    own = {"XDG_STATE_HOME": str(tmp_path / "state")}
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    assert len(lines) == 7
    # A link that was not valid on a busy machine is not what this is about.
    commands = "\n".join(f"{line.partition('#')[0]} || test $? = 4" for line in lines)
    before = f'set -e; mmwemu() {{ {shlex.join(MMWEMU)} "$@"; }}'
    output = run(["bash", "-c", f"{before}\n{commands}"], tmp_path, **own)
    assert "study cc: finished" in output
    whole, both = (pd.read_parquet(tmp_path / "results" / name / "runs.parquet") for name in ("cc", "cc-both"))
    assert sorted(whole["run"]) == sorted(both["run"]) == list(range(1, 13))
    key = ["run", "replay", "application", "pattern", "repetition", "congestion_control", "start_at_s"]
    assert whole.sort_values("run")[key].to_dict("list") == both.sort_values("run")[key].to_dict("list")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert "bbr" in run([sys.executable, "-P", "-c", code], tmp_path, **own)
