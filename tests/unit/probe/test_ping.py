import math

import pytest

from mmwemu.probe import ping


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
