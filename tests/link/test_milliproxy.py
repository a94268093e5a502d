"""milliProxy at the base station, with real connections."""

import hashlib
import subprocess
import sys

import pytest

from mmwemu.link.check import check
from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.topology import CoreLink, Topology
from tests.link.measures import make_pattern
from tests.link.test_proxies import Proxied
from tests.testbeds import replaying

pytestmark = pytest.mark.link

DELAY_S = 0.01
SIZE = 45_000_000
BLOCK = bytes(range(256)) * 256  # what the server gives again and again
# Prints how long a download took, and its hash.
FETCH = """
import hashlib, os, socket, sys, time
connection = socket.create_connection((os.environ["MMWEMU_SERVER"], 5005), timeout=40)
begin_s, found = time.monotonic(), hashlib.sha256()
connection.sendall(f"give {sys.argv[1]}\\n".encode())
while part := connection.recv(1 << 20):
    found.update(part)
print(time.monotonic() - begin_s, found.hexdigest())
"""


def digest(size):
    found = hashlib.sha256()
    for begin in range(0, size, len(BLOCK)):
        found.update(BLOCK[: size - begin])
    return found.hexdigest()


def download(proxy, cc, clients=1):
    """Download with all clients at once: how long each took, and the telemetry of the access link's downlink."""
    pattern = make_pattern([300e6, 300e6, 30e6, 300e6])
    options = {"scheduler": "round-robin"} if clients > 1 else {}
    settings = LinkSettings(pattern, delay_s=DELAY_S, queue_bytes=4_000_000, **options)
    with replaying(settings, topology=Topology(clients, core=CoreLink()), edge_proxy=proxy) as testbed:
        testbed.set_congestion_control(cc)
        Proxied(testbed)
        argv, size = [sys.executable, "-c", FETCH], SIZE // clients
        programs = [one.popen([*argv, str(size)], stdout=subprocess.PIPE, text=True) for one in testbed.clients]
        answers = [program.communicate(timeout=60)[0].split() for program in programs]
        telemetry = testbed.telemetry()
        assert all(check(part).valid for _, part in telemetry.groupby("link"))
    assert [found for _, found in answers] == [digest(size)] * clients
    access = telemetry[(telemetry["link"] == 1) & (telemetry["direction"] == "downlink")]
    return max(float(took_s) for took_s, _ in answers), access


@pytest.mark.parametrize("clients", [1, 2])
def test_a_download_waits_less_and_lasts_about_as_long(clients):
    plain_s, plain = download(None, "cubic", clients)
    proxied_s, proxied = download("milliproxy", "cubic", clients)
    # Each client is told the rate that it would have alone, so that of n of them n - 1 windows wait.
    assert proxied["queue_bytes"].mean() < (0.3, 0.6)[clients - 1] * plain["queue_bytes"].mean()
    assert proxied_s < 1.3 * plain_s
    assert proxied["dropped_queue_bytes"].sum() == 0


@pytest.fixture(scope="module")
def proxied():
    settings = LinkSettings(make_pattern([80e6, 8e6, 0, 80e6], step_s=0.1), delay_s=DELAY_S, start="now",
                            scheduler="round-robin", milliproxy_delay_s=0.003)  # fmt: skip
    with replaying(settings, topology=Topology(2, core=CoreLink()), edge_proxy="milliproxy") as testbed:
        yield Proxied(testbed)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_sent_comes_whole_and_halves_end_apart(proxied, seed):
    assert proxied.ask("exchange", seed, client=seed % 2) == ["True"]


def test_an_upload_comes_whole(proxied):
    assert proxied.ask("upload", 3_000_000) == ["True"]


def test_resets_pass_in_both_directions(proxied):
    assert proxied.ask("is_reset") == ["reset", "reset"]
    proxied.ask("reset")
    assert proxied.said() == "reset"


def test_many_connections_at_once(proxied):
    assert proxied.ask("many", 100) == ["100"]
