import time
from types import SimpleNamespace

import pytest

from mmwemu.apps.flow import quic
from mmwemu.apps.flow.application import Flows
from mmwemu.apps.flow.settings import FlowSettings
from mmwemu.apps.shared.quic.arrival import Arrived
from mmwemu.apps.shared.quic.transfers import Asked, Transfers
from mmwemu.core.errors import InputError
from mmwemu.pattern.convert import constant
from mmwemu.pattern.formats import native
from mmwemu.study.plan import ReplayPlan
from mmwemu.study.planned import Part, PlannedExperiment, planned_replays


class Client:
    """A client that ends after a number of looks."""

    def __init__(self, looks=10**9):
        self.looks = looks

    def poll(self):
        self.looks -= 1
        return 1 if self.looks < 0 else None


def transfer(received, cwnds=(), lost=0, client=None):
    """Make a transfer as it is after a while."""
    return SimpleNamespace(
        client=client or Client(), arrival=SimpleNamespace(received_bytes=received),
        states=[SimpleNamespace(cwnd_bytes=cwnd) for cwnd in cwnds], log=SimpleNamespace(lost_packets=lost),
        read_log=lambda: None, why_ended=lambda: "the connection ended: for the test",
    )  # fmt: skip


def arrived(received, first_s, latest_s):
    return SimpleNamespace(arrived=Arrived(received, first_s, latest_s))


def test_a_flow_has_what_came_in_its_time_and_the_largest_window_of_its_largest_stream():
    each = [transfer(100, [9e5, 3e5], 4), transfer(900, [1e5, 7e5, 5e5], 1)]
    done = quic.receive(Transfers(each, arrived(1000, 5.0, 7.0)), FlowSettings("quic", duration_s=2.0), 0.1)
    assert (done.status, done.duration_s, done.received_bytes, done.goodput_bps) == ("ok", 2.0, 1000, 4000.0)
    assert (done.cwnd_max_bytes, done.lost_packets) == (700_000, 5)
    assert (done.retransmissions, done.tcp_rtt_mean_s, done.jitter_s) == (None, None, None)


def test_what_comes_and_is_lost_in_the_warm_up_does_not_count():
    moments = iter([Arrived(400, 5.0, 6.5), Arrived(500, 5.0, 7.0), Arrived(900, 5.0, 9.0)])

    class Counter:
        arrived = Arrived(0, None, 5.0)

    counter, one = Counter(), transfer(900)

    def read_log():
        counter.arrived = next(moments, counter.arrived)
        one.log.lost_packets += 1

    one.read_log = read_log
    done = quic.receive(Transfers([one], counter), FlowSettings("quic", duration_s=2.0, warm_up_s=2.0), 0.0)
    assert (done.status, done.duration_s, done.received_bytes) == ("ok", 2.0, 400)
    assert done.lost_packets < one.log.lost_packets


def test_a_client_that_ends_is_a_failed_flow():
    transfers = Transfers([transfer(0, client=Client(0))], arrived(7, 5.0, 6.0))
    done = quic.receive(transfers, FlowSettings("quic", duration_s=2.0), 0.1)
    assert (done.status, done.error) == ("failed", "the connection ended: for the test")
    assert (done.received_bytes, done.goodput_bps, done.duration_s) == (7, None, 1.0)


def test_a_flow_of_which_nothing_comes_is_a_timeout(monkeypatch):
    monkeypatch.setattr(quic, "GRACE_S", -0.95)
    begin_s = time.monotonic()
    done = quic.receive(Transfers([transfer(0)], arrived(0, None, 1.0)), FlowSettings("quic", duration_s=1.0), 0.1)
    assert (done.status, done.received_bytes, done.cwnd_max_bytes) == ("timeout", 0, None)
    assert done.error == "nothing came within 0.05 s"
    assert 0.05 <= time.monotonic() - begin_s < 5


def test_streams_are_transfers_that_outlast_the_flow():
    asked = quic.asked_of(FlowSettings("quic", "uplink", 3.0, 4), "bbr")
    assert asked == Asked(4, 10**15, "bbr", 13.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: FlowSettings("quic", rate_bps=1e6),
            "rate: is given; a QUIC flow sends as fast as its congestion control allows",
        ),
        (lambda: FlowSettings("quic", streams=129), "streams: is 129; must be from 1 to 128"),
        (lambda: Flows(()), "protocol: has no value; at least one is needed"),
        (lambda: Flows((FlowSettings("quic"), FlowSettings("quic"))), "protocol: names quic twice"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value) == message


def planned(tmp_path, protocols, **plan):
    native.save(constant(1e6, 10), tmp_path / "p.csv")
    flows = Flows(tuple(FlowSettings(protocol) for protocol in protocols))
    return planned_replays([PlannedExperiment((Part(flows),), (tmp_path / "p.csv",), ReplayPlan(**plan))])


def test_protocols_and_congestion_controls_are_combined(tmp_path):
    todo = planned(tmp_path, ["tcp", "quic"], vary={"congestion_control": ("cubic", "bbr")})
    found = [(this.plan.congestion_control, this.case[0].protocol) for this in todo]
    assert found == [("cubic", "tcp"), ("cubic", "quic"), ("bbr", "tcp"), ("bbr", "quic")]


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (
            {"congestion_control": "vegas"},
            "congestion control vegas: is not one that flow has; it has cubic, reno, bbr",
        ),
        ({"initial_window": 4}, "flow: does not use TCP, of which a window or pacing is asked"),
    ],
)
def test_what_quic_does_not_have_is_refused_before_anything_starts(tmp_path, plan, message):
    with pytest.raises(InputError) as caught:
        planned(tmp_path, ["tcp", "quic"], **plan)
    assert str(caught.value) == message
    assert len(planned(tmp_path, ["tcp"], **plan)) == 1
