"""Proxies at the edge, with real connections."""

import subprocess
import sys
from pathlib import Path

import pytest

from mmwemu.core.errors import InputError
from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.proxies.registry import MAKERS
from mmwemu.testbed.topology import CORE, CoreLink, Topology
from tests.link.measures import make_pattern
from tests.programs import MMWEMU
from tests.testbeds import need_proxy, replaying

pytestmark = pytest.mark.link

PEERS = str(Path(__file__).with_name("proxy_peers.py"))
DELAY_S = 0.03
CLIENTS = 3


class Proxied:
    """A testbed with a proxy at its edge, and a server behind that."""

    def __init__(self, testbed):
        self.testbed = testbed
        self.server = self.start(testbed.server, "serve")
        assert self.said() == "ready"

    def start(self, place, *words):
        argv = [sys.executable, PEERS, *map(str, words)]
        return place.popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)

    def said(self):
        return self.server.stdout.readline().strip()

    def ask(self, *words, client=0):
        program = self.start(self.testbed.clients[client], *words)
        text, _ = program.communicate(timeout=60)
        assert program.returncode == 0
        return text.split()


@pytest.fixture(scope="module", params=list(MAKERS))
def proxied(request):
    need_proxy(request.param)
    settings = LinkSettings(make_pattern([80e6]), delay_s=DELAY_S, start="now")
    with replaying(settings, topology=Topology(CLIENTS, core=CoreLink()), edge_proxy=request.param) as testbed:
        yield Proxied(testbed)
        assert testbed.proxy_problem() == ""


def test_client_and_server_see_each_other_and_no_proxy(proxied):
    for i, client in enumerate(proxied.testbed.clients):
        address, port, seen, seen_port, server, server_port, took_s = proxied.ask("who", client=i)
        assert (address, server, server_port) == (client.address, proxied.testbed.server.address, "5005")
        assert (seen, seen_port) == (address, port)
        # The handshake with the edge takes no delay of the core link.
        assert float(took_s) < 2 * DELAY_S


def test_the_server_is_asked_beside_the_proxy_by_all_but_tcp(proxied, ask):
    ask(proxied.testbed.server, "udp_echo", wait=False)
    rtts_s = sorted(map(float, ask(proxied.testbed.client, "udp_rtt", 10, 0.01).split()))
    assert rtts_s[0] >= 2 * DELAY_S and rtts_s[5] < 2 * DELAY_S + 0.02
    ping = proxied.testbed.client.popen(["ping", "-c", "2", "-i", "0.2", proxied.testbed.server.address])
    assert ping.wait(20) == 0


@pytest.mark.parametrize("seed", range(6))
def test_what_is_sent_comes_whole_and_halves_end_apart(proxied, seed):
    assert proxied.ask("exchange", seed, client=seed % CLIENTS) == ["True"]


def test_an_upload_comes_whole(proxied):
    assert proxied.ask("upload", 5_000_000) == ["True"]


def test_resets_pass_in_both_directions(proxied):
    # To a closed port the proxy can only reset what it has accepted. HAProxy makes plain ends of a server's resets.
    way = "ended" if proxied.testbed.setup.edge_proxy == "haproxy" else "reset"
    assert proxied.ask("is_reset") == [way, way]
    proxied.ask("reset")
    assert proxied.said() == "reset"


def test_many_connections_at_once(proxied):
    assert proxied.ask("many", 200) == ["200"]


def test_a_port_can_be_used_again_at_once(proxied):
    *ports, longest_s = proxied.ask("again")
    assert ports == ["40000"] * 3
    assert float(longest_s) < 0.9  # no SYN was sent twice


def test_a_client_that_does_not_read_stops_the_server(proxied):
    got, whole = proxied.ask("slow")
    assert (got, whole) == (proxied.said(), "True")
    # Six buffers of TCP of at most 64 MiB, and the proxy's own.
    assert 1e6 < int(got) < 6.5 * 2**26


def test_the_edge_has_a_congestion_control_of_its_own():
    settings = LinkSettings(make_pattern([80e6]), delay_s=DELAY_S, start="now")
    topology = Topology(CLIENTS, core=CoreLink())
    with replaying(settings, topology=topology, edge_proxy="split", edge_congestion_control="bbr") as testbed:
        testbed.set_congestion_control("reno")
        proxied = Proxied(testbed)
        held = [proxied.start(client, "hold") for client in testbed.clients[:2]]
        assert [program.stdout.readline() for program in held] == ["held\n"] * 2
        found = {}
        for place in (testbed.clients[0], testbed.edge, testbed.server):
            listed = place.popen(["ss", "-tinH", "state", "established"], stdout=subprocess.PIPE, text=True)
            lines = listed.communicate(timeout=20)[0].splitlines()[1::2]
            found[place.name] = [line.split()[0] for line in lines]
        assert found == {"client 1": ["reno"], "edge": ["bbr"] * 4, "server": ["reno"] * 2}


def test_an_edge_cannot_have_a_congestion_control_that_the_kernel_lacks():
    topology = Topology(core=CoreLink())
    with pytest.raises(InputError, match="congestion control nosuch: this kernel has no such algorithm"):
        with replaying(topology=topology, edge_congestion_control="nosuch"):
            pass


def test_a_server_at_the_edge_is_asked_without_the_proxy(proxied):
    script = "import socket; s = socket.create_server(('', 5006)); print('ready', flush=True); print(s.accept()[1][0])"
    server = proxied.testbed.edge.popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert server.stdout.readline() == "ready\n"
    client = proxied.testbed.clients[1]
    ask = "import os, socket; socket.create_connection((os.environ['MMWEMU_EDGE'], 5006))"
    assert client.popen([sys.executable, "-c", ask]).wait(20) == 0
    assert server.communicate(timeout=20)[0].strip() == client.address


def test_both_links_carry_what_the_proxy_passed_on(proxied):
    proxied.testbed.start(LinkSettings(make_pattern([80e6]), delay_s=DELAY_S, start="now"))
    proxied.ask("upload", 1_000_000)
    telemetry = proxied.testbed.telemetry()
    carried = telemetry[telemetry["direction"] == "uplink"].groupby("link")["delivered_bytes"].sum()
    assert all(1_000_000 < carried[number] < 1_200_000 for number in (1, CORE))


@pytest.mark.parametrize("proxy", list(MAKERS))
def test_clients_with_links_of_their_own_have_the_proxy_too(proxy):
    need_proxy(proxy)
    settings = LinkSettings(make_pattern([80e6]), delay_s=DELAY_S, start="now")
    with replaying(settings, topology=Topology(2, shared=False, core=CoreLink()), edge_proxy=proxy) as testbed:
        proxied = Proxied(testbed)
        for i, client in enumerate(testbed.clients):
            address, port, seen, seen_port, *_, took_s = proxied.ask("who", client=i)
            assert (address, seen, seen_port) == (client.address, client.address, port)
            assert float(took_s) < 2 * DELAY_S


def test_a_session_tells_that_its_proxy_has_ended():
    words = [
        "--pattern",
        "s4-outage.mmwave",
        "--edge-proxy",
        "split",
        "--",
        "sh",
        "-c",
        "kill -9 $(pidof mmwemu-relay); sleep 0.5",
    ]
    done = subprocess.run([*MMWEMU, "link", *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert "edge proxy split: mmwemu-relay was ended by SIGKILL" in done.stderr
