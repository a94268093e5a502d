"""Real flows: iperf3 and ping over a real link."""

from typing import get_args

import pandas as pd
import pytest

from mmwemu.apps.flow.application import Flows
from mmwemu.apps.flow.client import find_iperf3
from mmwemu.apps.flow.figures import plot_flow
from mmwemu.apps.flow.settings import FlowSettings
from mmwemu.apps.flow.subpath import Subpath
from mmwemu.core.errors import MissingError
from mmwemu.model.lossy import LossyPath, reno_bps
from mmwemu.pattern.algebra import effects
from mmwemu.pattern.convert import constant
from mmwemu.probe.ping import find_ping
from tests.apps import running

pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_link")]


@pytest.fixture(autouse=True)
def _needs_tools():
    try:
        find_iperf3()
        find_ping()
    except MissingError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("direction", ["downlink", "uplink"])
def test_tcp_fills_the_link_and_its_queue(tmp_path, direction):
    flow = FlowSettings("tcp", direction, 3.0)
    (run,) = running.run(tmp_path, constant(20e6, 10), Flows((flow,)), queue_bytes=150_000, delay_s=0.01)
    assert run.status == "ok"
    assert 16e6 < run.goodput_bps < 20e6
    assert 0.020 <= run.rtt_min_s < 0.030
    # A full queue of 150 kB at 20 Mbit/s takes 60 ms.
    assert 0.035 < run.rtt_p95_s < 0.100
    assert run.retransmissions > 0
    tables = {name: pd.read_parquet(tmp_path / "r" / f"{name}.parquet") for name in ("link", "ping", "tcp")}
    assert run.pings == len(tables["ping"]) > 120
    sender = tables["tcp"][tables["tcp"]["role"] == ("server" if direction == "downlink" else "client")]
    flow = sender[sender["acked_bytes"] > 64_000]
    assert len(flow) > 25
    assert set(flow["congestion_control"]) == {"cubic"}
    # What TCP thinks of the path agrees with what ping and iperf3 saw, on the same clock.
    assert 0.020 <= flow["rtt_min_s"].iloc[-1] < 0.035
    assert abs(flow["rtt_s"].quantile(0.95) - run.rtt_p95_s) < 0.02
    assert flow["retransmissions"].max() == pytest.approx(run.retransmissions, rel=0.1, abs=5)
    assert flow["ssthresh_bytes"].iloc[-1] > 0
    assert flow["time_s"].between(0, 7).all()
    acked_bytes = tables["link"].query("direction == @direction").set_index("time_s")["delivered_bytes"].cumsum()
    at_s = flow["time_s"].iloc[20]
    assert flow["acked_bytes"].iloc[20] == pytest.approx(acked_bytes[:at_s].iloc[-1] * 1448 / 1500, rel=0.1)
    plot_flow(tables, direction, tmp_path / "f.png")
    assert (tmp_path / "f.png").stat().st_size > 10_000


def test_udp_beyond_the_rate_is_lost(tmp_path):
    (run,) = running.run(
        tmp_path, constant(10e6, 10), Flows((FlowSettings("udp", "downlink", 3.0, 1, 14e6),)), queue_bytes=30_000
    )
    assert run.status == "ok"
    assert 8.5e6 < run.goodput_bps < 10e6
    assert run.lost_packets > 500


def test_pings_in_an_outage_are_lost(tmp_path):
    pattern = running.steps([20e6, 0.0, 20e6], [0.0, 1.0, 2.0], outage="drop")
    (run,) = running.run(tmp_path, pattern, Flows((FlowSettings("udp", "downlink", 3.0, 1, 1e6),)))
    assert 35 <= run.pings_lost <= 60


def test_codel_keeps_the_delay_short_under_load(tmp_path):
    flow = FlowSettings("tcp", "downlink", 4.0)
    (run,) = running.run(tmp_path, constant(20e6, 10), Flows((flow,)), queue_s=0.3, aqm="codel", delay_s=0.01)
    assert 15e6 < run.goodput_bps < 20e6
    # A queue of 300 ms filled to its end would show; CoDel's target is 5 ms.
    assert run.rtt_median_s < 0.060
    assert run.dropped_aqm_bytes > 0
    assert (run.link["aqm"], run.link["queue_s"]) == ("codel", 0.3)


def test_each_run_has_the_congestion_control_of_its_variation(tmp_path):
    flow = Flows((FlowSettings("tcp", "downlink", 1.0),))
    runs = running.run(
        tmp_path, constant(20e6, 10), flow, vary={"congestion_control": ("reno", "cubic")}, repetitions=2
    )
    assert [run.congestion_control for run in runs] == ["reno", "cubic"] * 2
    tcp = pd.read_parquet(tmp_path / "r" / "tcp.parquet")
    sent = tcp[(tcp["role"] == "server") & (tcp["acked_bytes"] > 64_000)]
    assert sent.groupby("run")["congestion_control"].unique().map(list).to_dict() == {
        1: ["reno"], 2: ["cubic"], 3: ["reno"], 4: ["cubic"],
    }  # fmt: skip


def test_reno_over_lossy_subpaths_keeps_to_the_closed_form(tmp_path):
    """Loss is that of packets, not of the super-packets in which the kernel hands them over: up to 45 times less."""
    pattern = effects.loss(effects.delay(constant(500e6, 10), 0.001), 0.01, "downlink")
    flows = Flows(tuple(FlowSettings(duration_s=3.0, warm_up_s=1.0, subpath=one) for one in get_args(Subpath)))
    plan = {"edge": True, "core_loss": 0.001, "delay_s": 0.01, "congestion_control": "reno"}
    runs = {run.subpath: run for run in running.run(tmp_path, pattern, flows, **plan)}
    expected = {"whole": (0.022, 0.011), "access": (0.002, 0.01), "core": (0.02, 0.001)}
    for subpath, (rtt_s, loss) in expected.items():
        run = runs[subpath]
        assert (run.status, run.warm_up_s) == ("ok", 1.0)
        assert rtt_s <= run.rtt_min_s < rtt_s + 0.005
        assert 2.5 < run.duration_s < 3.5
        model_bps = float(reno_bps(LossyPath(rtt_s, loss)))
        assert model_bps / 2 < run.goodput_bps < 2 * model_bps, subpath
        assert loss / 3 < run.retransmissions * 1448 / run.received_bytes < 3 * loss, subpath
    tcp = pd.read_parquet(tmp_path / "r" / "tcp.parquet").query("acked_bytes > 64_000")
    roles = {subpath: set(tcp.loc[tcp["run"] == run.run, "role"]) for subpath, run in runs.items()}
    assert roles == {"whole": {"server"}, "access": {"edge"}, "core": {"server"}}
