"""The real network behind a pattern; a network namespace stands for the machine, its loopback for the rest."""

import shutil
import subprocess
import sys
import time

import pytest

from mmwemu.core import process
from mmwemu.core.errors import MissingError
from tests.link.measures import PEERS

pytestmark = pytest.mark.link

GATEWAYS = ("nat", "pasta", "slirp4netns")
LONG = pytest.mark.long
# Root of the machine, root without a right to its network, and an ordinary user.
WHO = {
    "nat": "",
    "slirp4netns": "unshare --user --map-root-user",
    "pasta": "unshare --user --map-user=1000 --map-group=1000",
}
MACHINE = r"""
set -e
ip link set lo up
ip link add uplink type veth peer name far
ip address add 192.0.2.2/24 dev uplink
ip link set uplink up
ip link set far up
ip route add default via 192.0.2.1
echo 1 > /proc/sys/net/ipv4/ip_forward
echo "nameserver 127.0.0.1" > {folder}/resolv.conf
mount --bind {folder}/resolv.conf $(realpath /etc/resolv.conf)
printf '#!/bin/sh\nexec {python} -c "from mmwemu.cli.main import main; main()" "$@"\n' > {folder}/mmwemu
chmod +x {folder}/mmwemu
serve() {{
  MMWEMU_SERVER=0.0.0.0 {python} {peers} "$@" > {folder}/server &
  until grep -q ready {folder}/server; do sleep 0.02; done
}}
link() {{ {who} {folder}/mmwemu link --pattern {folder}/p.csv {options} -- "$@"; }}
clients() {{ {who} {folder}/mmwemu link --pattern {folder}/p.csv {options} "$@"; }}
nested() {{ link {folder}/mmwemu link --pattern {folder}/p.csv --outside -- "$@"; }}
peer() {{ echo "export MMWEMU_SERVER=\$MMWEMU_OUTSIDE; exec {python} {peers} $*"; }}
"""


@pytest.fixture
def machine(tmp_path, pattern):
    """Run a script on a machine of its own, with `serve`, `link`, `nested` and `peer`; give what it prints."""
    from mmwemu.pattern.formats import native

    for tool in ("nft", "ip", "unshare"):
        try:
            process.find_tool(tool, "install it")
        except MissingError as error:
            pytest.skip(str(error))
    native.save(pattern([20e6]), tmp_path / "p.csv")

    def run(script, gateway="nat", options=None, code=0):
        if gateway != "nat" and shutil.which(gateway) is None:
            pytest.skip(f"{gateway} is not installed")
        words = {"folder": tmp_path, "python": f"{sys.executable} -P", "peers": PEERS, "who": WHO[gateway]}
        options = f"--outside-by {gateway}" if options is None else options
        text = (MACHINE + script).format(options=options, **words)
        argv = ["unshare", "--user", "--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child"]
        done = subprocess.run(
            [*argv, "--mount-proc", "sh", "-c", text], capture_output=True, text=True, timeout=100, check=False
        )
        assert done.returncode == code, done.stderr
        return done.stdout if code == 0 else done.stderr

    return run


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_the_machine_is_behind_the_pattern(machine, gateway):
    rtts_s = sorted(map(float, machine('serve udp_echo\nlink sh -c "$(peer udp_rtt 30 0.01)"', gateway).split()))
    assert len(rtts_s) == 30
    assert rtts_s[0] >= 0.022
    assert rtts_s[15] < 0.027


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_tcp_has_the_rate_of_the_pattern_and_is_intact(machine, gateway):
    script = 'serve tcp_source\nlink sh -c "$(peer tcp_goodput 1 1.5)"'
    assert 0.88 * 20e6 < float(machine(script, gateway)) < 20e6
    assert machine('serve tcp_numbers 3000000\nlink sh -c "$(peer tcp_check 3000000)"', gateway) == "True\n"


@pytest.mark.parametrize("gateway", ["pasta", *(pytest.param(name, marks=LONG) for name in ("nat", "slirp4netns"))])
def test_delays_of_nested_links_add_up(machine, gateway):
    """Each gateway takes 8 s, and nesting is the same with all."""
    rtts_s = sorted(map(float, machine('serve udp_echo\nnested sh -c "$(peer udp_rtt 30 0.01)"', gateway).split()))
    assert rtts_s[0] >= 0.044
    assert rtts_s[15] < 0.052


def test_three_links_nest(machine):
    third = "{folder}/mmwemu link --pattern s1-long-nlos.lte --outside --delay-ms 20 --"
    rtts_s = sorted(map(float, machine(f'serve udp_echo\nnested {third} sh -c "$(peer udp_rtt 30 0.01)"').split()))
    assert rtts_s[0] >= 0.044 + 0.040
    assert rtts_s[15] < 0.044 + 0.040 + 0.012


@pytest.mark.parametrize(
    ("options", "gateway"),
    [
        *(("--clients 2", gateway) for gateway in GATEWAYS),
        ("--pattern {folder}/p.csv", "nat"),
        ("--clients 2 --edge", "pasta"),
        *(pytest.param("--pattern {folder}/p.csv", gateway, marks=LONG) for gateway in ("pasta", "slirp4netns")),
        *(pytest.param("--clients 2 --edge", gateway, marks=LONG) for gateway in ("nat", "slirp4netns")),
    ],
)
def test_several_clients_reach_the_machine_behind_their_links(machine, options, gateway):
    """All pairs of testbed and gateway take long; the short form has each of both."""
    ask = "export MMWEMU_SERVER=$MMWEMU_OUTSIDE; exec > {folder}/said-$MMWEMU_NUMBER;"
    ask += " getent hosts host.test || echo none; {python} {peers} congestion_control; {python} {peers} udp_rtt 15 0.01"
    servers = "".join(f"serve {name}\n" for name in ("name_server", "congestion_control_server", "udp_echo"))
    script = f"{servers}clients {options} --cc reno -- sh -c '{ask}'\ncat {{folder}}/said-1 {{folder}}/said-2"
    lines = machine(script, gateway).splitlines()
    assert len(lines) == 2 * 17
    for name, algorithms, *rtts_s in (lines[:17], lines[17:]):
        assert name.split() == (["none"] if gateway == "nat" else ["10.1.2.3", "host.test"])
        # The client's own end; the other is the machine's.
        assert algorithms.split()[0] == "reno"
        assert 0.022 <= min(map(float, rtts_s)) < 0.027


def test_the_edge_reaches_the_machine_too(machine):
    ask = "export MMWEMU_SERVER=$MMWEMU_OUTSIDE; {python} {peers} udp_rtt 3 0.01 > {folder}/edge"
    script = f"echo '{ask}' > {{folder}}/ask\nserve udp_echo\n"
    rtts_s = machine(script + 'clients --serve-edge "sh {folder}/ask" -- sleep 2\ncat {folder}/edge').split()
    assert len(rtts_s) == 3 and 0.022 <= min(map(float, rtts_s)) < 0.027


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_a_connection_that_is_refused_fails_at_once(machine, gateway):
    begin_s = time.monotonic()
    assert "Connection re" in machine('link sh -c "$(peer tcp_check 4)" 2>&1 || true', gateway)
    assert time.monotonic() - begin_s < 10  # an answer that is ignored is waited for for 30 s


@pytest.mark.parametrize("gateway", ["pasta", "slirp4netns"])
def test_names_come_from_the_loopback_of_the_machine(machine, gateway):
    script = "serve name_server\nlink getent hosts host.test"
    assert machine(script, gateway).split() == ["10.1.2.3", "host.test"]


def test_no_name_server_is_better_than_one_that_cannot_answer(machine):
    assert "name server" in machine("link true 2>&1")


@pytest.mark.parametrize("gateway", GATEWAYS)
@pytest.mark.parametrize("signal", ["TERM", "KILL"])
def test_nothing_is_left_of_what_was_killed(machine, gateway, signal):
    script = f"""
processes() {{{{ set -- /proc/[0-9]*; echo $#; }}}}
rest() {{{{ processes; ip -brief link; nft list ruleset; }}}}
rest > {{folder}}/before
{{who}} {{folder}}/mmwemu link --pattern {{folder}}/p.csv {{options}} -- sh -c 'echo up; sleep 100' > {{folder}}/out &
until grep -q up {{folder}}/out; do sleep 0.02; done
[ $(rest | wc -l) -gt $(wc -l < {{folder}}/before) ] || [ $(processes) -gt 6 ]
kill -{signal} $!
for i in $(seq 100); do rest > {{folder}}/after; cmp -s {{folder}}/before {{folder}}/after && exit; sleep 0.05; done
diff {{folder}}/before {{folder}}/after
"""
    machine(script, gateway)


def test_a_machine_that_does_not_forward_says_how_to_let_it(machine):
    words = machine("echo 0 > /proc/sys/net/ipv4/ip_forward\nlink true", code=3)
    assert "net.ipv4.ip_forward = 0; allow it: sudo sysctl -w net.ipv4.ip_forward=1" in words
