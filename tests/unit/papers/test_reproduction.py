"""A paper of one short scenario: cells, patterns, and claims held against both tables."""

from dataclasses import replace

import pytest

from mmwemu.papers.found import Drawing
from mmwemu.papers.reproduction import Reproduction
from mmwemu.papers.variant import Variant
from mmwemu.pattern.formats import native
from mmwemu.scenario.changes import Changes
from tests.kept_results import make_results
from tests.papers import SCENARIO, make_paper

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
    judged = one.judge(one.find())
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
    figures = (
        Drawing("names", "Names", lambda found, path: path.write_text(" ".join(v.name for v in found.variants))),
    )
    paper = replace(
        make_paper(tmp_path, CLAIMS),
        rats=("mmwave",),
        variants=variants,
        sizes_bytes=(500_000, 1_000_000),
        figures=figures,
    )
    one = Reproduction(paper, "quick", tmp_path / "made")
    one.folder.mkdir()
    one.simulate(jobs=1)
    assert [path.stem for path in one.make_patterns()] == ["short.mmwave"]
    traces = sorted(path.name for path in (one.folder / "variants" / "traces").glob("*.parquet"))
    assert traces == [f"short-{name}.mmwave.seed-{seed}.parquet" for name in ("default", "larger") for seed in (1, 2)]
    make_results(one.results, 10e6, 15e6, pattern="short.mmwave", rat="mmwave", size_bytes=1_000_000)

    found = one.find()
    table = found.transfers
    rows = table.groupby(["by", "variant"]).size().to_dict()
    assert rows == {
        ("linux", "default"): 2,
        ("model", "default"): 2,
        ("simulation", "default"): 4,
        ("simulation", "larger"): 4,
    }
    rates = table[table["by"] == "simulation"].groupby(["size_bytes", "variant"])["rate_bps"].mean().unstack()
    assert (rates["larger"] > 1.2 * rates["default"]).all()
    cells = found.table[found.table["state"] == "all"].set_index(["scenario", "variant", "seed"])
    assert set(cells.index) == {("short", name, seed) for name in ("", "default", "larger") for seed in (1, 2)}
    assert cells.loc[("short", "larger", 1), "sum_throughput_bps"] * 1e-3 / 8 == pytest.approx(2_000_000, abs=1)
    assert [len(found.traces(name)) for name in ("", "larger", "proxy")] == [2, 2, 0]
    assert one.draw(found) == [one.folder / "names.png"]
    assert one.figure(paper.figures[0]).read_text() == "default larger proxy"


@pytest.mark.cell
def test_a_variant_may_stand_over_another_scenario_than_the_first(tmp_path):
    plain = make_paper(tmp_path, CLAIMS)
    (tmp_path / "other.toml").write_text(SCENARIO.replace('"short"', '"other"').replace("75, 1, 1", "75, 2, 1"))
    udp = Changes(transport="udp", duration_s=0.2)
    variants = (Variant("here", udp), Variant("there", udp, scenario=str(tmp_path / "other.toml")))
    one = Reproduction(replace(plain, rats=("mmwave",), variants=variants), "quick", tmp_path)
    assert [(cell.scenario, cell.variant, cell.simulation.name) for cell in one.cells][::2] == [
        ("short", "", "short.mmwave.seed-1"),
        ("short", "here", "short-here.mmwave.seed-1"),
        ("other", "there", "other-there.mmwave.seed-1"),
    ]
    assert one.cells[-1].simulation.scenario.route[-1].position_m[1] == 2
    assert Reproduction(replace(plain, scenarios=()), "quick", tmp_path).cells == []
