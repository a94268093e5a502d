"""Several clients, an edge and a core link, with real packets."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mmwemu.core.errors import InputError
from mmwemu.link.check import check
from mmwemu.link.packets import PacketLog
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.formats import native
from mmwemu.testbed.topology import CellTestbed, Core, Topology
from tests.programs import MMWEMU
from tests.timed import timed
from tests.unit.link.pcapng_reader import read_pcapng

pytestmark = pytest.mark.link

PEERS = str(Path(__file__).with_name("peers.py"))
# A source for many at once, and a client that counts.
SOURCE = """
import os, socket, threading
listener = socket.create_server((os.environ["MMWEMU_SERVER"], 5002), backlog=200)
print("ready", flush=True)
def serve(connection):
    try:
        while True:
            connection.sendall(bytes(1 << 16))
    except OSError:
        pass
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
"""
SINK = """
import os, socket, sys, time
connection = socket.create_connection((os.environ["MMWEMU_SERVER"], 5002))
print("ready", flush=True)
count, begin = 0, float(sys.stdin.readline())
end = begin + float(sys.argv[1])
while time.monotonic() < end:
    size = len(connection.recv(1 << 16))
    count += size * (time.monotonic() >= begin)
print(os.environ["MMWEMU_NUMBER"], os.environ["MMWEMU_CLIENT"], connection.getsockname()[0], count)
"""


def rtts_s(ask, testbed, place="client", **options):
    class Where:
        @staticmethod
        def popen(role, argv, **more):
            return testbed.popen(role, argv, **more, **options)

    return sorted(map(float, ask(Where, place, "udp_rtt", 20, 0.01).split()))


def downloads(testbed, clients, seconds):
    """Download with all clients at once, and count from when all are there; what each says."""
    server = testbed.popen("server", [sys.executable, "-c", SOURCE], stdout=subprocess.PIPE)
    assert server.stdout.readline() == b"ready\n"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    programs = [
        testbed.popen("client", [sys.executable, "-c", SINK, str(seconds)], client=i, **pipes)
        for i in range(1, clients + 1)
    ]
    assert [program.stdout.readline() for program in programs] == ["ready\n"] * clients
    begin_s = time.monotonic() + 1
    for program in programs:
        program.stdin.write(f"{begin_s}\n")
        program.stdin.flush()
    return [program.communicate(timeout=60)[0].split() for program in programs]


@timed
def test_the_edge_is_between_access_and_core_link(pattern, ask):
    with CellTestbed(Topology(core=Core(0.015))) as testbed:
        testbed.start(LinkSettings(pattern([50e6], delay_s=0.004)))
        ask(testbed, "server", "udp_echo", wait=False)
        whole, half = rtts_s(ask, testbed), rtts_s(ask, testbed, "edge")
        assert whole[0] >= 0.038 and whole[10] < 0.043
        assert half[0] >= 0.030 and half[10] < 0.033
        # The access link is the client's only: the edge's packets did not meet it.
        up = testbed.telemetry().query("direction == 'uplink'")["delivered_packets"].sum()
        assert (up, testbed.core_telemetry().query("direction == 'uplink'")["delivered_packets"].sum()) == (20, 40)


@timed
def test_the_core_link_has_rate_loss_and_a_queue_of_its_own(pattern, ask):
    with CellTestbed(Topology(core=Core(0.002, rate_bps=5e6, loss=0.1))) as testbed:
        testbed.start(LinkSettings(pattern([50e6])))
        ask(testbed, "server", "udp_echo", wait=False)
        came = ask(testbed, "client", "udp_stream", 300, 0.002, 972).splitlines()
        core, access = testbed.core_telemetry(), testbed.telemetry()
    assert 180 < len(came) < 290  # 81 % of 300 are expected
    up, down = (core[core["direction"] == name] for name in ("uplink", "downlink"))
    lost = [part["dropped_loss_packets"].sum() for part in (up, down)]
    assert lost == [300 - up["delivered_packets"].sum(), up["delivered_packets"].sum() - len(came)]
    assert access["dropped_loss_packets"].sum() == 0
    assert access.query("direction == 'downlink'")["delivered_packets"].sum() == len(came)


@pytest.mark.parametrize("clients", [3, 100])
@timed
def test_clients_of_one_cell_share_its_rate(pattern, clients):
    with CellTestbed(Topology(clients)) as testbed:
        testbed.start(LinkSettings(pattern([60e6]), delay_s=0.005, queue_bytes=300_000, aqm="fq_codel"))
        testbed.set_congestion_control("cubic")
        said = downloads(testbed, clients, 3)
        result = check(testbed.telemetry())
    assert [int(words[0]) for words in said] == list(range(1, clients + 1))
    assert len({words[1] for words in said}) == clients and all(words[1] == words[2] for words in said)
    bytes_each = np.array([int(words[3]) for words in said], dtype=float)
    # Together they have the one link's rate, but for what waited in their sockets; and nobody starves (Jain's index).
    assert 0.8 < bytes_each.sum() * 8 / 3 / (60e6 * 1448 / 1500) < 1.3
    assert bytes_each.sum() ** 2 / (clients * (bytes_each**2).sum()) > 0.7
    assert 0.97 < result.delivered_ratio < 1.03 and result.device_drops == 0


def shares_bps(pattern, folder, clients, **options):
    """Flood the first client with twice the rate of 40 Mbit/s, and let the others download; what each gets [client]."""
    with PacketLog(folder, headers=True) as log, CellTestbed(Topology(clients)) as testbed:
        testbed.log_packets(log)
        testbed.start(LinkSettings(pattern([40e6]), delay_s=0.005, queue_bytes=300_000, **options))
        testbed.set_congestion_control("cubic")
        server = testbed.popen(
            "server", [sys.executable, PEERS, "udp_flood"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert server.stdout.readline() == b"ready\n"
        begin_s = time.monotonic()
        testbed.popen(
            "client", [sys.executable, PEERS, "udp_bins", "80e6", "1500", "20", "1"], stdout=subprocess.DEVNULL
        )
        downloads(Others(testbed), clients - 1, 3)
        assert time.monotonic() - begin_s < 20
        assert 0.97 < check(testbed.telemetry()).delivered_ratio < 1.03
        testbed.finish_packets()
        records = log.records()
    # The last two seconds of the downloads, which the log ends with.
    end_ns = records["departure_ns"][records["ending"] == 0].max()
    last = records[(records["direction"] == 0) & (records["ending"] == 0) & (records["departure_ns"] > end_ns - 2e9)]
    return [last["size_bytes"][last["header"][:, 19] == i].sum() * 8 / 2 for i in range(1, clients + 1)]


class Others:
    """A cell without its first client."""

    def __init__(self, testbed):
        self._testbed = testbed

    def popen(self, place, argv, client=0, **options):
        return self._testbed.popen(place, argv, client=client + 1, **options)


@pytest.mark.parametrize(("clients", "aqm"), [(2, "drop-tail"), (2, "fq_codel"), (4, "drop-tail")])
@timed
def test_clients_take_turns_whoever_floods(pattern, tmp_path, clients, aqm):
    rates = shares_bps(pattern, tmp_path, clients, scheduler="round-robin", aqm=aqm)
    assert rates == pytest.approx([40e6 / clients] * clients, rel=0.03)


def test_without_turns_who_floods_gets_it_all(pattern, tmp_path):
    flooded, download = shares_bps(pattern, tmp_path, 2)
    assert flooded > 30e6 and download < 8e6


@timed
def test_clients_with_links_of_their_own_have_a_pattern_each(pattern):
    with CellTestbed(Topology(3, shared=False)) as testbed:
        testbed.start(*[LinkSettings(pattern([mbit * 1e6]), delay_s=0.005) for mbit in (10, 20, 40)])
        testbed.set_congestion_control("cubic")
        said = downloads(testbed, 3, 2.5)
        results = [check(testbed.telemetry(i)) for i in (1, 2, 3)]
    rates = [int(words[3]) * 8 / 2.5 / (1448 / 1500) / 1e6 for words in said]
    assert rates == pytest.approx([10, 20, 40], rel=0.15)
    assert all(0.97 < result.delivered_ratio < 1.03 for result in results)


def test_many_links_of_their_own_go_on(pattern):
    # The table of devices of the network they share is longer than a page.
    with CellTestbed(Topology(60, shared=False)) as testbed:
        testbed.start(*[LinkSettings(pattern([1e6]), delay_s=0.005)] * 60)
        argv = ["ping", "-q", "-c", "4", "-i", "0.2", testbed.server_address]
        programs = [testbed.popen("client", argv, client=i, stdout=subprocess.PIPE) for i in range(1, 61)]
        said = [program.communicate(timeout=60)[0] for program in programs]
        assert all(b" 0% packet loss" in words for words in said)
        assert all(len(testbed.telemetry(i)) > 0 for i in range(1, 61))


def test_what_is_not_there_is_refused(pattern):
    with pytest.raises(InputError, match="clients: is 251; must be from 1 to 250"):
        Topology(251)
    with CellTestbed(Topology(2, shared=False)) as testbed:
        with pytest.raises(InputError, match="edge: there is none"):
            testbed.popen("edge", ["true"])
        with pytest.raises(InputError, match="client: is 3; must be from 1 to 2"):
            testbed.popen("client", ["true"], client=3)
        with pytest.raises(InputError, match="pattern: there are 1, and 2 access links"):
            testbed.start(LinkSettings(pattern([1e6])))


def test_a_kill_leaves_nothing():
    script = (
        "import sys, time; from mmwemu.testbed.topology import *\n"
        "for topology in (Topology(3, core=Core()), Topology(3, shared=False)):\n"
        "    testbed = CellTestbed(topology); keep = globals().setdefault('keep', []); keep.append(testbed)\n"
        "    testbed.popen('client', ['sleep', '1000'], client=3); testbed.popen('server', ['sleep', '1000'])\n"
        "print('up', flush=True); time.sleep(1000)"
    )
    head = subprocess.Popen([sys.executable, "-P", "-c", script], stdout=subprocess.PIPE)
    head.stdout.readline()
    time.sleep(0.5)
    members, found = [], [head.pid]
    while found:
        members += found
        found = [int(child) for pid in found for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    assert len(members) > 15
    head.kill()
    head.communicate()
    end_s = time.monotonic() + 5
    while any(Path(f"/proc/{pid}").exists() for pid in members):
        assert time.monotonic() < end_s
        time.sleep(0.02)


def mmwemu(*words, code=0):
    done = subprocess.run(
        [*MMWEMU, "topology", *map(str, words)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == code, done.stderr
    return done


def test_the_verb_runs_a_command_on_all_clients_and_keeps_what_the_links_did(pattern, tmp_path):
    native.save(pattern([20e6]), tmp_path / "p.csv")
    script = "ping -q -c 2 -i 0.2 $MMWEMU_SERVER >/dev/null && echo $MMWEMU_NUMBER $MMWEMU_EDGE"
    script += "; exit $((MMWEMU_NUMBER / 3 * 7))"
    words = ["--pattern", tmp_path / "p.csv", "--clients", 3, "--core-rate", "100Mbit/s", "--log", tmp_path / "log"]
    done = mmwemu(*words, "--serve", f"{sys.executable} {PEERS} udp_echo", "--", "sh", "-c", script, code=7)
    assert sorted(done.stdout.split()) == sorted(["ready", "1", "2", "3"] + ["10.77.0.1"] * 3)
    kept = {name: pd.read_parquet(tmp_path / "log" / f"{name}.parquet") for name in ("link", "core")}
    assert kept["link"]["delivered_packets"].sum() == kept["core"]["delivered_packets"].sum() == 2 * 2 * 3
    assert set(kept["link"]["link"]) == {1}


def test_the_verb_gives_each_client_the_pattern_that_was_named_for_it(pattern, tmp_path):
    for name, rate_bps in (("a", 1e6), ("b", 0.1e6)):
        native.save(pattern([rate_bps]), tmp_path / f"{name}.csv")
    patterns = ["--pattern", tmp_path / "a.csv", "--pattern", tmp_path / "b.csv"]
    script = "ping -c 1 -s 972 $MMWEMU_SERVER | sed -n 's/.*time=\\([0-9]*\\).*/'$MMWEMU_NUMBER' \\1/p'"
    done = mmwemu(*patterns, "--delay-ms", 0, "--", "sh", "-c", script)
    came_ms = dict(map(int, line.split()) for line in done.stdout.splitlines())
    assert 16 <= came_ms[1] < 40 and 160 <= came_ms[2] < 200
    assert "there are 2 patterns, one for each client" in mmwemu(*patterns, "--clients", 3, "--", "true", code=2).stderr


def test_the_verb_ends_clients_at_a_limit(pattern, tmp_path):
    native.save(pattern([20e6]), tmp_path / "p.csv")
    begin_s = time.monotonic()
    mmwemu("--pattern", tmp_path / "p.csv", "--clients", 4, "--limit-s", 1, "--", "sleep", "100", code=124)
    assert time.monotonic() - begin_s < 20


def fetch(tmp_path, *options, seconds=0):
    """Let two clients fetch 200 and 400 kB, each some seconds later; give packets, TCP's state, telemetry, capture."""
    for i, size in enumerate((200_000, 400_000), 1):
        (tmp_path / f"file{i}").write_bytes(bytes(size))
    words = ["--packets", tmp_path / "p.parquet", "--packets", tmp_path / "p.pcapng"]
    words += ["--tcp", tmp_path / "tcp.parquet", "--tcp-interval-s", 0.02, "--log", tmp_path / "log", *options]
    script = f"sleep $(((MMWEMU_NUMBER - 1) * {seconds})); curl -sfo /dev/null "
    script += "--retry 20 --retry-connrefused --retry-delay 1 http://$MMWEMU_SERVER:8000/file$MMWEMU_NUMBER"
    mmwemu(*words, "--serve", f"{sys.executable} -m http.server -d {tmp_path}", "--", "sh", "-c", script)
    tables = [pd.read_parquet(tmp_path / name) for name in ("p.parquet", "tcp.parquet", "log/link.parquet")]
    return *tables, read_pcapng(tmp_path / "p.pcapng")


def delivered(packets):
    came = packets[packets["delivery_s"].notna()]
    return came.groupby([came["link"], came["direction"].astype(str)]).size()


def test_packets_and_tcp_of_a_shared_cell_say_whose_they_are(pattern, tmp_path):
    native.save(pattern([20e6]), tmp_path / "c.csv")
    packets, tcp, link, capture = fetch(tmp_path, "--pattern", tmp_path / "c.csv", "--clients", 2, "--edge")
    assert set(packets["link"]) == {0, 1} and set(packets["client"]) == {1, 2}
    down = packets[(packets["link"] == 1) & (packets["direction"] == "downlink") & packets["delivery_s"].notna()]
    for client, size in ((1, 200_000), (2, 400_000)):
        came = down[down["client"] == client]["size_bytes"].sum()
        assert size < came < 1.1 * size + 5000
    # What the edge passed on met both links, the core's delay only one of them.
    found = delivered(packets)
    for direction, count in link.groupby("direction")["delivered_packets"].sum().items():
        assert count <= found[1, direction] <= count + 20
        assert abs(found[1, direction] - found[0, direction]) <= 20
    delays_s = packets.groupby("link")["propagation_delay_s"].median()
    assert delays_s[0] == pytest.approx(0.011, abs=1e-6) and delays_s[1] == pytest.approx(0.0, abs=1e-6)
    assert capture.interfaces == ["downlink 1", "uplink 1", "downlink core", "uplink core"]
    assert len(capture.packets) == len(packets)
    assert [packet.time_ns for packet in capture.packets] == sorted(packet.time_ns for packet in capture.packets)
    assert set(tcp["role"]) == {"client", "server"} and set(tcp["link"]) == {1} and set(tcp["client"]) == {1, 2}
    for client, size in ((1, 200_000), (2, 400_000)):
        mine = tcp[tcp["client"] == client]
        address = f"10.77.2.{client}:"
        assert (mine["local"].where(mine["role"] == "client", mine["peer"]).str.startswith(address)).all()
        assert 0 < mine[mine["role"] == "server"]["acked_bytes"].max() < size + 1000


def test_packets_and_tcp_of_links_of_their_own_have_their_clocks(pattern, tmp_path):
    for name, rate in (("a", 20e6), ("b", 10e6)):
        native.save(pattern([rate]), tmp_path / f"{name}.csv")
    both = ("--pattern", tmp_path / "a.csv", "--pattern", tmp_path / "b.csv")
    packets, tcp, link, capture = fetch(tmp_path, *both, seconds=2)
    assert (packets["link"] == packets["client"]).all() and set(packets["link"]) == {1, 2}
    for number in (1, 2):
        came = packets[packets["link"] == number]
        # From its own first packet on, as the telemetry.
        assert came["arrival_s"].min() == pytest.approx(0.0, abs=1e-6)
        assert came["arrival_s"].max() < link[link["link"] == number]["time_s"].max() + 0.1
        assert 0 <= tcp[tcp["client"] == number]["time_s"].min() < 0.5
    # In the capture there is one clock: the second client came 2 s later.
    begins_ns = {
        name: min(packet.time_ns for packet in capture.packets if capture.interfaces[packet.interface] == name)
        for name in ("uplink 1", "uplink 2")
    }
    assert 1.5e9 < begins_ns["uplink 2"] - begins_ns["uplink 1"] < 3.5e9


def test_files_that_cannot_be_written_are_refused_before_anything_runs(pattern, tmp_path):
    native.save(pattern([20e6]), tmp_path / "c.csv")
    for option, name in (("--packets", "p.csv"), ("--packets", "no/p.parquet"), ("--tcp", "no/t.parquet")):
        words = ["--pattern", tmp_path / "c.csv", option, tmp_path / name, "--", "touch", tmp_path / "ran"]
        assert str(tmp_path / name) in mmwemu(*words, code=2).stderr
    assert not (tmp_path / "ran").exists()
