"""Where the time goes, on packets whose every microsecond is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmwemu.apps.download.explained import EXPLAINED
from mmwemu.core.errors import InputError
from mmwemu.study.explain.explanation import of
from mmwemu.study.explain.recording import Recording
from tests.records import download
from tests.tcp_packets import DELAY_S, PORT, SYN, Packets, telemetry

RTT_S = 2 * DELAY_S


def explained(packets, length_s, bins=None, **changes):
    """Explain a download of this length that began with its first packet."""
    row = download(1, **({"duration_s": length_s, "connect_s": RTT_S} | changes)).row()
    frame = packets.frame()
    return of(Recording(row, frame, telemetry(5.0) if bins is None else bins), EXPLAINED)


def parts(found):
    """Return the causes that took time, in ms, and check that they are the whole run without gaps."""
    assert sum(found.parts_s.values()) == pytest.approx(found.length_s, abs=1e-9)
    for one, other in zip(found.intervals, found.intervals[1:], strict=False):
        assert one.end_s == other.begin_s and one.end_s > one.begin_s
    return {cause: round(part_s * 1000, 6) for cause, part_s in found.parts_s.items() if part_s > 1e-9}


def requested(packets, think_s=0.0, at_s=0.0):
    """Connect, send the request and return when it came to the server."""
    return packets.up(packets.connect(at_s) + think_s, 1, 100)


def test_a_handshake_a_request_and_one_packet():
    packets = Packets()
    came_s = packets.down(requested(packets, 0.003) + 0.005, 1001, 1000, service_s=0.002)
    found = explained(packets, came_s)
    assert parts(found) == {"setup": 20, "request": 20, "computer": 3, "server": 5, "transfer": 2}
    assert found.intervals[0].cause == "setup"


def test_time_before_the_first_packet_and_after_the_last_is_the_computers():
    packets = Packets()
    came_s = packets.down(requested(packets), 1001, 1000)
    row = download(1, duration_s=came_s + 0.006, connect_s=RTT_S + 0.004).row()
    found = of(Recording(row, packets.frame(), telemetry(1.0)), EXPLAINED)
    assert parts(found) == {"setup": 20, "request": 20, "computer": 6}
    assert found.intervals[0].begin_s == pytest.approx(-0.004) and found.intervals[0].cause == "computer"


def test_rounds_that_do_not_fill_the_link_are_slow_start():
    packets = Packets()
    sent_s = requested(packets)
    for i in range(3):
        came_s = packets.down(sent_s, 1001 + 1000 * i, 1000, service_s=0.001)
        sent_s = packets.up(came_s, 101)
    assert parts(explained(packets, came_s)) == {"setup": 20, "request": 20, "slow_start": 40, "transfer": 3}


def test_a_link_that_is_never_idle_loses_nothing_to_the_queue():
    packets = Packets()
    sent_s = requested(packets)
    for i in range(50):
        came_s = packets.down(sent_s, 1001 + 1000 * i, 1000, service_s=0.004)
    assert parts(explained(packets, came_s)) == {"setup": 20, "request": 20, "transfer": 200}


def test_packets_of_other_clients_that_pass_first_are_the_queues():
    packets = Packets()
    sent_s = requested(packets)
    for _ in range(5):
        packets.down(sent_s, 1, 1000, service_s=0.002, client=2)
    came_s = packets.down(sent_s, 1001, 1000, service_s=0.002)
    assert parts(explained(packets, came_s)) == {"setup": 20, "request": 20, "queue": 10, "transfer": 2}


def test_packets_of_other_clients_that_nobody_waits_for_do_not_count():
    packets = Packets()
    sent_s = requested(packets, 0.050)
    packets.down(0.030, 1, 1000, service_s=0.002, client=2)
    came_s = packets.down(sent_s, 1001, 1000, service_s=0.002)
    assert parts(explained(packets, came_s)) == {"setup": 20, "request": 20, "computer": 50, "transfer": 2}


def test_an_outage_that_holds_packets_is_the_outages():
    packets = Packets()
    came_s = packets.down(requested(packets), 1001, 1000, service_s=0.500)
    bins = telemetry(5.0, (0.1, 0.4))
    assert parts(explained(packets, came_s, bins)) == {"setup": 20, "request": 20, "outage": 300, "transfer": 200}


@pytest.mark.parametrize(("silent", "outage_ms"), [((), 0), (((0.05, 0.15),), 100), (((0.0, 5.0),), 200)])
def test_a_timer_counts_as_timeout_but_for_the_outage_within(silent, outage_ms):
    packets = Packets()
    sent_s = requested(packets)
    packets.down(sent_s, 1001, 1000, dropped=True)
    came_s = packets.down(sent_s + 0.200, 1001, 1000)
    found = parts(explained(packets, came_s, telemetry(5.0, *silent)))
    assert found.get("timeout", 0) == 200 - outage_ms and found.get("outage", 0) == outage_ms
    assert found["setup"] == 20 and found["recovery"] == 20


def test_a_fast_retransmission_costs_a_round_trip_and_no_timeout():
    packets = Packets()
    sent_s = requested(packets)
    packets.down(sent_s, 1001, 1000, dropped=True)
    came_s = packets.down(sent_s, 2001, 1000, service_s=0.001)
    came_s = packets.down(packets.up(came_s, 101), 1001, 1000, service_s=0.001)
    assert parts(explained(packets, came_s)) == {"setup": 20, "request": 20, "recovery": 20, "transfer": 2}


def test_after_a_loss_idle_rounds_are_the_windows():
    packets = Packets()
    sent_s = requested(packets)
    packets.down(sent_s, 1001, 1000, dropped=True)
    came_s = packets.down(sent_s, 2001, 1000)
    came_s = packets.down(packets.up(came_s, 101), 1001, 1000)
    came_s = packets.down(packets.up(came_s, 101), 3001, 1000)
    assert parts(explained(packets, came_s)) == {"setup": 20, "request": 20, "recovery": 20, "window": 20}


def test_airtime_of_what_is_lost_behind_the_bottleneck_or_came_already_is_repair():
    packets = Packets()
    sent_s = requested(packets)
    packets.down(sent_s, 1001, 1000, service_s=0.004, delivery_s=np.nan)
    packets.down(sent_s, 2001, 1000, service_s=0.002)
    packets.down(sent_s, 2001, 1000, service_s=0.002)
    came_s = packets.down(sent_s, 1001, 1000, service_s=0.001)
    found = parts(explained(packets, came_s))
    assert found["recovery"] == 6 and found["transfer"] == 3


def test_a_lost_request_is_a_timeout_of_the_client():
    packets = Packets()
    packets.up(0.0, 0, flags=SYN, dropped=True)
    came_s = packets.down(packets.connect(1.0), 1001, 1000)
    # The answer follows the handshake at once: no request, so that only the set-up is there.
    found = explained(packets, came_s)
    assert parts(found)["timeout"] == 1000


def test_a_sender_with_a_timer_of_its_own_is_pacing_only_where_something_paces():
    cases = [("bbr", None, "pacing"), ("cubic", None, "computer"), ("cubic", 1e6, "pacing")]
    for algorithm, pacing_bps, cause in cases:
        packets = Packets()
        sent_s = packets.up(packets.down(requested(packets), 1001, 1000), 101)
        came_s = packets.down(sent_s + 0.004, 2001, 1000)
        found = parts(explained(packets, came_s, congestion_control=algorithm, pacing_bps=pacing_bps))
        assert found[cause] == 4


def test_a_delayed_acknowledgement_belongs_to_its_round_trip():
    packets = Packets()
    came_s = packets.down(requested(packets), 1001, 1000)
    came_s = packets.down(packets.up(came_s + 0.040, 101), 2001, 1000)
    assert parts(explained(packets, came_s)) == {"setup": 20, "request": 20, "slow_start": 60}


def test_a_request_counts_although_an_acknowledgement_follows_it():
    packets = Packets()
    came_s = packets.down(requested(packets), 1001, 1000)
    asked_s = packets.up(came_s + 0.030, 101, 100)
    packets.up(came_s + 0.031, 201)
    came_s = packets.down(asked_s + 0.002, 2001, 1000)
    assert parts(explained(packets, came_s)) == {"setup": 20, "request": 40, "computer": 30, "server": 2}


def test_an_earlier_request_does_not_count_where_the_window_was_full():
    packets = Packets()
    came_s = packets.down(requested(packets), 1001, 1000)
    packets.up(came_s, 101, 100)
    sent_s = packets.up(came_s + 0.020, 201)
    came_s = packets.down(sent_s, 2001, 1000)
    assert parts(explained(packets, came_s)) == {"setup": 20, "request": 20, "slow_start": 40}


def test_lateness_of_the_emulator_is_the_computers():
    packets = Packets()
    came_s = packets.down(requested(packets), 1001, 1000, lateness_s=0.0015)
    assert parts(explained(packets, came_s)) == {"setup": 20, "request": 20, "computer": 1.5}


def test_a_run_that_met_its_limit_waits_to_the_end():
    packets = Packets()
    packets.down(requested(packets), 1001, 1000)
    found = explained(packets, 1.0, telemetry(5.0, (0.5, 0.8)), status="timeout")
    assert parts(found) == {"setup": 20, "request": 20, "outage": 300, "unfinished": 660}


def test_a_run_in_which_nothing_came_is_all_unfinished():
    packets = Packets()
    packets.up(0.0, 0, flags=SYN, dropped=True)
    found = explained(packets, 2.0, telemetry(5.0, (0.0, 5.0)), status="timeout", connect_s=None)
    assert parts(found) == {"outage": 2000}


def test_sequence_numbers_may_wrap():
    packets = Packets()
    sent_s = packets.up(packets.connect(isn=2**32 - 1500), 1, 100)
    for i in range(3):
        came_s = packets.down(sent_s, 2**32 - 1499 + 1000 * i, 1000, service_s=0.001)
    found = explained(packets, came_s)
    assert parts(found) == {"setup": 20, "request": 20, "transfer": 3} and found.repeated_packets == 0


def test_packets_of_a_super_packet_keep_their_order():
    packets = Packets()
    sent_s = requested(packets)
    packets.down(sent_s, 1001, 1000)
    packets.down(sent_s, 2001, 1000, dropped=True)
    came_s = packets.down(packets.up(0.04, 101), 2001, 1000)
    packets.rows.reverse()  # a file has those that were dropped first
    assert explained(packets, came_s).repeated_packets == 1


def test_packets_of_another_run_are_refused():
    packets = Packets()
    packets.down(requested(packets), 1001, 1000)
    with pytest.raises(InputError, match="do not belong to the run"):
        explained(packets, 0.001)
    with pytest.raises(InputError, match="hold no opening of a connection"):
        explained(unopened(), 1.0)


def unopened():
    """Return packets of a connection that was there before."""
    packets = Packets()
    packets.down(packets.up(0.0, 1, 100), 1001, 1000)
    return packets


@st.composite
def transfers(draw):
    """Draw a transfer over one or two connections with losses, waits and queues."""
    packets = Packets()
    part = st.floats(0.0, 0.3, allow_subnormal=False)
    came_s = 0.0
    for n in range(draw(st.integers(1, 2))):
        port = PORT + n
        sent_s = packets.up(packets.connect(came_s + draw(part), port=port) + draw(part), 1, 100, client_port=port)
        seq, missing = 1001, []
        for _ in range(draw(st.integers(1, 6))):
            sent_s += draw(part)
            for _ in range(draw(st.integers(1, 4))):
                dropped = draw(st.booleans())
                missing += [seq] if dropped else []
                came = packets.down(sent_s, seq, 1000, service_s=draw(part) / 10, dropped=dropped, client_port=port)
                came_s = came_s if dropped else max(came_s, came)
                seq += 1000
            packets.down(sent_s, 1, 1000, service_s=draw(part) / 10, client=2)
            sent_s = packets.up(max(came_s, sent_s) + draw(part), 101, client_port=port, service_s=draw(part) / 10)
        for each in missing:
            came_s = max(came_s, packets.down(sent_s + draw(part), each, 1000, client_port=port))
    begin_s, end_s = sorted(round(draw(st.floats(0.0, 4.0)), 2) for _ in range(2))
    return packets, came_s, telemetry(6.0, (begin_s, end_s))


@settings(deadline=None, max_examples=150)
@given(transfers(), st.floats(0.0, 0.5))
def test_whatever_happens_the_parts_are_the_whole(transfer, after_s):
    packets, came_s, bins = transfer
    found = explained(packets, came_s + after_s, bins)
    parts(found)
    assert found.length_s == pytest.approx(came_s + after_s, abs=1e-9)
    assert all(part_s >= 0 for part_s in found.parts_s.values())
