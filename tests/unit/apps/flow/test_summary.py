import pytest

from mmwemu.apps.flow import summary as flows
from mmwemu.apps.flow.record import FlowRun
from mmwemu.report.summary import Results
from mmwemu.results.store import to_frame
from tests.records import common


def flow(number, **changes):
    own = {
        "application": "flow", "protocol": "tcp", "direction": "uplink", "streams": 1, "offered_bps": None,
        "subpath": "whole", "warm_up_s": 0.0,
        "received_bytes": 1, "goodput_bps": 12.34e6, "retransmissions": 7, "cwnd_max_bytes": 1, "tcp_rtt_mean_s": 0.1,
        "lost_packets": None, "jitter_s": None, "pings": 1, "pings_lost": 0, "rtt_min_s": 0.0221,
        "rtt_median_s": 0.0332, "rtt_p95_s": 0.0443, "rtt_max_s": 0.1,
    }  # fmt: skip
    return FlowRun(**common(number, **(own | changes)))


@pytest.fixture
def summed_up(monkeypatch, tmp_path):
    """Give a function that returns the table of some flows, and the figures that would be drawn."""

    def summed(*runs):
        drawn = []
        monkeypatch.setattr(flows, "plot_flow", lambda *arguments: drawn.append(arguments))
        (table,) = flows.summarize(Results(to_frame(runs), lambda number: {"of": number}), tmp_path).tables
        return table, drawn

    return summed


def test_a_row_has_rates_in_mbit_and_round_trips_in_ms(summed_up):
    table, _ = summed_up(flow(1), flow(2, start_at_s=2.5, valid=False, status="timeout", goodput_bps=None))
    assert tuple(table.header) == (
        "pattern", "protocol", "subpath", "from", "goodput [Mbit/s]", "RTT least [ms]", "median", "95 %",
        "resent or lost", "",
    )  # fmt: skip
    assert table.rows == [
        ("p", "tcp", "whole", "0 s", "12.3", "22.1", "33.2", "44.3", "7", "ok"),
        ("p", "tcp", "whole", "2.5 s", "-", "22.1", "33.2", "44.3", "7", "timeout, not valid"),
    ]
    assert tuple(table.right) == tuple(range(3, 9))


def test_tcp_resends_and_udp_loses(summed_up):
    udp = {"protocol": "udp", "retransmissions": None, "lost_packets": 3, "rtt_min_s": None}
    table, _ = summed_up(flow(1, lost_packets=99), flow(2, **udp))
    assert [row[8] for row in table.rows] == ["7", "3"]
    assert [row[5] for row in table.rows] == ["22.1", "-"]


def test_each_run_has_a_figure_of_its_direction(summed_up, tmp_path):
    _, drawn = summed_up(
        flow(4), flow(5, direction="downlink", protocol="udp", congestion_control="bbr"), flow(6, subpath="core")
    )
    assert drawn == [
        ({"of": 4}, "uplink", tmp_path / "flow-4.png", "p: TCP uplink, cubic", 1),
        ({"of": 5}, "downlink", tmp_path / "flow-5.png", "p: UDP downlink, bbr", 1),
        ({"of": 6}, "uplink", tmp_path / "flow-6.png", "p: TCP uplink, cubic, core alone", 0),
    ]
