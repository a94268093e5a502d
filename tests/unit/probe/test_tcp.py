import json
import math
import os
import subprocess

import pytest

from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.probe.tcp import COLUMNS, TcpSamples, sampling_tcp
from mmwemu.probe.tcp_sampler import FIELDS
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.topology import CORE, CoreLink, Topology
from tests.fakes import Here, fake_link, fake_testbed
from tests.unit.testbed.test_setup import MACHINES

INFO = {
    "tcpi_ca_state": 0, "tcpi_snd_mss": 1000, "tcpi_snd_cwnd": 10, "tcpi_snd_ssthresh": 0x7FFFFFFF, "tcpi_rtt": 22_000,
    "tcpi_rttvar": 500, "tcpi_min_rtt": 21_000, "tcpi_unacked": 3, "tcpi_lost": 1, "tcpi_total_retrans": 2,
    "tcpi_bytes_acked": 4000, "tcpi_bytes_received": 50, "tcpi_notsent_bytes": 0, "tcpi_snd_wnd": 65_535,
    "tcpi_delivery_rate": 125, "tcpi_pacing_rate": 2**64 - 1,
}  # fmt: skip


def started(epochs_ns, setup=None):
    """Return a fake testbed whose links started at these times."""
    testbed = fake_testbed(setup)
    for link, epoch_ns in epochs_ns.items():
        fake_link(testbed, link)._epoch_ns = epoch_ns
    return testbed


def samples(tmp_path, testbed, *lines, rest="", place="server"):
    path = tmp_path / "samples"
    path.write_text("ready\n" + "".join(json.dumps(line) + "\n" for line in lines) + rest)
    return TcpSamples(testbed, {place: path.open("rb")})


def connection(local="127.0.0.1:80", peer="127.0.0.2:1234", **changes):
    info = INFO | changes
    return [local, peer, "cubic", *(info[field] for field in FIELDS)]


def test_units_are_those_of_the_names(tmp_path):
    frame = samples(tmp_path, started({1: 1_000_000_000}), [3_500_000_000, [connection()]]).frame()
    assert list(frame.columns) == list(COLUMNS)
    (row,) = frame.to_dict("records")
    assert (row["time_s"], row["role"], row["local"], row["peer"]) == (2.5, "server", "127.0.0.1:80", "127.0.0.2:1234")
    assert (row["cwnd_bytes"], row["cwnd_packets"], row["rtt_s"], row["rttvar_s"]) == (10_000, 10, 0.022, 0.0005)
    assert (row["delivery_rate_bps"], row["pacing_rate_bps"], row["retransmissions"]) == (1000, math.inf, 2)
    assert math.isnan(row["ssthresh_bytes"])
    assert (row["link"], row["client"]) == (1, 1)


def test_what_the_kernel_does_not_tell_is_missing(tmp_path):
    taken = samples(tmp_path, started({1: 1}), [5, [connection(tcpi_snd_ssthresh=7, tcpi_snd_wnd=None)]])
    frame = taken.frame()
    assert frame["ssthresh_bytes"].tolist() == [7000]
    assert frame["peer_window_bytes"].isna().all()


@pytest.mark.parametrize(("epoch_ns", "rows"), [(15, 2), (10, 3), (None, 0)])
def test_samples_of_an_earlier_run_and_half_written_ones_are_left_out(tmp_path, epoch_ns, rows):
    lines = [10, [connection()]], [20, [connection(), connection()]]
    frame = samples(tmp_path, started({1: epoch_ns}), *lines, rest="[30, [[").frame()
    assert len(frame) == rows
    assert list(frame.columns) == list(COLUMNS)


def test_each_connection_is_on_the_link_and_the_clock_of_its_client(tmp_path):
    testbed = started({1: 1_000_000_000, 2: 2_000_000_000}, Setup(Topology(2, shared=False)))
    both = [connection(peer="127.0.0.2:9"), connection(peer="127.0.0.3:9")]
    frame = samples(tmp_path, testbed, [3_000_000_000, both]).frame()
    assert frame[["time_s", "link", "client"]].to_numpy().tolist() == [[1.0, 2, 2], [2.0, 1, 1]]
    assert frame.index.tolist() == [0, 1]


def test_clients_that_share_a_link_are_told_apart(tmp_path):
    testbed = started({1: 1}, Setup(Topology(2)))
    frame = samples(tmp_path, testbed, [5, [connection(peer="127.0.0.3:9")]], place="client 2").frame()
    assert frame[["role", "link", "client"]].to_numpy().tolist() == [["client", 1, 2]]


def test_a_connection_of_edge_and_server_is_nobodys_and_on_the_core_link(tmp_path):
    testbed = started({1: None, CORE: 1_000_000_000}, Setup(Topology(core=CoreLink())))
    frame = samples(tmp_path, testbed, [2_000_000_000, [connection(peer="127.0.1.1:9")]], place="edge").frame()
    (row,) = frame.to_dict("records")
    assert (row["time_s"], row["role"], row["link"]) == (1.0, "edge", CORE)
    assert frame["client"].isna().all()


def test_a_sampler_that_fails_says_why(monkeypatch, tmp_path):
    (tmp_path / "pyroute2.py").write_text("raise ImportError('no such library')")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    with pytest.raises(MmwemuError, match="state of TCP cannot be sampled: ImportError: no such library"):
        with sampling_tcp(fake_testbed()):
            pass


def test_the_tcp_of_other_machines_cannot_be_sampled():
    with pytest.raises(InputError, match="TCP state: cannot be had with other machines as client or server"):
        with sampling_tcp(fake_testbed(Setup(machines=MACHINES))):
            pass


def test_every_column_has_its_field(tmp_path):
    info = {field: 2**i for i, field in enumerate(FIELDS, 3)}
    (row,) = samples(tmp_path, started({1: 1}), [1_000_000_001, [connection(**info)]]).frame().to_dict("records")
    mss = info["tcpi_snd_mss"]
    assert row == {
        "time_s": 1.0, "role": "server", "local": "127.0.0.1:80", "peer": "127.0.0.2:1234",
        "congestion_control": "cubic", "cwnd_bytes": info["tcpi_snd_cwnd"] * mss, "cwnd_packets": info["tcpi_snd_cwnd"],
        "ssthresh_bytes": info["tcpi_snd_ssthresh"] * mss, "mss_bytes": mss, "rtt_s": info["tcpi_rtt"] / 1e6,
        "rttvar_s": info["tcpi_rttvar"] / 1e6, "rtt_min_s": info["tcpi_min_rtt"] / 1e6,
        "unacked_packets": info["tcpi_unacked"], "lost_packets": info["tcpi_lost"],
        "retransmissions": info["tcpi_total_retrans"], "acked_bytes": info["tcpi_bytes_acked"],
        "received_bytes": info["tcpi_bytes_received"], "notsent_bytes": info["tcpi_notsent_bytes"],
        "peer_window_bytes": info["tcpi_snd_wnd"], "delivery_rate_bps": info["tcpi_delivery_rate"] * 8,
        "pacing_rate_bps": info["tcpi_pacing_rate"] * 8, "link": 1, "client": 1,
    }  # fmt: skip


def test_the_threshold_of_the_first_slow_start_is_none(tmp_path):
    lines = [5, [connection(tcpi_snd_ssthresh=0x7FFFFFFE), connection(tcpi_snd_ssthresh=0x7FFFFFFF)]]
    found = samples(tmp_path, started({1: 1}), lines).frame()["ssthresh_bytes"]
    assert found.isna().tolist() == [False, True]


def test_a_connection_of_nobody_is_on_the_only_link_without_a_core_link(tmp_path):
    frame = samples(tmp_path, started({1: 1}), [5, [connection(peer="127.0.9.9:9")]]).frame()
    assert frame[["link"]].to_numpy().tolist() == [[1]]
    assert frame["client"].isna().all()


def test_places_are_sampled_ten_times_a_second_unless_asked():
    launched = []

    class Launcher:
        def popen(self, argv, variables, *, foreground, **options):
            launched.append(list(argv))
            return Here().popen([*argv[:1], "-c", "print('ready', flush=True); input()"], variables, foreground=False,
                                **(options | {"stdin": subprocess.PIPE}))  # fmt: skip

    for interval in ({}, {"interval_s": 0.25}):
        with sampling_tcp(fake_testbed(launcher=Launcher()), **interval) as found:
            assert len(found.frame()) == 0
    assert [argv[1:] for argv in launched] == [["-P", "-m", "mmwemu.probe.tcp_sampler", each]
                                               for each in ("0.1", "0.1", "0.25", "0.25")]  # fmt: skip
