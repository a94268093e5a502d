import json
import math
import os

import pytest

from mmwemu.core.errors import MmwemuError
from mmwemu.probe.tcp import TcpSamples, sampling_tcp
from mmwemu.probe.tcp_sampler import FIELDS
from mmwemu.testbed.fake import FakeTestbed

INFO = {
    "tcpi_ca_state": 0, "tcpi_snd_mss": 1000, "tcpi_snd_cwnd": 10, "tcpi_snd_ssthresh": 0x7FFFFFFF, "tcpi_rtt": 22_000,
    "tcpi_rttvar": 500, "tcpi_min_rtt": 21_000, "tcpi_unacked": 3, "tcpi_lost": 1, "tcpi_total_retrans": 2,
    "tcpi_bytes_acked": 4000, "tcpi_bytes_received": 50, "tcpi_notsent_bytes": 0, "tcpi_snd_wnd": 65_535,
    "tcpi_delivery_rate": 125, "tcpi_pacing_rate": 2**64 - 1,
}  # fmt: skip


def samples(tmp_path, *lines, rest=""):
    path = tmp_path / "samples"
    path.write_text("ready\n" + "".join(json.dumps(line) + "\n" for line in lines) + rest)
    return TcpSamples({"server": path.open("rb")})


def connection(**changes):
    info = INFO | changes
    return ["10.0.0.1:80", "10.0.0.2:1234", "cubic", *(info[field] for field in FIELDS)]


def test_units_are_those_of_the_names(tmp_path):
    frame = samples(tmp_path, [3_500_000_000, [connection()]]).since(1_000_000_000)
    (row,) = frame.to_dict("records")
    assert (row["time_s"], row["role"], row["local"], row["peer"]) == (2.5, "server", "10.0.0.1:80", "10.0.0.2:1234")
    assert (row["cwnd_bytes"], row["cwnd_packets"], row["rtt_s"], row["rttvar_s"]) == (10_000, 10, 0.022, 0.0005)
    assert (row["delivery_rate_bps"], row["pacing_rate_bps"], row["retransmissions"]) == (1000, math.inf, 2)
    assert math.isnan(row["ssthresh_bytes"])


def test_what_the_kernel_does_not_tell_is_missing(tmp_path):
    frame = samples(tmp_path, [5, [connection(tcpi_snd_ssthresh=7, tcpi_snd_wnd=None)]]).since(0)
    assert frame["ssthresh_bytes"].tolist() == [7000]
    assert frame["peer_window_bytes"].isna().all()


def test_samples_of_an_earlier_run_and_half_written_ones_are_left_out(tmp_path):
    taken = samples(tmp_path, [10, [connection()]], [20, [connection(), connection()]], rest="[30, [[")
    assert len(taken.since(15)) == 2
    assert len(taken.since(10)) == 3
    assert len(taken.since(None)) == 0
    assert list(taken.since(None).columns) == list(taken.since(10).columns)


def test_a_probe_that_fails_says_why(monkeypatch, tmp_path):
    (tmp_path / "pyroute2.py").write_text("raise ImportError('no such library')")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    with pytest.raises(MmwemuError, match="state of TCP cannot be sampled: ImportError: no such library"):
        with sampling_tcp(FakeTestbed()):
            pass
