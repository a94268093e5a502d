"""Programs in a testbed, and what is left when it ends, however it ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mmwemu.core import process
from mmwemu.core.errors import InputError, MissingError, MmwemuError
from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.testbed import open_testbed
from tests.testbeds import replaying

pytestmark = pytest.mark.link

HEAD = """
from mmwemu.testbed.testbed import open_testbed

with open_testbed() as testbed:
    inside = [place.popen(["sh", "-c", "setsid sleep 1000 & sleep 1000"]) for place in testbed.places]
    print(testbed.sandboxes[0].pid, flush=True)
    inside[0].wait()
"""


@pytest.fixture
def testbed():
    with open_testbed() as opened:
        yield opened


def output(place, *argv, **options):
    process = place.popen(argv, stdout=subprocess.PIPE, text=True, **options)
    return process.communicate(timeout=20)[0]


def network_of(pid):
    try:
        return str(Path(f"/proc/{pid}/ns/net").readlink())
    except OSError:
        return None


def inhabitants(networks):
    """Give the processes of this machine that are in one of some network namespaces."""
    pids = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    return [pid for pid in pids if network_of(pid) in networks]


def gone(networks, within_s=5.0):
    """Whether no process is left in some network namespaces within a time."""
    end = time.monotonic() + within_s
    while inhabitants(networks):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def test_each_role_has_its_own_network_and_its_own_processes(testbed):
    networks = {output(place, "readlink", "/proc/self/ns/net") for place in testbed.places}
    assert len(networks) == 2
    assert f"{Path('/proc/self/ns/net').readlink()}\n" not in networks
    numbers = output(testbed.client, "sh", "-c", "echo /proc/[0-9]*").split()
    assert "/proc/1" in numbers and len(numbers) < 10


def test_addresses_environment_folder_and_low_ports(testbed, tmp_path):
    script = "echo $MMWEMU_CLIENT $MMWEMU_SERVER $MARK; pwd; id -u"
    lines = output(testbed.client, "sh", "-c", script, cwd=tmp_path, env=os.environ | {"MARK": "m"}).splitlines()
    assert lines == [f"{testbed.client.address} {testbed.server.address} m", str(tmp_path), "0"]
    bind = "import os, socket; socket.create_server((os.environ['MMWEMU_SERVER'], 80)); print('bound')"
    assert output(testbed.server, sys.executable, "-c", bind) == "bound\n"


def test_exit_codes_and_signals_are_those_of_the_program(testbed):
    assert testbed.client.popen(["sh", "-c", "exit 7"]).wait() == 7
    assert testbed.server.popen(["sh", "-c", "kill -SEGV $$"]).wait() == -signal.SIGSEGV
    assert testbed.server.popen(["sh", "-c", "kill -KILL $$"]).wait() == -signal.SIGKILL


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1])
def test_signals_reach_the_program(testbed, number):
    script = (
        "import signal, sys, time\n"
        f"signal.signal({int(number)}, lambda *_: sys.exit(40))\n"
        "print('ready', flush=True)\n"
        "while True: time.sleep(0.05)"  # a signal just before a long sleep would not cut it short
    )
    inside = testbed.client.popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    inside.stdout.readline()
    inside.send_signal(number)
    assert inside.wait(10) == 40


def test_a_killed_program_is_killed_inside_too(testbed):
    inside = testbed.client.popen(["sleep", "1000"])
    end = time.monotonic() + 10
    ours = {network_of(os.getpid())}
    while (networks := {network_of(inside.pid)}) == ours or len(inhabitants(networks)) < 3:
        assert time.monotonic() < end
        time.sleep(0.01)
    inside.kill()
    assert inside.wait(10) == -signal.SIGKILL
    end = time.monotonic() + 5
    while len(inhabitants(networks)) > 1:  # the testbed's first process
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_program_that_does_not_exist_is_refused(testbed):
    with pytest.raises(InputError, match="nosuch: is not a program in PATH"):
        testbed.client.popen(["nosuch"])


def test_leaving_ends_everything():
    with open_testbed() as testbed:
        inside = [place.popen(["sh", "-c", "setsid sleep 1000 & wait"]) for place in testbed.places]
        networks = {output(place, "readlink", "/proc/self/ns/net").strip() for place in testbed.places}
        assert len(inhabitants(networks)) >= 4
    assert inhabitants(networks) == []
    assert [process.returncode for process in inside] == [-signal.SIGKILL] * 2
    testbed.links[1].close()


@pytest.mark.parametrize("victim", ["head", "emulator"])
def test_a_kill_leaves_nothing(victim):
    with process.start([sys.executable, "-P", "-c", HEAD], stdout=subprocess.PIPE) as head:
        pid = int(head.stdout.readline())
        (children,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        networks = {network_of(pid), network_of(children)}
        assert len(networks) == 2
        end = time.monotonic() + 10
        while len(inhabitants(networks)) < 8:  # emulator, first process, two in each pair of shell and sleep, wrappers
            assert time.monotonic() < end
            time.sleep(0.02)
        os.kill(head.pid if victim == "head" else pid, signal.SIGKILL)
        assert gone(networks)
        head.wait(10)


def test_an_emulator_that_was_killed_is_an_error(pattern):
    with replaying(LinkSettings(pattern([10e6]))) as testbed:
        os.kill(testbed.sandboxes[0].pid, signal.SIGKILL)
        with pytest.raises(MmwemuError, match="the link ended with exit code -9"):
            testbed.telemetry()


def test_what_the_emulator_refuses_is_an_error_and_it_goes_on(testbed):
    with pytest.raises(MmwemuError, match="link: unknown message: 'nonsense'"):
        testbed.sandboxes[0].ask("nonsense")
    message_fd = os.memfd_create("message")
    os.write(message_fd, b"replay 1\nnonsense 1\nsteps\n")
    with pytest.raises(MmwemuError, match=r"link: .*'nonsense' is not a known name"):
        testbed.sandboxes[0].ask("start", [message_fd, os.memfd_create("record")])
    assert testbed.client.popen(["true"]).wait() == 0


def test_a_testbed_needs_a_start_before_it_has_telemetry(testbed):
    with pytest.raises(MmwemuError, match="has not been started"):
        testbed.telemetry()


def test_two_testbeds_do_not_meet():
    with open_testbed() as first, open_testbed() as second:
        networks = {output(place, "readlink", "/proc/self/ns/net") for place in (*first.places, *second.places)}
    assert len(networks) == 4


def test_the_log_is_kept_where_it_is_asked_for(tmp_path):
    with open_testbed(log_dir=tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["link.log"]


def test_without_the_program_it_is_missing(monkeypatch, tmp_path):
    monkeypatch.setattr("mmwemu.__path__", [str(tmp_path)])
    with pytest.raises(MissingError, match="mmwemu-link was not built"), open_testbed():
        pass


def test_namespaces_that_are_switched_off_are_an_error_with_the_command(tmp_path):
    # In a user namespace of its own, root may set the switches for what is below.
    script = tmp_path / "head.py"
    script.write_text(HEAD)
    switch_off = f"echo 0 > /proc/sys/user/max_net_namespaces && exec {sys.executable} {script}"
    unshare = process.find_tool("unshare", "install util-linux")
    done = process.run([unshare, "--user", "--map-root-user", "sh", "-c", switch_off], timeout_s=30)
    if b"unshare:" in done.stderr or b"cannot create" in done.stderr:
        pytest.skip(f"no user namespace for this test: {done.stderr.decode().strip()}")
    last = done.stderr.decode().strip().splitlines()[-1]
    assert "MissingError: namespaces are switched off: user.max_net_namespaces = 0" in last
    assert last.endswith("allow them with: sudo sysctl -w user.max_net_namespaces=15000")
