"""Real flows of QUIC: ngtcp2's server and client, with ping, over a real link."""

import subprocess
import tempfile
from pathlib import Path

import pandas as pd
import pytest

from mmwemu.apps.flow.application import Flows
from mmwemu.apps.flow.figures import plot_flow
from mmwemu.apps.flow.settings import FlowSettings
from mmwemu.apps.shared.quic import ngtcp2
from mmwemu.core.errors import MissingError
from mmwemu.pattern.convert import constant
from tests.apps import running
from tests.link import as_who
from tests.programs import MMWEMU

pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_link")]


@pytest.fixture(autouse=True)
def _needs_tools():
    try:
        ngtcp2.find()
    except MissingError as error:
        pytest.skip(str(error))


def tables_of(tmp_path):
    return {name: pd.read_parquet(tmp_path / "r" / f"{name}.parquet") for name in ("link", "ping", "quic")}


def test_a_flow_fills_the_link(tmp_path):
    flows = Flows((FlowSettings("quic", "downlink", 2.0),), tcp_interval_s=0.05)
    (run,) = running.run(tmp_path, constant(100e6, 10), flows, delay_s=0.01)
    assert (run.status, run.protocol, run.valid) == ("ok", "quic", True)
    # Of 1472 bytes of a packet some 1415 are payload, and slow start takes 5 round trips.
    assert 85e6 < run.goodput_bps < 97e6
    assert run.duration_s == pytest.approx(2.0, abs=0.05)
    tables = tables_of(tmp_path)
    link = tables["link"].query("direction == 'downlink'")
    # What came is what the link delivered, less headers: no packet was cut wrongly, or sent twice.
    assert run.received_bytes == pytest.approx(link["delivered_bytes"].sum() * 0.96, rel=0.05)
    states = tables["quic"]
    assert set(states["role"]) == {"server"}
    assert set(states["congestion_control"]) == {"cubic"}
    assert len(states) > 20
    assert states["time_s"].is_monotonic_increasing
    assert states["time_s"].between(0, 4).all()
    assert states["cwnd_bytes"].max() == run.cwnd_max_bytes > 250_000
    # Round trips by QUIC are those by ping, on the same clock.
    assert states["rtt_min_s"].iloc[-1] == pytest.approx(run.rtt_min_s, abs=0.003)
    late = states["time_s"].gt(1.0)
    assert states["rtt_s"][late].median() == pytest.approx(run.rtt_median_s, abs=0.015)
    assert run.lost_packets == states["lost_packets"].iloc[-1]
    plot_flow(tables, "downlink", tmp_path / "f.png")
    assert (tmp_path / "f.png").stat().st_size > 10_000


def test_an_outage_is_survived(tmp_path):
    pattern = running.steps([40e6, 0.0, 40e6], [0.0, 1.0, 2.0], outage="drop")
    flow = FlowSettings("quic", "uplink", 5.0, streams=2)
    (run,) = running.run(tmp_path, pattern, Flows((flow,)), delay_s=0.01, congestion_control="reno")
    assert run.status == "ok"
    states = tables_of(tmp_path)["quic"]
    assert states["local"].nunique() == 2
    assert (set(states["role"]), set(states["congestion_control"])) == ({"client"}, {"reno"})
    link = tables_of(tmp_path)["link"].query("direction == 'uplink'")
    during = link["time_s"].between(1.1, 1.9)
    assert link["delivered_bytes"][during].sum() == 0
    # Both connections go on afterwards, and share the link.
    assert link["delivered_bytes"][link["time_s"].between(3.5, 4.5)].sum() * 8 > 20e6
    assert run.goodput_bps > 15e6
    assert run.lost_packets > 0


def test_an_ordinary_user_can_send_too():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        running.saved(folder, constant(20e6, 10))
        argv = [*MMWEMU, "run", "flow", "--pattern", f"{name}/p.csv", "--protocol", "quic", "--streams", 2,
                "--duration-s", 1, "-o", f"{name}/r"]  # fmt: skip
        command = as_who.command("user", list(map(str, argv)), folder)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        (run,) = pd.read_parquet(folder / "r" / "runs.parquet").to_dict("records")
        states = pd.read_parquet(folder / "r" / "quic.parquet")
        assert not list(folder.glob("mmwemu-quic-*"))
    assert 10e6 < run["goodput_bps"] < 20e6
    assert states["local"].nunique() == 2


def test_tcp_and_quic_take_turns(tmp_path):
    flows = Flows(tuple(FlowSettings(protocol, "downlink", 1.0) for protocol in ("tcp", "quic")))
    runs = running.run(tmp_path, constant(20e6, 10), flows, congestion_control="bbr", packets=("parquet",))
    assert [(run.protocol, run.status) for run in runs] == [("tcp", "ok"), ("quic", "ok")]
    states = pd.read_parquet(tmp_path / "r" / "quic.parquet")
    assert (set(states["run"]), set(states["congestion_control"])) == ({2}, {"bbr"})
    assert set(pd.read_parquet(tmp_path / "r" / "tcp.parquet")["run"]) == {1}
    # What the server hands to the kernel at once comes to the link in packets of the wire.
    packets = pd.read_parquet(tmp_path / "r" / "packets" / "00002.parquet")
    assert len(packets) > 1000
    assert 1400 < packets["size_bytes"].max() <= 1500
