import os
import subprocess
import sys

import pytest

from mmwemu.apps.flow import client
from mmwemu.apps.flow.client import arguments, interpret
from mmwemu.apps.flow.settings import Flow, FlowSettings
from mmwemu.core.errors import InputError, MmwemuError
from tests.fakes import fake_testbed

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


def test_tcp_has_what_was_received_and_in_what_time():
    done = interpret(TCP)
    assert (done.duration_s, done.received_bytes, done.error, done.jitter_s) == (2.0, 90, "", None)
    assert interpret({"error": "unable to connect"}) == Flow("failed", "unable to connect", 0.0)


def test_defaults_are_ten_seconds_of_one_tcp_stream_downlink():
    assert arguments(FlowSettings()) == ["--json", "--time", "10", "--parallel", "1"]
    assert (FlowSettings().protocol, FlowSettings().direction) == ("tcp", "downlink")
    assert arguments(FlowSettings(rate_bps=1e6))[-2:] == ["--bitrate", "1000000"]
    assert arguments(FlowSettings(warm_up_s=3.0))[-2:] == ["--omit", "3"]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ({"duration_s": -1.0}, "duration: is -1 s; iperf3 takes whole seconds from 1 to 86400"),
        ({"duration_s": 0.9}, "duration: is 0.9 s; iperf3 takes whole seconds from 1 to 86400"),
        ({"duration_s": 1.5}, "duration: is 1.5 s; iperf3 takes whole seconds from 1 to 86400"),
        ({"duration_s": 86_401.0}, "duration: is 86401 s; iperf3 takes whole seconds from 1 to 86400"),
        ({"rate_bps": 0.0}, "rate: is 0 bit/s; must be above 0 and at most 1e+12"),
        ({"rate_bps": -1.0}, "rate: is -1 bit/s; must be above 0 and at most 1e+12"),
        ({"rate_bps": 1.1e12}, "rate: is 1.1e+12 bit/s; must be above 0 and at most 1e+12"),
        ({"warm_up_s": -1.0}, "warm-up: is -1 s; iperf3 takes whole seconds from 0 to 600"),
        ({"warm_up_s": 0.5}, "warm-up: is 0.5 s; iperf3 takes whole seconds from 0 to 600"),
        ({"warm_up_s": 601.0}, "warm-up: is 601 s; iperf3 takes whole seconds from 0 to 600"),
        ({"streams": -1}, "streams: is -1; must be from 1 to 128"),
        ({"streams": 0}, "streams: is 0; must be from 1 to 128"),
        ({"streams": 129}, "streams: is 129; must be from 1 to 128"),
        ({"protocol": "udp"}, "rate: is missing; a UDP flow needs one"),
    ],
)
def test_nothing_is_beyond_its_bounds(kind, message):
    with pytest.raises(InputError) as caught:
        FlowSettings(**kind)
    assert str(caught.value) == message


def test_the_bounds_themselves_can_be_had():
    least, most = FlowSettings("udp", "uplink", 1.0, 1, 0.5), FlowSettings("udp", "uplink", 86_400.0, 128, 1e12)
    assert (least.duration_s, least.streams, least.rate_bps) == (1.0, 1, 0.5)
    assert (most.duration_s, most.streams, most.rate_bps) == (86_400.0, 128, 1e12)
    with pytest.raises(InputError, match="rate: is missing; a UDP flow needs one"):
        FlowSettings("udp")


def test_a_receiver_that_does_not_listen_is_an_error():
    receiver = fake_testbed().client.popen([sys.executable, "-c", "print('bind failed')"], stdout=subprocess.PIPE)
    with receiver, pytest.raises(MmwemuError, match="iperf3 did not start listening"):
        client._wait_until_listening(receiver)


@pytest.mark.parametrize(("answer", "problem"), [("iperf 2", "JSONDecodeError"), ("{}", "KeyError")])
def test_an_answer_that_cannot_be_read_is_an_error(answer, problem):
    with pytest.raises(MmwemuError, match=f"iperf3 returned no readable result: {problem}"):
        client._send(fake_testbed().client, [sys.executable, "-c", f"print({answer!r})"], FlowSettings())


def test_a_sender_that_does_not_end_is_a_timeout(monkeypatch):
    monkeypatch.setattr(client, "GRACE_S", -0.75)
    place = fake_testbed().client
    done = client._send(place, [sys.executable, "-c", "import time; time.sleep(30)"], FlowSettings(duration_s=1.0))
    assert done == Flow("timeout", "no result within 0.25 s", 0.25)


IPERF3 = """#!/bin/sh
case $1 in
  -s) echo "$@" >> {log}; echo Server listening; exec sleep 30;;
  -c) echo "$@" >> {log}; echo '{{"error": "of the test"}}';;
esac
"""


@pytest.mark.parametrize(("direction", "address"), [("downlink", "127.0.0.2"), ("uplink", "127.0.0.1")])
def test_the_sender_connects_to_the_receiver_which_serves_once(tmp_path, monkeypatch, direction, address):
    program, log = tmp_path / "iperf3", tmp_path / "log"
    program.write_text(IPERF3.format(log=log))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    testbed = fake_testbed()
    done = client.flow(testbed.client, testbed.server, FlowSettings(direction=direction, duration_s=1.0))
    assert done == Flow("failed", "of the test", 0.0)
    assert log.read_text().splitlines() == [
        "-s -1 -p 5201 --forceflush",
        f"-c {address} -p 5201 --json --time 1 --parallel 1",
    ]
