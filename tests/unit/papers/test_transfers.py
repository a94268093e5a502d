"""The table of transfers: closed form, first bytes of one simulated file, downloads of a study."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mmwemu.cli import study_file
from mmwemu.core.errors import InputError
from mmwemu.core.text import read_text
from mmwemu.papers import registry, transfers
from mmwemu.papers.found import Found
from mmwemu.papers.judge import judge
from mmwemu.papers.krasilov2019.draw import plot_transfers
from mmwemu.papers.variant import Variant
from mmwemu.scenario import read
from mmwemu.simulate.fake import FakeEngine
from tests.unit.papers.test_judge import claim

PATH = transfers.Path(1e9, 0.04)
VARIANTS = (Variant("default", None, 1, "kernel"), Variant("proxy"), Variant("paced", None, 3, "bdp"))


def trace_of(rates_bps):
    whole = FakeEngine().simulate(read.load("s1-long-nlos"), "mmwave", 4)
    rates = np.zeros(len(whole.time_s))
    rates[: len(rates_bps)] = rates_bps
    return replace(whole, throughput_bps=rates)


def test_the_model_begins_as_the_variant_does():
    rows = list(transfers.of_model(PATH, VARIANTS, [1_000_000, 100_000_000]))
    assert [row["variant"] for row in rows] == ["default"] * 2 + ["paced"] * 2
    assert [row["rate_bps"] for row in rows[2:]] == pytest.approx([1e9, 1e9], rel=1e-6)
    assert rows[0]["rate_bps"] < 0.1e9 < 0.7e9 < rows[1]["rate_bps"] < 1e9


def test_a_file_is_the_first_bytes_of_a_larger_one():
    # Bins of 1 ms: nothing for 3 ms, then 1000 bytes in each.
    trace = trace_of([0.0] * 3 + [8e6] * 10)
    rows = list(transfers.of_trace("default", trace, 0.001, [500, 4000, 10_000, 10_500]))
    assert [row["size_bytes"] for row in rows] == [500, 4000, 10_000]
    assert [row["rate_bps"] for row in rows] == pytest.approx([8e6] * 3)
    assert [row["goodput_bps"] for row in rows] == pytest.approx([500 * 8 / 0.0025, 4000 * 8 / 0.006, 80e3 / 0.012])
    assert {row["repetition"] for row in rows} == {4}
    with pytest.raises(InputError, match="default: the simulated transfer: brought nothing"):
        list(transfers.of_trace("default", trace_of([]), 0.0, [500]))


def runs():
    return pd.DataFrame({
        "experiment": [1, 2, 3, 3], "size_bytes": 1_000_000, "repetition": [1, 1, 1, 2],
        "status": ["ok", "ok", "ok", "timeout"],
        "duration_s": [0.15, 1.0, 0.06, 9.0], "delay_s": 0.0125, "goodput_bps": [1e6, 2e6, 3e6, 4e6],
        "valid": [True, True, False, True], "cpu_bound": False,
    })  # fmt: skip


def test_downloads_belong_to_the_variant_of_their_experiment():
    table = transfers.table_of(list(transfers.of_runs(VARIANTS, runs())))
    assert list(table["variant"]) == ["default", "paced", "paced"]
    assert table["rate_bps"].dropna().tolist() == pytest.approx([80e6, 800e6])
    assert table["goodput_bps"].dropna().tolist() == [1e6, 3e6]


def test_claims_leave_out_what_was_not_valid_and_cannot_judge_what_nobody_sent():
    table = transfers.table_of(list(transfers.of_runs(VARIANTS, runs())))
    asked = claim(of="transfers", quantity="rate_bps", where={"variant": ("paced",)}, low=1.0, high=1e12)
    proxy = claim(of="transfers", quantity="rate_bps", where={"variant": ("proxy",)}, low=1.0, high=1e12)
    found = judge([asked, proxy], {"runs": table, "cells": table, "transfers": table})
    assert [one.verdict for one in found] == ["cannot be judged"] * 2
    assert found[0].why == "1 of 2 runs failed or had a link that was not valid"


def test_the_figure_has_the_variants_that_are_drawn(tmp_path):
    rows = [*transfers.of_model(PATH, VARIANTS, [10**6, 10**7]), *transfers.of_runs(VARIANTS, runs())]
    variants = [replace(one, drawn=one.name != "proxy") for one in VARIANTS]
    plot_transfers(Found(tmp_path, variants, [], [], runs(), runs(), transfers.table_of(rows)), tmp_path / "t.svg")
    text = (tmp_path / "t.svg").read_text()
    assert text.count("<!-- default -->") == text.count("<!-- paced -->") == 1
    assert "<!-- Linux -->" in text and "<!-- model -->" in text and "<!-- simulation -->" not in text


def test_each_experiment_of_a_study_is_one_variant():
    paper = registry.load("krasilov2019")
    for extent in ("quick", "full"):
        file = paper.study(extent)
        text = read_text(file).replace("patterns/krasilov-quarter.mmwave.csv", "s1-long-nlos.mmwave")
        study = study_file.read(text, str(file))
        numbers = [variant.experiment for variant in paper.variants if variant.experiment is not None]
        assert numbers == list(range(1, len(study.experiments) + 1))
        plans = [experiment.plan for experiment in study.experiments]
        assert [plan.pacing for plan in plans].count("bdp") == 1 and plans[numbers[3] - 1].pacing == "bdp"
