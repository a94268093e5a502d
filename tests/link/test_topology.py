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
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.testbed import open_testbed
from mmwemu.testbed.topology import CORE, CoreLink, Topology
from tests.programs import MMWEMU
from tests.testbeds import replaying
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


def rtts_s(ask, place):
    return sorted(map(float, ask(place, "udp_rtt", 20, 0.01).split()))


def downloads(testbed, clients, seconds):
    """Download with some clients at once, and count from when all are there; return the words of each."""
    server = testbed.server.popen([sys.executable, "-c", SOURCE], stdout=subprocess.PIPE)
    assert server.stdout.readline() == b"ready\n"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    programs = [client.popen([sys.executable, "-c", SINK, str(seconds)], **pipes) for client in clients]
    assert [program.stdout.readline() for program in programs] == ["ready\n"] * len(clients)
    begin_s = time.monotonic() + 1
    for program in programs:
        program.stdin.write(f"{begin_s}\n")
        program.stdin.flush()
    return [program.communicate(timeout=60)[0].split() for program in programs]


def of_link(telemetry, link, direction):
    return telemetry[(telemetry["link"] == link) & (telemetry["direction"] == direction)]


def test_the_edge_is_between_access_and_core_link(pattern, ask):
    settings = LinkSettings(pattern([50e6], delay_s=0.004), delay_s=0.015)
    with replaying(settings, topology=Topology(core=CoreLink())) as testbed:
        ask(testbed.server, "udp_echo", wait=False)
        whole, half = rtts_s(ask, testbed.client), rtts_s(ask, testbed.edge)
        assert whole[0] >= 0.038 and whole[10] < 0.043
        assert half[0] >= 0.030 and half[10] < 0.033
        # The access link is the client's only: the edge's packets did not meet it.
        telemetry = testbed.telemetry()
        assert [of_link(telemetry, link, "uplink")["delivered_packets"].sum() for link in (1, CORE)] == [20, 40]


def test_the_core_link_has_rate_loss_and_a_queue_of_its_own(pattern, ask):
    core = CoreLink(rate_bps=5e6, loss=0.1)
    with replaying(LinkSettings(pattern([50e6]), delay_s=0.002), topology=Topology(core=core)) as testbed:
        ask(testbed.server, "udp_echo", wait=False)
        came = ask(testbed.client, "udp_stream", 300, 0.002, 972).splitlines()
        telemetry = testbed.telemetry()
    assert 180 < len(came) < 290  # 81 % of 300 are expected
    up, down = (of_link(telemetry, CORE, direction) for direction in ("uplink", "downlink"))
    lost = [part["dropped_loss_packets"].sum() for part in (up, down)]
    assert lost == [300 - up["delivered_packets"].sum(), up["delivered_packets"].sum() - len(came)]
    assert telemetry[telemetry["link"] == 1]["dropped_loss_packets"].sum() == 0
    assert of_link(telemetry, 1, "downlink")["delivered_packets"].sum() == len(came)


@pytest.mark.parametrize("clients", [3, pytest.param(100, marks=pytest.mark.long)])
def test_clients_of_one_link_share_its_rate(pattern, clients):
    """A hundred clients take long to start."""
    settings = LinkSettings(pattern([60e6]), delay_s=0.005, queue_bytes=300_000, aqm="fq_codel")
    with replaying(settings, topology=Topology(clients)) as testbed:
        testbed.set_congestion_control("cubic")
        said = downloads(testbed, testbed.clients, 3)
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
    settings = LinkSettings(pattern([40e6]), delay_s=0.005, queue_bytes=300_000, **options)
    with PacketLog(folder, headers=True) as log, open_testbed(Setup(Topology(clients))) as testbed:
        testbed.start(settings, packets={1: log})
        testbed.set_congestion_control("cubic")
        first, *others = testbed.clients
        flood = [sys.executable, PEERS, "udp_flood"]
        server = testbed.server.popen(flood, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert server.stdout.readline() == b"ready\n"
        begin_s = time.monotonic()
        first.popen([sys.executable, PEERS, "udp_bins", "80e6", "1500", "20", "1"], stdout=subprocess.DEVNULL)
        downloads(testbed, others, 2.5)
        assert time.monotonic() - begin_s < 20
        assert 0.97 < check(testbed.telemetry()).delivered_ratio < 1.03
        testbed.links[1].finish_packets()
        records = log.records()
    # The last two seconds of the downloads, which the log ends with.
    end_ns = records["departure_ns"][records["ending"] == 0].max()
    last = records[(records["direction"] == 0) & (records["ending"] == 0) & (records["departure_ns"] > end_ns - 2e9)]
    return [last["size_bytes"][last["header"][:, 19] == i].sum() * 8 / 2 for i in range(1, clients + 1)]


@pytest.mark.parametrize(
    ("clients", "aqm"), [(2, "fq_codel"), (4, "drop-tail"), pytest.param(2, "drop-tail", marks=pytest.mark.long)]
)
def test_clients_take_turns_whoever_floods(pattern, tmp_path, clients, aqm):
    """Two clients with drop-tail are as four, and take as long."""
    rates = shares_bps(pattern, tmp_path, clients, scheduler="round-robin", aqm=aqm)
    assert rates == pytest.approx([40e6 / clients] * clients, rel=0.03)


def test_without_turns_who_floods_gets_it_all(pattern, tmp_path):
    flooded, download = shares_bps(pattern, tmp_path, 2)
    assert flooded > 30e6 and download < 8e6


def test_clients_with_links_of_their_own_have_a_pattern_each(pattern):
    settings = [LinkSettings(pattern([mbit * 1e6]), delay_s=0.005) for mbit in (10, 20, 40)]
    with replaying(*settings, topology=Topology(3, shared=False)) as testbed:
        testbed.set_congestion_control("cubic")
        said = downloads(testbed, testbed.clients, 2.5)
        results = [check(link.telemetry()) for link in testbed.links.values()]
    rates = [int(words[3]) * 8 / 2.5 / (1448 / 1500) / 1e6 for words in said]
    assert rates == pytest.approx([10, 20, 40], rel=0.15)
    assert all(0.97 < result.delivered_ratio < 1.03 for result in results)


def test_many_links_of_their_own_go_on(pattern):
    # The table of devices of the network they share is longer than a page.
    with replaying(LinkSettings(pattern([1e6]), delay_s=0.005), topology=Topology(40, shared=False)) as testbed:
        argv = ["ping", "-q", "-c", "4", "-i", "0.2", testbed.server.address]
        programs = [client.popen(argv, stdout=subprocess.PIPE) for client in testbed.clients]
        said = [program.communicate(timeout=60)[0] for program in programs]
        assert all(b" 0% packet loss" in words for words in said)
        assert set(testbed.telemetry()["link"]) == set(range(1, 41))


def test_settings_that_do_not_fit_the_links_are_refused(pattern):
    with open_testbed(Setup(Topology(3, shared=False))) as testbed:
        with pytest.raises(InputError, match="pattern: there are 2, and 3 access links"):
            testbed.start(*[LinkSettings(pattern([1e6]))] * 2)


def test_a_kill_leaves_nothing():
    script = (
        "import time; from contextlib import ExitStack; from mmwemu.testbed.topology import *\n"
        "from mmwemu.testbed.setup import Setup; from mmwemu.testbed.testbed import open_testbed\n"
        "stack = ExitStack()\n"
        "for topology in (Topology(3, core=CoreLink()), Topology(3, shared=False)):\n"
        "    testbed = stack.enter_context(open_testbed(Setup(topology)))\n"
        "    for place in (testbed.clients[2], testbed.server): place.popen(['sleep', '1000'])\n"
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
    argv = [*MMWEMU, "link", *map(str, words)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, done.stderr
    return done


def test_the_verb_runs_a_command_on_all_clients_and_keeps_what_the_links_did(pattern, tmp_path):
    native.save(pattern([20e6]), tmp_path / "p.csv")
    script = "ping -q -c 2 -i 0.2 $MMWEMU_SERVER >/dev/null && echo $MMWEMU_NUMBER $MMWEMU_EDGE"
    script += "; exit $((MMWEMU_NUMBER / 3 * 7))"
    words = ["--pattern", tmp_path / "p.csv", "--clients", 3, "--core-rate", "100Mbit/s", "--log", tmp_path / "log"]
    done = mmwemu(*words, "--serve", f"{sys.executable} {PEERS} udp_echo", "--", "sh", "-c", script, code=7)
    assert sorted(done.stdout.split()) == sorted(["ready", "1", "2", "3"] + ["10.77.0.1"] * 3)
    kept = pd.read_parquet(tmp_path / "log" / "link.parquet")
    assert kept.groupby("link")["delivered_packets"].sum().to_dict() == {CORE: 2 * 2 * 3, 1: 2 * 2 * 3}


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


def test_packets_and_tcp_of_a_shared_link_say_whose_they_are(pattern, tmp_path):
    native.save(pattern([20e6]), tmp_path / "c.csv")
    packets, tcp, link, capture = fetch(tmp_path, "--pattern", tmp_path / "c.csv", "--clients", 2, "--edge")
    assert set(packets["link"]) == {0, 1} and set(packets["client"]) == {1, 2}
    down = packets[(packets["link"] == 1) & (packets["direction"] == "downlink") & packets["delivery_s"].notna()]
    for client, size in ((1, 200_000), (2, 400_000)):
        came = down[down["client"] == client]["size_bytes"].sum()
        assert size < came < 1.1 * size + 5000
    # What the edge passed on met both links, the core's delay only one of them.
    found = delivered(packets)
    access = link[link["link"] == 1]
    for direction, count in access.groupby("direction")["delivered_packets"].sum().items():
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
