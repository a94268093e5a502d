"""Client and server on other machines, for which namespaces with an sshd stand."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mmwemu.core import process
from mmwemu.core.errors import InputError, MissingError
from mmwemu.pattern.formats import native
from mmwemu.testbed.machines import Machine

pytestmark = pytest.mark.link

PEERS = str(Path(__file__).with_name("peers.py"))
MACHINES = r"""
set -e
mount -t tmpfs none /run
mkdir /run/sshd /run/netns
cd {folder}
rm -f key host
ssh-keygen -q -t ed25519 -N '' -f key
ssh-keygen -q -t ed25519 -N '' -f host
cat > sshd_config <<END
Port 2222
HostKey {folder}/host
AuthorizedKeysFile {folder}/key.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
END
ip link set lo up
i=0
for machine in client server; do
  i=$((i + 1))
  ip netns add $machine
  ip link add to-$machine type veth peer name uplink netns $machine
  ip link set to-$machine up
  ip -n $machine link set lo up
  ip -n $machine address add 10.9.$i.2/24 dev uplink
  ip -n $machine link set uplink up
  ip -n $machine route add default via 10.9.$i.254
  ip netns exec $machine /usr/sbin/sshd -D -e -f sshd_config 2> sshd-$machine.log &
done
printf '#!/bin/sh\nexec {python} -c "from mmwemu.cli.main import main; main()" "$@"\n' > mmwemu
chmod +x mmwemu
client="--client root@10.9.1.2 --client-interface to-client=10.9.1.254/24"
server="--server root@10.9.2.2 --server-interface to-server=10.9.2.254/24"
link() {{
  ./mmwemu link --pattern p.csv --ssh "ssh -p 2222 -i {folder}/key -o StrictHostKeyChecking=no -o LogLevel=ERROR \
    -o UserKnownHostsFile=/dev/null" "$@"
}}
sleep 0.5
"""


@pytest.fixture
def machines(tmp_path, pattern):
    """Run a script with `link`, and what names the machines in $client and $server; give what it prints."""
    if os.geteuid() != 0:
        pytest.skip("sshd needs root")
    for tool in ("sshd", "ssh", "ssh-keygen", "ip"):
        try:
            process.find_tool(tool, "install it")
        except MissingError as error:
            pytest.skip(str(error))
    native.save(pattern([20e6], delay_s=0.004), tmp_path / "p.csv")

    def run(script, code=0):
        text = (MACHINES + script).format(folder=tmp_path, python=f"{sys.executable} -P", peers=PEERS)
        argv = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", text]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=90, check=False)
        if "macvlan" in done.stderr and "Unknown device type" in done.stderr:
            pytest.skip("no macvlan in this kernel")
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout if code == 0 else done.stderr

    return run


def test_two_machines_meet_over_the_link(machines):
    serve = "--serve '{python} {peers} udp_echo'"
    output = machines(f"link $client $server {serve} -- sh -c 'sleep 1; {{python}} {{peers}} udp_rtt 30 0.01'")
    rtts_s = sorted(map(float, output.replace("ready\n", "").split()))
    assert len(rtts_s) == 30
    assert rtts_s[0] >= 0.030 and rtts_s[15] < 0.036


def test_tcp_between_machines_has_the_rate_of_the_pattern(machines):
    serve = "--serve '{python} {peers} tcp_source'"
    output = machines(f"link $client $server {serve} -- sh -c 'sleep 1; {{python}} {{peers}} tcp_goodput 1.5 2'")
    assert 0.88 * 20e6 < float(output.replace("ready\n", "")) < 20e6


def test_one_end_may_be_here(machines):
    script = "hostname -I; echo $SSH_CONNECTION; ping -q -c 3 -i 0.2 $MMWEMU_SERVER"
    output = machines(f"link $client -- sh -c '{script}'")
    assert "10.9.1.2" in output.split() and "10.9.1.254" in output.split()
    least_ms = float(output.split("rtt min/avg/max/mdev = ")[1].split("/")[0])
    assert 30 <= least_ms < 40


def test_exit_codes_come_back_and_nothing_is_left_on_the_machines(machines):
    machines("link $client $server -- sh -c 'exit 7'", code=7)
    machines("""
n=98; n=${{n}}7  # so that the script itself is not counted
sleeping() {{ ps -eo args | grep -cx "sleep $n" || true; }}
become() {{ for i in $(seq 80); do [ $(sleeping) = $1 ] && return; sleep 0.1; done; ps -eo args; return 1; }}
link $client $server --serve "sleep $n" --limit-s 2.5 -- sh -c "sleep $n; true" & mmwemu=$!
become 2
wait $mmwemu || [ $? = 124 ]
become 0
link $client $server --serve "sleep $n" -- sh -c "sleep $n; true" &
become 2
kill -KILL $(pgrep -P $!)
become 0
[ "$(ip -brief link | wc -l)" = 3 ]
""")


def test_a_machine_that_sends_another_way_is_refused_with_the_command(machines):
    words = machines("ip -n client route replace default via 10.9.1.77\nlink $client $server -- true", code=2)
    assert "does not send to 10.9.2.2 by this machine; there: sudo ip route replace 10.9.2.2/32 via 10.9.1.254" in words


def test_a_machine_that_cannot_be_reached_is_an_error(machines):
    words = machines("link --client root@10.9.1.3 --client-interface to-client=10.9.1.254/24 -- true", code=1)
    assert "root@10.9.1.3 cannot be used: ssh: connect to host 10.9.1.3" in words


def test_what_cannot_be_is_refused():
    with pytest.raises(InputError, match="this machine has none of that name"):
        Machine("a@b", "nosuch0", "10.0.0.1/24")
    with pytest.raises(InputError, match="needs the length of its prefix"):
        Machine("a@b", "lo", "10.0.0.1")
    with pytest.raises(InputError, match="has the address 'x'"):
        Machine("a@b", "lo", "x")
