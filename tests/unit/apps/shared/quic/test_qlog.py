import json
import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmwemu.apps.shared.quic.qlog import Qlog
from mmwemu.core.errors import MmwemuError

HEAD = '{"qlog_format":"JSON-SEQ","qlog_version":"0.3","trace":{"vantage_point":{"name":"ngtcp2","type":"server"}}}'


def metrics(time_ms, cwnd_bytes, **more):
    data = {"smoothed_rtt": 333, "latest_rtt": 0, "rtt_variance": 166, "pto_count": 0} | more
    data |= {"congestion_window": cwnd_bytes, "bytes_in_flight": 1200}
    return json.dumps({"time": time_ms, "name": "recovery:metrics_updated", "data": data}, separators=(",", ":"))


def lost(time_ms):
    data = {"header": {"packet_type": "1RTT", "packet_number": 7}}
    return json.dumps({"time": time_ms, "name": "recovery:packet_lost", "data": data}, separators=(",", ":"))


FIRST = metrics(0, 14520)
LATER = metrics(40, 90_000, min_rtt=22, smoothed_rtt=24, rtt_variance=2, ssthresh=80_000, pto_count=1)
LINES = [HEAD, FIRST, lost(3), metrics(4, 20_000, min_rtt=22), lost(20), lost(21), LATER]


@pytest.fixture
def log(tmp_path):
    found = Qlog(tmp_path)
    yield found
    found.close()


def write(folder, text, mode="w"):
    with (folder / "0a1b.sqlog").open(mode) as file:
        file.write(text)


def test_there_is_no_state_before_there_is_a_log(log, tmp_path):
    assert log.read() is None
    write(tmp_path, f"{HEAD}\n")
    assert log.read() is None


def test_round_trips_are_unknown_until_one_was_measured(log, tmp_path):
    write(tmp_path, f"{HEAD}\n\x1e{FIRST}\n")
    state = log.read()
    assert (state.cwnd_bytes, state.in_flight_bytes, state.lost_packets) == (14520, 1200, 0)
    assert all(math.isnan(value) for value in (state.rtt_s, state.rttvar_s, state.rtt_min_s, state.ssthresh_bytes))


def test_the_latest_state_has_all_that_the_log_says(log, tmp_path):
    before_ns = time.monotonic_ns()
    write(tmp_path, "\n".join(LINES) + "\n")
    state = log.read()
    # The clock of files ticks every 10 ms or faster.
    assert before_ns - 12e6 <= state.time_ns - 40e6 <= time.monotonic_ns()
    assert (state.cwnd_bytes, state.ssthresh_bytes, state.probe_timeouts) == (90_000, 80_000, 1)
    assert (state.rtt_s, state.rttvar_s, state.rtt_min_s) == (0.024, 0.002, 0.022)
    assert state.lost_packets == log.lost_packets == 3
    assert log.read() is None


def test_a_state_is_returned_once(log, tmp_path):
    write(tmp_path, f"{FIRST}\n")
    assert log.read() is not None
    write(tmp_path, f"{metrics(0, 99_000)}\n", "a")
    assert log.read() is None


@settings(max_examples=50, deadline=None)
@given(cuts=st.lists(st.integers(0, len("\n".join(LINES))), max_size=6))
def test_however_the_log_grows_its_end_is_the_same(tmp_path_factory, cuts):
    folder, text = tmp_path_factory.mktemp("log"), "\n".join(LINES) + "\n"
    found, latest = Qlog(folder), None
    for begin, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(text)], strict=True):
        write(folder, text[begin:end], "a")
        latest = found.read() or latest
    found.close()
    assert (latest.cwnd_bytes, latest.lost_packets, found.lost_packets) == (90_000, 3, 3)


def test_what_was_read_takes_no_more_room(log, tmp_path):
    text = "\n".join([*(lost(i) for i in range(20_000)), LATER]) + "\n"
    write(tmp_path, text)
    full = (tmp_path / "0a1b.sqlog").stat().st_blocks
    log.read()
    assert log.lost_packets == 20_000
    assert (tmp_path / "0a1b.sqlog").stat().st_blocks < full / 10


BAD = ('"recovery:metrics_updated"', '{"time": "x", "name": "recovery:metrics_updated", "data": 1}', LATER[:-9])


@pytest.mark.parametrize("line", BAD)
def test_a_log_that_is_none_is_an_error(log, tmp_path, line):
    write(tmp_path, f"{line}\n")
    with pytest.raises(MmwemuError, match="the log of the QUIC server cannot be read"):
        log.read()


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=80), st.integers(0, len(LATER)), st.integers(0, 40))
def test_any_log_is_read_or_refused(tmp_path_factory, noise, at, length):
    folder, line = tmp_path_factory.mktemp("log"), LATER.encode()
    (folder / "a.sqlog").write_bytes(line[:at] + noise + line[at + length :] + b"\n")
    found = Qlog(folder)
    try:
        found.read()
    except MmwemuError as error:
        assert "cannot be read" in str(error)
    finally:
        found.close()
