"""A paper from its simulations to its page, over real links: one of a single short scenario."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from mmwemu.cli import main as cli
from mmwemu.core import figure
from mmwemu.papers import registry
from mmwemu.papers.found import Drawing
from mmwemu.papers.variant import Variant
from tests.papers import make_paper

STUDY = """
format = 1
name = "short"
pattern = ["patterns/short.mmwave.csv", "patterns/short.lte.csv"]
retries = 3
[[run]]
application = "download"
size = "500kB"
repetitions = {}
[[run]]
application = "flow"
pattern = "patterns/short.mmwave.csv"
rate = "20Mbit/s"
duration-s = 1
tcp-interval-s = 0.02
"""
CLAIMS = """
format = 1
[[claim]]
name = "faster"
source = "figure 1"
says = "Small downloads are not <much> faster over 5G than over 4G"
of = "runs"
quantity = "goodput_bps"
where = { rat = "mmwave" }
over = { rat = "lte" }
between = [0.05, 20]
[[claim]]
name = "blocked"
source = "figure 2"
says = "There is never a line of sight"
of = "cells"
quantity = "share"
where = { rat = "mmwave", state = "los" }
at_most = 0
[[claim]]
name = "window"
source = "figure 3"
says = "A flow has more than its first window in flight"
of = "cells"
quantity = "max_cwnd_bytes"
where = { by = "linux", variant = "flow", state = "los-1" }
at_least = 14481
"""


@figure.styled
def draw(found, path):
    """Draw the goodput of each run."""
    drawing, axes = figure.new()
    axes.plot(found.runs["goodput_bps"])
    figure.save(drawing, path)


@pytest.fixture
def mmwemu(capsys, tmp_path, monkeypatch):
    """Give the command line, where ``tiny`` is a registered paper and the state is its own."""
    paper = make_paper(tmp_path, CLAIMS, quick=STUDY.format(2), full=STUDY.format(3))
    paper = replace(paper, variants=(Variant("flow", None, 2),), figures=(Drawing("drawn", "Two <runs>", draw),))
    monkeypatch.setattr(registry, "load", lambda name: paper)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def call(*argv):
        with pytest.raises(SystemExit) as caught:
            cli.main([str(arg) for arg in argv])
        return caught.value.code, *capsys.readouterr()

    return call


@pytest.mark.apps
@pytest.mark.cell
def test_a_paper_in_one_command_which_repeats_nothing(mmwemu, tmp_path, needs_link):
    code, out, err = mmwemu("reproduce", "tiny", "--jobs", "1")
    assert code == 0, err
    assert "the study takes about" in err
    assert "faster   0.05 to 20 times" in out
    assert "2 found, 1 differ, 0 cannot be judged" in out
    folder = tmp_path / "results/tiny-quick"
    assert f"figure: {folder}/drawn.png" in out
    page = (folder / "report.html").read_text()
    assert "&lt;much&gt;" in page or "\\u003cmuch\\u003e" in page
    assert "Tiny 2026, figure 1" in page
    assert 'src="data:image/png;base64,iVBOR' in page and 'alt="Two &lt;runs&gt;"' in page
    runs = pd.read_parquet(folder / "results/runs.parquet")
    assert sorted(set(runs["pattern"])) == ["short.lte", "short.mmwave"]

    kept = {path: path.stat().st_mtime_ns for path in folder.rglob("*.parquet") if path.parent.name != "cells"}
    code, out, _ = mmwemu("reproduce", "tiny", "--json")
    claims = {one["claim"]["name"]: one["verdict"] for one in json.loads(out)["claims"]}
    assert claims == {"faster": "found", "blocked": "differs", "window": "found"}
    assert {path: path.stat().st_mtime_ns for path in kept} == kept

    code, _, err = mmwemu("reproduce", "tiny", "--full", "-o", folder)
    assert code == 2
    assert "study.toml: is not the paper's full study; choose another folder" in err
