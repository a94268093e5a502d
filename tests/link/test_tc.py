"""Backend tc on the real kernel: what tbf can do everywhere; with netem see test_netem."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mmwemu.core import process
from mmwemu.core.errors import InputError, MissingError
from mmwemu.link.check import check
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.convert import constant
from tests.link import measures
from tests.programs import MMWEMU
from tests.testbeds import replaying

pytestmark = pytest.mark.link

HEAD = """
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.testbed import open_testbed

with open_testbed(Setup(backend="tc")) as testbed:
    inside = [place.popen(["sh", "-c", "setsid sleep 1000 & sleep 1000"]) for place in testbed.places]
    print(testbed.sandboxes[0].pid, flush=True)
    inside[0].wait()
"""


def open_tc(settings, log_dir=None, mode="tbf"):
    return replaying(settings, log_dir=log_dir, backend="tc", tc_mode=mode)


def refused(**settings):
    """Give why this kernel cannot make a link, None if it can."""
    try:
        with open_tc(LinkSettings(constant(1e6, 1.0), **settings)):
            return None
    except MissingError as error:
        return str(error)


@pytest.fixture(scope="module", autouse=True)
def _needs_tbf():
    if why := refused(delay_s=0.0):
        pytest.skip(why)


def run_tcp(ask, settings, seconds=1.5, mode="tbf"):
    """Give goodput, telemetry and check of a TCP stream of the downlink after a warm-up of a second."""
    with open_tc(settings, mode=mode) as testbed:
        testbed.set_congestion_control("cubic")
        ask(testbed.server, "tcp_source", wait=False)
        goodput_bps = float(ask(testbed.client, "tcp_goodput", 1, seconds))
        frame = testbed.telemetry()
        return goodput_bps, frame, check(frame, testbed.links[1].tolerance)


@pytest.mark.parametrize("rate_bps", [10e6, 100e6])
def test_tcp_gets_the_rate(pattern, ask, rate_bps):
    goodput_bps, _, result = run_tcp(ask, LinkSettings(pattern([rate_bps]), delay_s=0.0, queue_bytes=300_000))
    most_bps = rate_bps * 1448 / 1500
    assert 0.95 * most_bps < goodput_bps < 1.02 * most_bps
    assert 0.97 < result.delivered_ratio < 1.02
    assert result.excess_bytes < 20_000


@pytest.mark.parametrize("rates_bps", [[100e6, 50e6], [20e6, 50e6, 0, 80e6], [1e6, 2e6, 4e6]])
def test_the_integral_holds_over_steps_of_10_ms(pattern, ask, rates_bps):
    settings = LinkSettings(pattern(rates_bps, step_s=0.01), delay_s=0.0, queue_bytes=600_000)
    _, frame, result = run_tcp(ask, settings, 2.0)
    # By the counters: the program gets what waited for a resent packet all at once.
    down = frame[(frame["direction"] == "downlink") & frame["time_s"].between(0.5, 2.5)]
    assert down["delivered_bytes"].sum() == pytest.approx(down["capacity_bytes"].sum(), rel=0.02), result


def test_an_outage_holds_every_packet_and_goes_on_at_once(pattern):
    outage = pattern([10e6, 0, 10e6], step_s=0.4, outage="hold", end="hold")
    with open_tc(LinkSettings(outage, delay_s=0.0)) as testbed:
        came_s = measures.come_after_outage_s(testbed)
    assert min(came_s) >= 0.799
    assert sorted(came_s)[len(came_s) // 2] < 0.83


def test_an_outage_that_drops_loses_what_is_sent_in_it(pattern):
    outage = pattern([10e6, 0, 10e6], step_s=0.4, outage="drop", end="hold")
    with open_tc(LinkSettings(outage, delay_s=0.0)) as testbed:
        sent_s = [row[1] for row in measures.echoed(testbed, 100, 0.01, 100)]
        frame = testbed.telemetry()
    assert not [s for s in sent_s if 0.42 < s < 0.78]
    assert frame["dropped_outage_packets"].sum() == pytest.approx(100 - len(sent_s), abs=1.5)


def test_a_slow_step_does_not_outlast_its_end(pattern, ask):
    # At 8 kbit/s a packet of 1000 bytes takes a second, for which tbf would sleep; the rise after 0.2 s wakes it.
    steps = pattern([8e3, 100e6], step_s=0.2, end="hold")
    with open_tc(LinkSettings(steps, delay_s=0.0)) as testbed:
        ask(testbed.server, "udp_echo", wait=False)
        lines = ask(testbed.client, "udp_stream", 10, 0, 972).splitlines()
    assert len(lines) == 10
    # One passes at once and is the uplink's; the slow downlink sends its first, then all follow at the rise.
    assert max(float(line.split()[2]) for line in lines) < 0.35


def test_a_full_queue_drops_and_says_so(pattern):
    with open_tc(LinkSettings(pattern([1e6]), delay_s=0.0, queue_bytes=10_000)) as testbed:
        came = len(measures.echoed(testbed, 50, 0, 972))  # 1000 bytes of IP each
        time.sleep(0.02)
        frame = testbed.telemetry()
    up = frame[frame["direction"] == "uplink"]
    assert 10 <= came <= 20
    assert up["queue_max_bytes"].max() <= 10_000
    assert up["dropped_queue_packets"].sum() == pytest.approx(50 - came, abs=0.01)
    assert up["offered_packets"].sum() == pytest.approx(50, abs=0.01)


def test_the_pattern_starts_with_the_first_packet_and_a_new_start_is_empty(pattern, ask):
    steps = pattern([0, 10e6], step_s=1.0, outage="hold", end="hold")
    with open_tc(LinkSettings(steps, delay_s=0.0, start_at_s=0.7)) as testbed:
        ask(testbed.server, "udp_echo", wait=False)
        assert len(testbed.telemetry()) == 0
        time.sleep(0.3)
        (rtt_s,) = map(float, ask(testbed.client, "udp_rtt", 1, 0).split())
        assert 0.29 <= rtt_s < 0.36
        testbed.start(LinkSettings(pattern([0]), delay_s=0.0))
        assert ask(testbed.client, "udp_stream", 20, 0, 972) == ""
        testbed.start(LinkSettings(pattern([10e6]), delay_s=0.0))
        ask(testbed.client, "udp_rtt", 1, 0)
        time.sleep(0.02)
        assert testbed.telemetry()["delivered_packets"].sum() == pytest.approx(2)


def test_congestion_control_is_set_at_both_ends(pattern, ask):
    with open_tc(LinkSettings(pattern([10e6]), delay_s=0.0)) as testbed:
        ask(testbed.server, "congestion_control_server", wait=False)
        for name in ("cubic", "reno"):
            testbed.set_congestion_control(name)
            assert ask(testbed.client, "congestion_control").split() == [name, name]
        with pytest.raises(InputError, match=r"this kernel has no such algorithm; it has: .*cubic"):
            testbed.set_congestion_control("nosuch")


def test_the_log_says_what_was_set_and_how_late_steps_were(pattern, tmp_path):
    settings = LinkSettings(pattern([1e6, 2e6], step_s=0.01), delay_s=0.0, start="now")
    with open_tc(settings, tmp_path):
        time.sleep(0.1)
    text = (tmp_path / "link.log").read_text()
    for words in ('"offloads_off": ["TSO", "GSO", "GRO"]', '"limit_packets"', '"lateness_p99_s"', '"real_time"'):
        assert words in text


def inhabitants(networks):
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            found += [int(path.name)] if str((path / "ns/net").readlink()) in networks else []
        except OSError:
            continue
    return found


@pytest.mark.parametrize("victim", ["caller", "router", "init"])
def test_a_kill_leaves_nothing(victim):
    with process.start([sys.executable, "-P", "-c", HEAD], stdout=subprocess.PIPE) as caller:
        router = int(caller.stdout.readline())
        children = list(map(int, Path(f"/proc/{router}/task/{router}/children").read_text().split()))
        assert len(children) == 2
        networks = {str(Path(f"/proc/{pid}/ns/net").readlink()) for pid in (router, *children)}
        assert len(networks) == 3
        victims = {"caller": caller.pid, "router": router, "init": max(children)}
        end = time.monotonic() + 10
        while (
            len(inhabitants(networks)) < 9
        ):  # router, first process, mmwemu-link, two pairs of shell and sleep, wrappers
            assert time.monotonic() < end
            time.sleep(0.02)
        os.kill(victims[victim], signal.SIGKILL)
        end = time.monotonic() + 5
        while inhabitants(networks) and time.monotonic() < end:
            time.sleep(0.02)
        left = inhabitants(networks)
        caller.kill()
        assert left == []


def test_delay_and_loss_without_netem_are_refused_by_name(pattern):
    if refused(delay_s=0.001) is None:
        pytest.skip("this kernel has netem")
    for settings, what in (
        (LinkSettings(pattern([1e6]), delay_s=0.011), "a delay of 11 ms"),
        (LinkSettings(pattern([1e6], loss=0.1), delay_s=0.0), "the pattern's loss"),
    ):
        with pytest.raises(MissingError, match=rf"no netem, which backend tc needs for {what}; .*modprobe sch_netem"):
            with open_tc(settings):
                pass
    words = ["link", "--backend", "tc", "--pattern", "s1-long-nlos.lte"]
    done = process.run([*MMWEMU, *words, "--", "true"], timeout_s=30)
    assert done.returncode == 3
    assert done.stderr.decode().strip().count("\n") == 0 and b"--delay-ms 0" in done.stderr
    mode = process.run([*MMWEMU, "link", "--tc-mode", "netem-rate", *words[1:], "--", "true"], timeout_s=30)
    assert mode.returncode == 3 and b"keep the times of the rate before a step" in mode.stderr


def test_the_command_line_runs_a_program_behind_tc(tmp_path):
    words = ["--backend", "tc", "--delay-ms", "0", "--pattern", "s1-long-nlos.lte", "--log", str(tmp_path)]
    done = process.run([*MMWEMU, "link", *words, "--", "sh", "-c", "exit 7"], timeout_s=30)
    assert done.returncode == 7, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"link.log", "link.parquet"}
