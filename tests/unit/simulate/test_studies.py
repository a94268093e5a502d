"""What the studies of TCP over mmWave report, in shortened forms of their scenarios."""

import math
from dataclasses import replace

import numpy as np
import pytest

from mmwemu.core import paths
from mmwemu.core.errors import MissingError
from mmwemu.scenario import read
from mmwemu.scenario.changes import Changes
from mmwemu.simulate.ns3 import Ns3Engine

try:
    paths.program("mmwemu-cell")
except MissingError as error:
    pytestmark = pytest.mark.skip(reason=str(error))
else:
    pytestmark = pytest.mark.cell


def simulate(scenario, **changes):
    return Ns3Engine().simulate(Changes(**changes).apply(scenario, "mmwave"), "mmwave", 1)


def states(trace, after_s=0.0):
    """Return the rows in sight and those without, from a time on."""
    late = trace.time_s > after_s
    return late & (trace.los == 1), late & (trace.los == 0)


class TestZhang:
    """Zhang et al. 2016, sections IV-A and IV-B."""

    @pytest.fixture(scope="class")
    @classmethod
    def buildings(cls):
        """Give TCP at 1 Gbit/s behind the first building of scenario 2 with a buffer of 10 MB."""
        return simulate(read.load("zhang2"), transport="tcp", duration_s=6.0)

    def test_udps_backlog_drains_at_the_return_of_line_of_sight(self):
        trace = simulate(read.load("zhang2"), duration_s=7.0)
        back = int(np.flatnonzero(np.diff(trace.los) == 1)[0]) + 1
        assert trace.rlc_queue_bytes[back - 1] > 9e6
        # 10 MB take 40 ms at 2 Gbit/s above the source's 1 Gbit/s; CQI needs 3 ms.
        assert trace.throughput_bps[back + 3 : back + 28].mean() > 2.5e9

    def test_without_line_of_sight_the_radio_delay_is_that_of_a_full_buffer(self, buildings):
        free, hidden = states(buildings, 2.5)
        delay_s = buildings.optional["ran_delay_s"]
        in_sight_s, behind_s = np.nanmedian(delay_s[free]), np.nanmedian(delay_s[hidden])
        assert in_sight_s == pytest.approx(1e-3, rel=0.1)
        assert behind_s > 50 * in_sight_s
        assert buildings.drops.sum() == buildings.optional["retransmissions"].sum() == 0

    def test_a_source_of_300_mbps_gets_as_much_with_less_delay(self, buildings):
        scenario = read.load("zhang2")
        slow = replace(scenario, traffic=replace(scenario.traffic, rate_bps=300e6))
        slow = simulate(slow, transport="tcp", duration_s=6.0)
        _, hidden = states(slow, 2.5)
        assert slow.throughput_bps[hidden].mean() == pytest.approx(buildings.throughput_bps[hidden].mean(), rel=0.2)
        delays_s = [np.nanmean(one.optional["ran_delay_s"][hidden]) for one in (slow, buildings)]
        assert delays_s[0] < delays_s[1] / 1.5

    def test_a_buffer_of_3_mb_overflows_and_each_loss_is_repaired_once(self):
        trace = simulate(read.load("zhang2"), transport="tcp", duration_s=6.0, rlc_buffer_bytes=3_000_000)
        assert trace.drops.sum() > 1000
        assert trace.optional["retransmissions"].sum() == pytest.approx(trace.drops.sum(), rel=0.02)
        assert np.nanmax(trace.rlc_queue_bytes) <= 3e6

    @pytest.mark.parametrize("control", ["newreno", pytest.param("cubic", marks=pytest.mark.long)])
    def test_an_outage_of_04_s_is_hidden_and_one_of_1_s_ends_in_a_timeout(self, control):
        """Simulates 15 s with TCP, since each outage takes what the other has left."""
        trace = simulate(read.load("zhang3"), transport="tcp", duration_s=15.0, congestion_control=control)
        starts, ends = (np.flatnonzero(np.diff(trace.los) == change) + 1 for change in (-1, 1))
        assert (ends - starts) * 1e-3 == pytest.approx([0.4, 1.05], abs=0.02)
        sender, (short, long) = trace.optional, ends
        assert trace.drops.sum() == 0
        assert sender["retransmissions"][: starts[1]].sum() == 0
        assert np.isnan(sender["ssthresh_bytes"][: starts[1]]).all() or control == "cubic"
        # The window waits in the RLC buffer, drains, and goes on; the pipe behind it is empty for a round trip.
        assert trace.throughput_bps[short + 3 : short + 15].mean() > 2.5e9
        assert trace.throughput_bps[short + 100 : short + 300].mean() == pytest.approx(1e9, rel=0.02)
        timeout = int(np.flatnonzero(sender["retransmissions"])[0])
        assert starts[1] + 1000 <= timeout <= long + 50
        segment = trace.meta["payload_bytes"]
        assert np.nanmin(sender["cwnd_bytes"][timeout - 2 : timeout + 2]) == segment
        assert sender["ssthresh_bytes"][timeout + 10] == pytest.approx(
            {"newreno": 0.5, "cubic": 0.7}[control] * sender["cwnd_bytes"][timeout - 10], rel=0.01
        )


class TestKrasilov:
    """Krasilov et al. 2019: the model of slow start, equations (1) to (4)."""

    @staticmethod
    def download_s(size_bytes, rate_bytes_per_s, round_trip_s, window_bytes):
        """Return the time of a download T(S) from its first byte."""
        rounds = math.log2(rate_bytes_per_s * round_trip_s / window_bytes)
        in_slow_start = window_bytes * (2 ** (rounds + 1) - 1)
        if size_bytes <= in_slow_start:
            return (math.log2(size_bytes / window_bytes + 1) - 1) * round_trip_s
        return rounds * round_trip_s + (size_bytes - in_slow_start) / rate_bytes_per_s

    @pytest.mark.parametrize("megabytes", [1, 3, 10, 30, 100])
    def test_the_download_rate_of_default_tcp_is_that_of_the_model_of_slow_start(self, megabytes):
        size = megabytes * 1_000_000
        trace = simulate(read.load("krasilov1"), transport="tcp", duration_s=0.8, file_bytes=size)
        arrived = np.cumsum(trace.throughput_bps) * trace.bin_s / 8
        assert arrived[-1] == pytest.approx(size)
        rate = float(np.median(trace.phy_rate_bps)) / 8 * 1460 / (1460 + trace.meta["header_bytes"])
        round_trip_s = 0.010 + 2 * float(np.nanmedian(trace.optional["ran_delay_s"][:150])) + 0.0004
        # The connection takes a round trip, and the last byte half of one.
        took_s = float(trace.time_s[np.searchsorted(arrived, size - 1)]) + 1e-3 - 0.1 - 1.5 * round_trip_s
        expected_s = self.download_s(size, rate, round_trip_s, 10 * 1460)
        assert size / took_s == pytest.approx(size / expected_s, rel=0.25)

    def test_ten_users_in_a_disc_share_the_cell(self):
        scenario = Changes(duration_s=0.5).apply(read.load("krasilov2"), "mmwave")
        traces = Ns3Engine().simulate_ues(scenario, "mmwave", 1)
        rates = [trace.throughput_bps[200:].mean() for trace in traces]
        assert len(traces) == 10
        assert rates == pytest.approx([np.mean(rates)] * 10, rel=0.05)
        assert 3e9 < sum(rates) < 4.06e9
