"""What goes wrong around a link: it is noticed, what was measured is kept, and nothing is left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from mmwemu.core import process
from mmwemu.core.errors import MissingError
from mmwemu.link.check import check
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.formats import native
from tests.link.measures import PEERS
from tests.programs import MMWEMU
from tests.testbeds import replaying

pytestmark = pytest.mark.link


@pytest.fixture
def link(tmp_path, pattern):
    """Start mmwemu link with options and a command over 10 Mbit/s, with its telemetry kept in ``log``."""
    native.save(pattern([10e6]), tmp_path / "p.csv")

    def start(*words, serve=None):
        served = ["--serve", f"{sys.executable} {PEERS} {serve}"] if serve else []
        argv = [*MMWEMU, "link", "--pattern", tmp_path / "p.csv", "--log", tmp_path / "log", *served, *words]
        return process.start(list(map(str, argv)), stderr=subprocess.PIPE, stdout=subprocess.PIPE)

    return start


def family(pid):
    """Give the processes below one, and itself."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(member for child in children for member in family(int(child)))]


def all_gone(pids, within_s=5.0):
    end_s = time.monotonic() + within_s
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        if time.monotonic() > end_s:
            return False
        time.sleep(0.02)
    return True


def test_a_flood_is_dropped_and_counted_and_the_link_goes_on(pattern, ask):
    with replaying(LinkSettings(pattern([10e6]), delay_s=0.005, queue_bytes=50_000)) as testbed:
        ask(testbed.server, "udp_echo", wait=False)
        sent = int(ask(testbed.client, "udp_storm", 1.5, 1000))
        pages = int(Path(f"/proc/{testbed.sandboxes[0].pid}/statm").read_text().split()[1])
        result, frame = check(testbed.telemetry()), testbed.telemetry()
        time.sleep(0.2)  # the queue of 40 ms is empty again
        rtts_s = [float(line) for line in ask(testbed.client, "udp_rtt", 5, 0.01).split()]
    up = frame[frame["direction"] == "uplink"].sum(numeric_only=True)
    assert sent * 1028 * 8 / 1.5 > 5 * 10e6
    # All that was sent is accounted for, but for what is still in the queue; the devices' drops are known each 100 ms.
    counted = up["delivered_packets"] + sum(up[f"dropped_{cause}_packets"] for cause in ("queue", "device"))
    # The client says of echoes that come when it has ended that nobody is there.
    assert 0.8 * sent < counted <= 1.01 * sent
    assert up["dropped_queue_packets"] > 0.5 * sent
    assert 0.97 < result.delivered_ratio < 1.03
    assert all("devices" in reason or "late" in reason for reason in result.reasons)
    assert pages * os.sysconf("SC_PAGE_SIZE") < 200e6
    assert min(rtts_s) < 0.05


def test_a_command_that_never_ends_is_ended(link, tmp_path):
    script = "trap '' TERM; ping -q -i 0.05 $MMWEMU_SERVER & sleep 1000; while true; do sleep 1000; done"
    begin_s = time.monotonic()
    with link("--limit-s", "1.5", "--", "sh", "-c", script) as head:
        time.sleep(1.2)
        members = family(head.pid)
        _, words = head.communicate(timeout=30)
    assert head.returncode == 124
    assert b"the command did not end within 1.5 s" in words
    assert time.monotonic() - begin_s < 15
    assert len(members) > 4 and all_gone(members)
    kept = pd.read_parquet(tmp_path / "log" / "link.parquet")
    assert kept["delivered_packets"].sum() > 10


def test_a_command_that_ends_in_time_has_its_own_exit_code(link):
    with link("--limit-s", "20", "--", "sh", "-c", "exit 7") as head:
        assert head.wait(20) == 7


@pytest.mark.parametrize("end", ["loop", "hold", "stop"])
def test_a_pattern_that_is_shorter_than_the_run_ends_as_it_says(pattern, ask, end):
    # 0.25 s with 1 Mbit/s for small packets, 0.25 s of an outage in which they are lost, 0.25 s with 1 Mbit/s.
    short = pattern([1e6, 0, 1e6], step_s=0.25, outage="drop", end=end)
    with replaying(LinkSettings(short, delay_s=0.001)) as testbed:
        ask(testbed.server, "udp_echo", wait=False)
        lines = ask(testbed.client, "udp_stream", 170, 0.01, 100).splitlines()
        result = check(testbed.telemetry())
    came = [float(line.split()[1]) for line in lines]
    after = [sent_s for sent_s in came if sent_s > 0.77]
    if end == "stop":
        assert not after
    elif end == "hold":
        assert len(after) > 85
    else:
        assert len(after) > 50 and not [s for s in after if 1.02 < s < 1.23]
    assert result.device_drops == 0


@pytest.mark.parametrize("busy", [True, False])
def test_a_suspension_voids_the_run_which_is_kept(link, tmp_path, busy):
    command = f"{PEERS} tcp_goodput 0.5 1.5" if busy else "-c 'import time; time.sleep(3)'"
    script = f"ping -q -c 2 -i 0.2 $MMWEMU_SERVER >/dev/null; echo begun; exec {sys.executable} {command}"
    with link("--", "sh", "-c", script, serve="tcp_source") as head:
        # It says so when ping has ended and the rest begins.
        assert {head.stdout.readline() for _ in range(2)} == {b"ready\n", b"begun\n"}
        time.sleep(0.3)
        members = family(head.pid)
        assert len(members) > 4
        for pid in members:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(1)
        for pid in members:
            os.kill(pid, signal.SIGCONT)
        _, words = head.communicate(timeout=30)
    assert head.returncode == 0
    assert b"the link was not valid: the link stood still for 1." in words
    assert pd.read_parquet(tmp_path / "log" / "link.parquet")["lateness_s"].max() == pytest.approx(1, abs=0.3)


def in_own_mounts(script):
    """Run a script as root of its own mounts; what it says last on stderr."""
    unshare = process.find_tool("unshare", "install util-linux")
    done = process.run([unshare, "--user", "--map-root-user", "--mount", "sh", "-c", script], timeout_s=60)
    if b"unshare:" in done.stderr or b"mount:" in done.stderr:
        pytest.skip(f"no namespaces for this test: {done.stderr.decode().strip()}")
    return done.returncode, done.stderr.decode().strip().splitlines()[-1]


def test_without_a_tun_device_it_says_how_to_get_one():
    command = " ".join(f"'{word}'" for word in [*MMWEMU, "link", "--pattern", "s1-long-nlos.lte", "--", "true"])
    code, words = in_own_mounts(f"mount -t tmpfs none /dev/net && {command}")
    assert code == MissingError.exit_code
    assert "no TUN device: open /dev/net/tun: No such file or directory; load it with: sudo modprobe tun" in words
    code, words = in_own_mounts(f"mount --bind /dev/null /dev/net/tun && {command}")
    assert code != 0 and "Traceback" not in words
