"""The paper of milliProxy: its studies, its claims, and the figure of its table."""

from pathlib import Path

import pandas as pd
import pytest

from mmwemu.cli import study_file
from mmwemu.core.text import read_text
from mmwemu.papers import registry
from mmwemu.papers.claims import read_claims
from mmwemu.papers.found import Found
from mmwemu.papers.judge import judge
from mmwemu.papers.polese2017.cases import CASES, QUICK, SLOWER
from mmwemu.papers.reproduction import Reproduction

PAPER = registry.load("polese2017")


@pytest.mark.parametrize(("extent", "count"), [("quick", QUICK), ("full", len(CASES))])
def test_each_experiment_of_a_study_is_the_case_of_its_number(extent, count):
    file = PAPER.study(extent)
    study = study_file.read(
        read_text(file).replace("patterns/polese-quarter.mmwave.csv", "s1-long-nlos.mmwave"), str(file)
    )
    assert len(study.experiments) == count
    for case, experiment in zip(CASES, study.experiments, strict=False):
        plan = experiment.plan
        assert plan.delay_s == pytest.approx(SLOWER * case.fixed_ms / 1000)
        assert plan.queue_bytes == case.buffer_bytes
        assert plan.congestion_control == {"newreno": "reno"}.get(case.sender, case.sender)
        assert plan.edge_proxy == ("milliproxy" if case.has_proxy else None)
        assert plan.edge and plan.milliproxy_information_s == pytest.approx(SLOWER * 0.001)


def test_all_cases_of_the_paper_are_simulated_and_in_quick_those_at_the_ends():
    of = {extent: Reproduction(PAPER, extent, Path("nowhere")) for extent in ("quick", "full")}
    names = {extent: {cell.variant for cell in one.cells if cell.variant} for extent, one in of.items()}
    newreno = [case for case in CASES if case.sender == "newreno"]
    without_sack = "newreno-no-sack-21ms-10MB"
    assert names["full"] == {without_sack, *(case.name for case in newreno)} and len(newreno) == 16
    assert names["quick"] == {without_sack, *(case.name for case in newreno if case.fixed_ms in (2, 21))}
    for cell in of["quick"].cells:
        if cell.variant == without_sack:
            assert not cell.simulation.scenario.traffic.tcp.sack
        elif cell.variant:
            case = next(one for one in CASES if one.name == cell.variant)
            scenario = cell.simulation.scenario
            assert scenario.core.delay_s == case.fixed_ms / 1000
            assert scenario.mmwave.rlc_buffer_bytes == case.buffer_bytes
            assert (scenario.traffic.tcp.proxy.kind == "milliproxy") == case.has_proxy


def table():
    """Return a table in which each case has the paper's figures at 10 MB."""
    rows = [
        {
            "by": by, "variant": case.name, "state": "all", "scenario": "polese-random", "seed": 1,
            "valid": True, "status": "ok", "cpu_bound": False,
            "ran_delay_s": 0.001 if case.has_proxy else 0.0118, "throughput_bps": 1e9 if case.has_proxy else 0.84e9,
        }
        for by in ("simulation", "linux")
        for case in CASES
        if by == "linux" or case.sender == "newreno"
    ]  # fmt: skip
    without_sack = {**rows[0], "variant": "newreno-no-sack-21ms-10MB", "throughput_bps": 0.5e9}
    return pd.DataFrame([*rows, without_sack])


def test_claims_are_about_cases_that_there_are_and_found_where_the_figures_agree():
    nothing = pd.DataFrame()
    judged = judge(read_claims(PAPER.claims), {"cells": table(), "runs": nothing, "transfers": nothing})
    assert all(finding.estimate.n for one in judged for finding in one.findings)
    verdicts = {one.claim.name: one.verdict for one in judged}
    assert verdicts["latency-2ms-10MB"] == verdicts["goodput-2ms-10MB"] == "found"
    assert verdicts["goodput-21ms-10MB-no-sack"] == "found"
    assert verdicts["latency-21ms-10MB"] == verdicts["goodput-21ms-10MB"] == "differs"


def test_the_figure_shows_each_case_that_was_found(tmp_path):
    drawing, nothing = PAPER.figures[0], pd.DataFrame()
    found = Found(tmp_path, PAPER.variants, (), (), nothing, table(), nothing)
    drawing.draw(found, tmp_path / "figure.svg")
    text = (tmp_path / "figure.svg").read_text()
    assert all(words in text for words in ("RLC buffer of 20 MB", "milliProxy", "BBR of Linux", "fixed latency [ms]"))
