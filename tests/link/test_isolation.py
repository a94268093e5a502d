"""What programs in a testbed can do, started by root and by an ordinary user: docs/explanation/isolation.md."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.link.as_who import command
from tests.programs import MMWEMU

pytestmark = pytest.mark.link

TOOLS = ("nsenter", "unshare", "umount", "mount", "ip", "tc", "nft", "sysctl", "setpriv", "mknod", "hostname", "ping")
# SERVER is the process of the program at the server, OUTSIDE that of mmwemu by its number outside.
PRELUDE = """
cd $(dirname $0)
named() { for comm in /proc/[0-9]*/comm; do [ "$(cat $comm 2>/dev/null)" != "$1" ] || echo $comm | cut -d/ -f3; done; }
until SERVER=$(named sleep); [ -n "$SERVER" ]; do sleep 0.02; done
try() { {python} escapes.py "$@"; }
"""
# An attempt that works prints OUT. Those that would hide the processes from the others are the last.
ATTEMPTS = {
    "server_network": "nsenter -t $SERVER -n true || unshare -Ur nsenter -t $SERVER -n true && echo OUT",
    "server_network_by_descriptor": "try enter $SERVER",
    "device_to_server": "ip link add here type veth peer name there netns $SERVER && echo OUT",
    "server_environment": "cat /proc/$SERVER/environ && echo OUT",
    "server_files": "ls /proc/$SERVER/fd/ /proc/$SERVER/root/ && echo OUT",
    "server_trace": "try trace $SERVER",
    "server_descriptor": "try take_descriptor $SERVER",
    "inherited_descriptors": "for fd in $(ls /proc/self/fd); do [ $fd -lt 4 ] || echo OUT; done",
    "signal_outside": "kill -0 $OUTSIDE && echo OUT",
    "abstract_socket": "try abstract_socket {abstract}",
    "loopback": "try loopback {port}",
    "control_socket": "try control_socket",
    # What the other one serves is found by the word in its command line, which that of grep has not.
    "other_testbed": """
        try at_server 4321
        grep -qs '432[1]' /proc/[0-9]*/cmdline && echo OUT
        kill -0 $OTHER && echo OUT
        nsenter --net=/proc/$OTHER/ns/net true && echo OUT
    """,
    "mount": "mount -t tmpfs none /mnt && echo OUT",
    "device_node": "mknod node b 1 1 && echo OUT",
    "host_name": 'hostname "$(hostname)" && echo OUT',
    "swap": "try end_swapping",
    "real_time": "try real_time",
    "covered_proc_in_own_mounts": "unshare --mount umount -l /proc || unshare -Urm umount -l /proc && echo OUT",
    "covered_proc": "umount -l /proc && echo OUT",
    "computer_network": "nsenter --net=/proc/$OUTSIDE/ns/net true && echo OUT",
}
# What works prints yes.
ABILITIES = {
    "devices_and_routes": "ip link add one type veth peer name two && ip address add 10.9.9.1/24 dev one && echo yes",
    "queueing_disciplines": "tc qdisc add dev lo root pfifo && tc qdisc del dev lo root && echo yes",
    "rules": "nft add table ip one && echo yes",
    "network_settings": "sysctl -w net.ipv4.tcp_rmem='4096 8192 12345678' && echo yes",
    "raw_packets": "{python} -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)' && echo yes",
    "ping": "ping -c 1 $MMWEMU_SERVER && echo yes",
    "own_network": "unshare --net ip link set lo up && echo yes",
    "own_mounts": "unshare --mount mount -t tmpfs none /mnt && echo yes",
    "own_processes": "unshare --user --map-root-user --pid --fork --mount-proc true && echo yes",
    "files_of_the_user": "touch written && echo yes",
    "socket_with_a_file": "try file_socket socket",
}
OF_ROOT = {
    "another_user": "setpriv --reuid=54321 --regid=54321 --clear-groups true && echo yes",
    "files_of_others": "touch other && chown 54321:54321 other && echo yes",
    "kernel_settings": "[ -w /proc/sys/kernel/core_pattern ] && echo yes",
}

# Tries the networks that processes and their descriptors lead to; says how many processes it has seen.
EVERY_NETWORK = """
[ "$MMWEMU_NUMBER" = 1 ] || exec sleep 3
own=$(readlink /proc/self/ns/net)
for process in /proc/[0-9]*; do
  for way in $process/ns/net $process/fd/*; do
    case $(readlink $way) in net:*) seen=$(nsenter --net=$way readlink /proc/self/ns/net);; *) seen=$own;; esac
    [ "$seen" = "$own" ] || echo OUT $way
  done
  ip link add name here type veth peer name there netns ${process#/proc/} && ! ip link delete there && echo OUT
done
echo processes: $(echo /proc/[0-9]* | wc -w)
"""
MACHINE = """
ip link set lo up
echo 1 > /proc/sys/net/ipv4/ip_forward
exec "$@"
"""


@pytest.fixture
def folder():
    """Give a folder that everybody may write to."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


@pytest.fixture(scope="module")
def listeners():
    """Listen outside: on the loopback, and on sockets with and without a file."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(socket.create_server(("127.0.0.1", 0))) as loopback,
        closing(socket.socket(socket.AF_UNIX)) as abstract,
        closing(socket.socket(socket.AF_UNIX)) as named,
    ):
        Path(folder).chmod(0o777)
        abstract.bind(f"\0mmwemu-test-{os.getpid()}")
        named.bind(f"{folder}/socket")
        Path(folder, "socket").chmod(0o777)
        for listener in (abstract, named):
            listener.listen()
        yield Path(folder), f"mmwemu-test-{os.getpid()}", loopback.getsockname()[1]


@contextmanager
def other_testbed(who):
    """Yield the process of another testbed of the same user, in which a server listens."""
    listens = "import socket; socket.create_connection(('10.77.0.1', 4321))"
    script = 'until "$0" -c "$1" 2>/dev/null; do sleep 0.1; done; echo ready; exec sleep 1000'
    link = [*MMWEMU, "link", "--pattern", "s1-long-nlos.lte", "--serve", f"{sys.executable} -m http.server 4321", "--"]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        argv = command(who, [*link, "sh", "-c", script, sys.executable, listens], Path(folder))
        with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=folder) as program:
            assert any(line == "ready\n" for line in program.stdout)  # after what the server says
            yield program
            program.terminate()


@pytest.fixture(scope="module", params=["root", "user"])
def said(request, listeners):
    """Run all attempts in one link, with another one beside; give what each printed."""
    for tool in TOOLS:
        if shutil.which(tool, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") is None:
            pytest.skip(f"{tool} is not installed")
    folder, abstract, port = listeners
    home = Path(tempfile.mkdtemp(dir=folder))
    home.chmod(0o777)
    shutil.copy(Path(__file__).with_name("escapes.py"), home)
    (home / "socket").symlink_to("../socket")
    scripts = ABILITIES | OF_ROOT | ATTEMPTS
    words = {"{python}": f"{sys.executable} -P", "{abstract}": abstract, "{port}": str(port)}
    for name, script in scripts.items():
        text = PRELUDE + script
        for word, value in words.items():
            text = text.replace(word, value)
        (home / f"{name}.sh").write_text(text)
    every = "".join(f"timeout 20 sh {home}/{name}.sh > {home}/{name}.out 2>&1\n" for name in scripts)
    (home / "every").write_text(every)
    link = [*MMWEMU, "link", "--pattern", "s1-long-nlos.lte", "--serve", "sleep 1000", "--", "sh", str(home / "every")]
    with other_testbed(request.param) as other:
        outside = f'export OUTSIDE=$$ OTHER={other.pid}; exec "$@"'
        argv = command(request.param, ["sh", "-c", outside, "sh", *link], home)
        done = subprocess.run(argv, capture_output=True, text=True, timeout=120, cwd=home, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return request.param, {name: (home / f"{name}.out").read_text() for name in scripts}


@pytest.mark.parametrize("name", ATTEMPTS)
def test_no_way_out(said, name):
    assert "OUT" not in said[1][name]


@pytest.mark.parametrize("name", ABILITIES)
def test_what_programs_can_do(said, name):
    assert "yes" in said[1][name], said[1][name]


@pytest.mark.parametrize("name", OF_ROOT)
def test_what_only_root_can_do(said, name):
    who, answers = said
    assert ("yes" in answers[name]) == (who == "root"), answers[name]


@pytest.mark.parametrize("who", ["root", "user"])
@pytest.mark.parametrize(
    "options",
    [["--clients", "2"], ["--clients", "2", "--pattern", "s1-long-nlos.mmwave"], ["--edge"], ["--backend", "tc"]],
    ids=["clients", "links", "edge", "tc"],
)
def test_no_way_to_another_place(folder, who, options):
    link = [
        *MMWEMU,
        "link",
        "--pattern",
        "s1-long-nlos.lte",
        "--delay-ms",
        "0",
        *options,
        "--serve",
        "sleep 1000",
        "--",
    ]
    done = subprocess.run(
        command(who, [*link, "sh", "-c", EVERY_NETWORK], folder), capture_output=True, text=True, timeout=60, cwd=folder
    )
    assert int(done.stdout.split("processes:")[1]) > 3
    assert "OUT" not in done.stdout, done.stdout


def test_from_outside_the_control_socket_is_found():
    """So that an attempt which finds nothing has looked in the right place."""
    if os.geteuid() != 0:
        pytest.skip("descriptors of others are for root")
    attempt = [sys.executable, "-P", str(Path(__file__).with_name("escapes.py")), "control_socket"]
    with other_testbed("root"):
        assert "OUT" in subprocess.run(attempt, capture_output=True, text=True, timeout=60, check=True).stdout


def test_no_way_beyond_the_gateway():
    """A network knows those at the other ends of its pairs of devices by numbers."""
    try_it = f"{sys.executable} -P {Path(__file__).with_name('escapes.py')} beyond_gateway"
    link = [
        *MMWEMU,
        "link",
        "--pattern",
        "s1-long-nlos.lte",
        "--outside-by",
        "nat",
        "--serve",
        try_it,
        "--",
        "sleep",
        "5",
    ]
    machine = [
        "unshare",
        "--user",
        "--map-root-user",
        "--net",
        "--mount",
        "--pid",
        "--fork",
        "--kill-child",
        "--mount-proc",
    ]
    done = subprocess.run([*machine, "sh", "-c", MACHINE, "sh", *link], capture_output=True, text=True, timeout=60)
    assert "NetlinkError: (1, 'Operation not permitted')" in done.stderr, done.stderr
