"""The Python and the projects in the how-tos work as they stand; test_shell_blocks runs commands."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbclient import NotebookClient

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
