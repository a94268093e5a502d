"""Several real applications at once over a real link."""

import pandas as pd
import pytest

from mmwemu.apps.download.application import Downloads
from mmwemu.apps.download.record import DownloadRun
from mmwemu.apps.flow.application import Flows
from mmwemu.apps.flow.record import FlowRun
from mmwemu.apps.flow.settings import FlowSettings
from mmwemu.core.errors import InputError
from mmwemu.pattern.convert import constant
from mmwemu.report.mix_figures import plot_mix
from mmwemu.results import store
from mmwemu.study.experiment import run_together
from mmwemu.study.plan import ReplayPlan
from mmwemu.study.planned import Part
from tests.apps import running

pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_link")]


def together(tmp_path, parts, **plan):
    with store.create(store.Experiment("t", [], {}), tmp_path / "r") as writer:
        return run_together([running.saved(tmp_path, constant(20e6, 60))], ReplayPlan(**plan), parts, writer)


def test_a_download_beside_a_flow_gets_what_is_left(tmp_path):
    flow = Flows((FlowSettings("udp", "downlink", 3.0, 1, 12e6),))
    parts = [Part(flow), Part(Downloads((1_200_000,)), 1.0)]
    runs = together(tmp_path, parts, repetitions=2, queue_s=0.05)
    assert [type(run) for run in runs] == [FlowRun, DownloadRun] * 2
    assert [(run.run, run.replay, run.offset_s) for run in runs] == [(1, 1, 0.0), (2, 1, 1.0), (3, 2, 0.0), (4, 2, 1.0)]
    for udp, download in (runs[:2], runs[2:]):
        assert (udp.status, download.status) == ("ok", "ok")
        # 20 Mbit/s less 12 of payload with 28 bytes of headers each 1448 leave 7.8, and TCP never gets all of it.
        assert 3e6 < download.goodput_bps < 7.9e6
        assert udp.lost_packets > 0
    link = pd.read_parquet(tmp_path / "r" / "link.parquet")
    assert set(link["run"]) == {1, 2, 3, 4}
    assert set(pd.read_parquet(tmp_path / "r" / "ping.parquet")["run"]) == {1, 3}
    # The flow has the link for itself for a second: its 12 Mbit/s and ping pass.
    alone = link[(link["run"] == 1) & (link["direction"] == "downlink") & link["time_s"].between(0.5, 0.9)]
    assert alone["delivered_bytes"].sum() * 8 / 0.4 == pytest.approx(12.3e6, rel=0.1)
    frame = store.load(tmp_path / "r")
    assert frame["size_bytes"].isna().tolist() == [True, False, True, False]
    plot_mix(link[link["run"] == 1], runs[:2], tmp_path / "m.png")
    assert (tmp_path / "m.png").stat().st_size > 10_000


def test_a_mix_of_cases_or_without_a_start_is_refused(tmp_path):
    with pytest.raises(InputError, match="download: has several cases"):
        together(tmp_path, [Part(Downloads())])
    with pytest.raises(InputError, match="one has to start at 0"):
        together(tmp_path, [Part(Downloads((1,)), 1.0)])
