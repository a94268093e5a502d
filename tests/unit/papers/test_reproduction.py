"""A paper of one short scenario: cells, patterns, and claims held against both tables."""

from dataclasses import replace

import pytest

from mmwemu.papers.paper import Variant
from mmwemu.papers.reproduction import Reproduction
from mmwemu.pattern.formats import native
from mmwemu.scenario.changes import Changes
from tests.kept_results import make_results
from tests.papers import make_paper

CLAIMS = """
format = 1
[[claim]]
name = "los"
source = "figure 1"
says = "It is always in line of sight"
of = "cells"
quantity = "share"
where = { rat = "mmwave", state = "los" }
at_least = 1
[[claim]]
name = "slow"
source = "figure 2"
says = "Downloads over 4G stay below 20 Mbit/s"
of = "runs"
quantity = "goodput_bps"
where = { scenario = "short", rat = "lte" }
at_most = 20e6
[[claim]]
name = "ratio"
source = "figure 2"
says = "5G is faster"
of = "runs"
quantity = "goodput_bps"
where = { rat = "mmwave" }
over = { rat = "lte" }
at_least = 1
"""


@pytest.mark.cell
def test_cells_become_patterns_once_and_claims_are_held_against_cells_and_runs(tmp_path):
    paper = make_paper(tmp_path, CLAIMS)
    folder = tmp_path / "made"
    folder.mkdir()
    one = Reproduction(paper, "quick", folder)
    one.simulate(jobs=1)
    patterns = one.make_patterns()
    assert [path.stem for path in patterns] == ["short.mmwave", "short.lte"]
    assert [native.load(path).meta["seed"] for path in patterns] == [1, 1]
    made_at = patterns[0].stat().st_mtime_ns
    assert one.make_patterns() == patterns
    assert patterns[0].stat().st_mtime_ns == made_at

    make_results(one.results, 10e6, 15e6, 12e6, pattern="short.lte", rat="lte")
    judged = one.judge()
    assert [found.verdict for found in judged] == ["found", "found", "cannot be judged"]
    assert judged[0].findings[0].estimate.n == 2
    assert judged[2].why == "was not measured: --full does"


@pytest.mark.cell
def test_variants_of_sending_are_simulated_once_and_stand_beside_the_model_and_the_runs(tmp_path):
    sent = Changes(transport="tcp", file_bytes=2_000_000, duration_s=0.6)
    variants = (
        Variant("default", sent, 1, "kernel"),
        Variant("larger", replace(sent, initial_window=40)),
        Variant("proxy"),
    )
    paper = replace(make_paper(tmp_path, CLAIMS), rats=("mmwave",), variants=variants, sizes_bytes=(500_000, 1_000_000))
    one = Reproduction(paper, "quick", tmp_path / "made")
    one.folder.mkdir()
    one.simulate(jobs=1)
    assert [path.stem for path in one.make_patterns()] == ["short.mmwave"]
    traces = sorted(path.name for path in (one.folder / "transfers" / "traces").glob("*.parquet"))
    assert traces == [f"short-{name}.mmwave.seed-{seed}.parquet" for name in ("default", "larger") for seed in (1, 2)]
    make_results(one.results, 10e6, 15e6, pattern="short.mmwave", rat="mmwave", size_bytes=1_000_000)

    table = one.table_of_transfers()
    rows = table.groupby(["by", "variant"]).size().to_dict()
    assert rows == {
        ("linux", "default"): 2,
        ("model", "default"): 2,
        ("simulation", "default"): 4,
        ("simulation", "larger"): 4,
    }
    rates = table[table["by"] == "simulation"].groupby(["size_bytes", "variant"])["rate_bps"].mean().unstack()
    assert (rates["larger"] > 1.2 * rates["default"]).all()
    one.draw_transfers()
    assert one.figure.stat().st_size > 10_000
