"""A paper of one short scenario: cells, patterns, and claims held against both tables."""

import pytest

from mmwemu.papers.reproduction import Reproduction
from mmwemu.pattern.formats import native
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
