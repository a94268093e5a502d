import math

import pytest

from mmwemu.apps.flow.client import FlowKind, arguments, interpret
from mmwemu.core.errors import InputError
from mmwemu.core.units import parse_rate
from mmwemu.probe import ping

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
    words = arguments(FlowKind("udp", "up", 3.0, 2, 5e6))
    assert words == ["--json", "--time", "3", "--parallel", "2", "--udp", "--bitrate", "5000000"]


@pytest.mark.parametrize("kind", [{"protocol": "udp"}, {"streams": 0}, {"duration_s": 0.0}, {"rate_bps": -1.0}])
def test_a_flow_that_makes_no_sense_is_refused(kind):
    with pytest.raises(InputError):
        FlowKind(**kind)


def test_pings_that_were_lost_are_gaps():
    output = """\
[100.0222] 64 bytes from 10.77.0.1: icmp_seq=1 ttl=64 time=22.2 ms
[100.0730] 64 bytes from 10.77.0.1: icmp_seq=3 ttl=64 time=30 ms

4 packets transmitted, 2 received, 50% packet loss, time 60ms
"""
    table = ping.parse(output, 0.02)
    assert table["time_s"].tolist() == pytest.approx([0, 0.0215, 0.043, 0.063])
    assert [None if math.isnan(rtt) else rtt for rtt in table["rtt_s"]] == [0.0222, None, 0.03, None]


def test_no_reply_at_all():
    table = ping.parse("3 packets transmitted, 0 received, 100% packet loss, time 60ms", 0.02)
    assert table["time_s"].tolist() == pytest.approx([0, 0.02, 0.04])
    assert table["rtt_s"].isna().all()
    assert len(ping.parse("", 0.02)) == 0


@pytest.mark.parametrize(
    ("text", "rate_bps"),
    [("50Mbit/s", 50e6), ("300 kbps", 300e3), ("1e6", 1e6), ("1.5 gbit/s", 1.5e9)],
)
def test_parse_rate(text, rate_bps):
    assert parse_rate(text) == rate_bps


@pytest.mark.parametrize("text", ["0", "-1Mbps", "fast", "5 MB", "", "1.2.3", "nan"])
def test_parse_rate_refuses(text):
    with pytest.raises(InputError, match="rate: is"):
        parse_rate(text)
