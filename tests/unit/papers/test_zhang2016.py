"""The paper of buffers and outages: its studies, and its figures from traces."""

import numpy as np
import pandas as pd
import pytest

from mmwemu.cli import study_file
from mmwemu.core.text import read_text
from mmwemu.papers import registry
from mmwemu.papers.claims import read_claims
from mmwemu.papers.found import Found
from tests.unit.papers.test_course import trace_of

PAPER = registry.load("zhang2016")
STAND_INS = dict(zip(PAPER.scenarios, ("s1-long-nlos", "s2-crossings", "s3-people-and-trees"), strict=True))


@pytest.mark.parametrize("extent", ["quick", "full"])
def test_each_experiment_of_a_study_is_one_variant_over_its_scenario(extent):
    file = PAPER.study(extent)
    text = read_text(file)
    for scenario, stand_in in STAND_INS.items():
        text = text.replace(f"patterns/{scenario}.mmwave.csv", f"{stand_in}.mmwave")
    study = study_file.read(text, str(file))
    numbers = {one.experiment: one for one in PAPER.variants if one.experiment is not None}
    assert sorted(numbers) == list(range(1, len(study.experiments) + 1))
    for number, experiment in enumerate(study.experiments, 1):
        plan, variant = experiment.plan, numbers[number]
        (pattern,) = experiment.patterns
        assert str(pattern) == f"{STAND_INS[variant.scenario]}.mmwave"
        control = variant.name.split("-")[1]
        assert plan.congestion_control == {"newreno": "reno", "udp": "cubic"}.get(control, control)
        assert (plan.queue_bytes, plan.delay_s) == (3_000_000 if "3MB" in variant.name else 10_000_000, 0.02)


def test_claims_are_about_variants_that_there_are():
    names = {variant.name for variant in PAPER.variants}
    for claim in read_claims(PAPER.claims):
        for where in (claim.where, claim.over, claim.each):
            assert set(where.get("variant", ())) <= names


class Stored:
    """A cell whose trace is at hand."""

    def __init__(self, scenario, variant):
        self.scenario, self.variant = scenario, variant

    def load(self):
        curve = np.linspace(0.01, 1, 100)
        return trace_of([1e9] * 100, los=[1] * 50 + [0] * 50, cwnd_bytes=1e6 * curve, rtt_s=curve)


@pytest.mark.parametrize("drawing", PAPER.figures, ids=lambda drawing: drawing.name)
def test_each_scenario_has_a_figure_of_its_variants(drawing, tmp_path):
    cells = [Stored(scenario, "") for scenario in PAPER.scenarios]
    cells += [Stored(one.scenario, one.name) for one in PAPER.variants if one.changes is not None]
    flows = [({"variant": one.name}, cells[0].load()) for one in PAPER.variants if one.experiment is not None]
    nothing = pd.DataFrame()
    drawing.draw(Found(tmp_path, PAPER.variants, cells, flows, nothing, nothing, nothing), tmp_path / "figure.svg")
    text = (tmp_path / "figure.svg").read_text()
    for variant in PAPER.variants:
        own, label = variant.name.split("-", 1)
        assert (f"<!-- {label} -->" in text) == (own == drawing.name and variant.drawn) or own != drawing.name
    assert "<!-- simulated -->" in text and "<!-- Linux over the emulated link -->" in text
