"""Chen et al. 2020: its studies and claims fit each other, and its figures show what was run."""

import math

import pandas as pd
import pytest

from mmwemu.cli import study_file
from mmwemu.core.text import read_text
from mmwemu.model.lossy import LossyPath, reno_bps
from mmwemu.papers import registry
from mmwemu.papers.chen2020.patterns import AT_ONCE, LOSSES
from mmwemu.papers.reproduction import Reproduction
from mmwemu.pattern import measures
from mmwemu.results import store
from mmwemu.study.planned import PlannedReplay
from tests.unit.apps.flow.test_summary import flow

PAPER = registry.load("chen2020")
TELEMETRY = pd.DataFrame({
    "link": 1, "direction": "downlink", "time_s": [i / 100 for i in range(200)], "delivered_bytes": 1_250_000,
    "capacity_bytes": 1_250_000, "queue_bytes": 0,
})  # fmt: skip


def reproduction(folder, extent, monkeypatch):
    """Give a reproduction whose study has what Reno's closed form says in place of measured flows."""
    one = Reproduction(PAPER, extent, folder)
    one.begin()
    one.simulate(jobs=1)
    one.make_patterns()
    monkeypatch.chdir(folder)
    study = study_file.read(read_text(one.study), str(one.study))
    with store.create(store.Experiment("study", [], {}), one.results) as writer:
        for replay in study.replays:
            if extent == "full" and replay.repetition > 1:
                continue
            for number in replay.runs:
                writer.add(run_of(replay, number), TELEMETRY)
    return one


def run_of(replay: PlannedReplay, number: int):
    case, plan, pattern = replay.case[0], replay.plan, replay.pattern.pattern
    wired = LossyPath(2 * replay.settings.delay_s, plan.core_loss)
    rtt_s, loss = 0.0, 0.0
    if case.subpath != "access":
        rtt_s, loss = float(wired.rtt_s), float(wired.loss)
    if case.subpath != "core":
        rtt_s += float(pattern.downlink.delay_s[0] + pattern.uplink.delay_s[0])
        loss = 1 - (1 - loss) * (1 - float(pattern.downlink.loss[0]))
    rates_bps = pattern.downlink.rate_bps
    if replay.settings.start_at_s:  # behind the iron plate, or after it
        rate_bps = 0.965 * float(rates_bps.min() if case.warm_up_s < 4 else rates_bps.max())
    else:
        rate_bps = 0.965 * measures.mean_rate_bps(pattern, rates_bps)
    if plan.edge_proxy:
        loss = plan.core_loss
    goodput_bps = min(rate_bps, float(reno_bps(LossyPath(rtt_s, loss))) if loss else math.inf)
    return flow(
        number, link=replay.settings.profile(), experiment=replay.experiment_number, pattern=replay.pattern.name,
        congestion_control=plan.congestion_control, core_loss=plan.core_loss, edge=True, direction="downlink",
        start_at_s=replay.settings.start_at_s, repetition=replay.repetition, goodput_bps=goodput_bps,
        subpath=case.subpath, warm_up_s=case.warm_up_s, edge_proxy=plan.edge_proxy or "",
    )  # fmt: skip


@pytest.mark.parametrize("extent", ["quick", "full"])
def test_every_claim_is_about_flows_of_the_study_and_every_figure_is_drawn(tmp_path, monkeypatch, extent):
    one = reproduction(tmp_path / "made", extent, monkeypatch)
    found = one.find()
    judged = {each.claim.name: each for each in one.judge(found)}
    assert all(finding.estimate.n for each in judged.values() for finding in each.findings)
    # Where loss is that of packets, a closed form has neither the paper's rates nor its ratios of 30 and more.
    assert judged["wired-part"].verdict == judged["whole-way"].verdict == "differs"
    assert judged["steep-fall"].verdict == judged["loss-hurts"].verdict == judged["short-loop"].verdict == "found"
    for path in one.draw(found):
        assert path.stat().st_size > 10_000


def test_loss_is_that_of_the_way_to_the_client_and_delay_that_of_both():
    made = PAPER.patterns("full")
    for name, loss in (LOSSES | {AT_ONCE: 0.01 / 45}).items():
        down, up = made[name].downlink, made[name].uplink
        assert (down.loss[0], up.loss[0]) == (pytest.approx(loss), 0)
        assert down.delay_s[0] + up.delay_s[0] == pytest.approx(0.001)
        assert down.rate_bps[0] == 2.5e9
    assert list(made["iron-plate"].time_s) == [0, 7, 9, 15, 17]
    assert made["iron-plate"].downlink.rate_bps[1] == pytest.approx(0.2 * 2.5e9)
