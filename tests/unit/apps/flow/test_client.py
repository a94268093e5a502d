import pytest

from mmwemu.apps.flow.client import FlowSettings, arguments, interpret
from mmwemu.core.errors import InputError

TCP = {
    "start": {"test_start": {"protocol": "TCP"}},
    "end": {
        "streams": [
            {"sender": {"bytes": 10, "max_snd_cwnd": 5, "mean_rtt": 7}},
            {"sender": {"bytes": 90, "max_snd_cwnd": 28960, "mean_rtt": 22500}},
        ],
        "sum_sent": {"retransmits": 3},
        "sum_received": {"seconds": 2.0, "bytes": 90, "bits_per_second": 360.0},
    },
}


def test_tcp_state_is_that_of_the_largest_stream():
    done = interpret(TCP)
    assert (done.status, done.goodput_bps, done.retransmissions) == ("ok", 360.0, 3)
    assert (done.cwnd_max_bytes, done.tcp_rtt_mean_s) == (28960, 0.0225)
    assert done.lost_packets is None


def test_udp_has_losses_and_jitter():
    got = {"seconds": 2.0, "bytes": 90, "bits_per_second": 360.0, "lost_packets": 4, "jitter_ms": 0.5}
    done = interpret({"start": {"test_start": {"protocol": "UDP"}}, "end": {"sum_received": got}})
    assert (done.lost_packets, done.jitter_s, done.retransmissions) == (4, 0.0005, None)


def test_an_error_of_iperf3_is_a_failed_run():
    assert interpret({"error": "unable to connect"}).status == "failed"


def test_arguments():
    words = arguments(FlowSettings("udp", "uplink", 3.0, 2, 5e6))
    assert words == ["--json", "--time", "3", "--parallel", "2", "--udp", "--bitrate", "5000000"]


@pytest.mark.parametrize("kind", [{"protocol": "udp"}, {"streams": 0}, {"duration_s": 0.0}, {"rate_bps": -1.0}])
def test_a_flow_that_makes_no_sense_is_refused(kind):
    with pytest.raises(InputError):
        FlowSettings(**kind)
