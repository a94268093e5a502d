import os
import signal
import subprocess
import sys

import pytest

from mmwemu.apps.shared.quic.sockets import (
    bound_ports,
    dropped_datagrams,
    has_socket,
    receive_errors,
    wait_until_bound,
)
from mmwemu.core.errors import MmwemuError
from tests.fakes import fake_testbed

TABLE = """  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
 1072: 0100007F:4E20 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 5403
 1080: 00000000:0044 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 5404
"""
COUNTERS = """Tcp: RtoAlgorithm RtoMin
Tcp: 1 200
Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors
Udp: 5 0 9 4 9 0
UdpLite: InDatagrams RcvbufErrors
UdpLite: 0 0
"""


def test_ports_and_drops_are_read_from_the_kernels_tables():
    assert bound_ports(TABLE) == {20_000, 68}
    assert receive_errors(COUNTERS) == 9
    assert dropped_datagrams(fake_testbed().client) >= 0


def test_a_server_is_waited_for():
    place = fake_testbed().server
    bind = "import socket, time; s = socket.socket(type=socket.SOCK_DGRAM); s.bind(('127.0.0.1', 0));"
    server = place.popen([sys.executable, "-c", f"{bind} print(s.getsockname()[1], flush=True); time.sleep(30)"],
                         stdout=subprocess.PIPE)  # fmt: skip
    with server:
        wait_until_bound(place, [int(server.stdout.readline())], [server])
        server.kill()


def test_a_server_that_ends_is_an_error():
    place = fake_testbed().server
    with place.popen(["false"]) as server:
        server.wait()
        with pytest.raises(MmwemuError, match="the QUIC server did not start: exit code 1"):
            wait_until_bound(place, [1], [server])


def test_a_socket_of_a_program_is_found_through_its_starter():
    late = "import socket, sys, time; sys.stdin.readline(); s = socket.socket(type=socket.SOCK_DGRAM); print(); "
    late += "sys.stdout.flush(); time.sleep(30)"
    argv = ["sh", "-c", '"$0" -c "$1"; true', sys.executable, late]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as starter:
        assert not has_socket(starter.pid)
        starter.stdin.write(b"\n")
        starter.stdin.flush()
        starter.stdout.readline()
        assert has_socket(starter.pid)
        os.killpg(starter.pid, signal.SIGKILL)
    assert not has_socket(starter.pid)
