"""What the kernel made of the sender's choices: connections of the loopback, and what follows from them."""

import json
import math
import socket
import struct
import subprocess
import sys
import time

import pytest

from mmwemu.probe import connections
from mmwemu.probe.tcp_used import TcpUsed, differences, interpret
from mmwemu.testbed.tcp import TcpChoices

CLIENT, SERVER = "10.77.0.2", "10.77.1.1"


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_connection_is_met_in_its_first_round_trip_with_its_own_settings(host):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    kernel = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4)
    with kernel, socket.create_server((host, 0), family=family) as listener:
        listener.setsockopt(socket.SOL_SOCKET, 47, struct.pack("Q", 125_000))
        with socket.create_connection(listener.getsockname()[:2]) as client, listener.accept()[0] as server:
            found = {}
            connections.look(kernel, found)
            ports = (listener.getsockname()[1], client.getsockname()[1])
            (seen,) = (one for one in found.values() if one.ports == ports)
            assert (seen.local, seen.peer, seen.first_window) == (host, host, 10)
            assert (seen.most_pacing, seen.acked_bytes) == (125_000, 0)
            assert seen.receive_buffer_bytes == server.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
            assert seen.send_buffer_bytes == server.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
            (other,) = (one for one in found.values() if one.ports == ports[::-1])
            assert (other.most_pacing, other.first_window) == (None, 10)
            server.sendall(b"x" * 1000)
            while len(client.recv(1000)) == 0:
                pass
            connections.look(kernel, found)
            assert seen.acked_bytes == 1000


def test_connections_of_before_are_not_told():
    argv = [sys.executable, "-P", "-m", "mmwemu.probe.connections"]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)), listener.accept()[0] as old:
            program = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            with program:
                assert program.stdout.readline() == "ready\n"
                with socket.create_connection(("127.0.0.1", port)), listener.accept()[0] as new:
                    ports = [one.getpeername()[1] for one in (old, new)]
                    time.sleep(0.2)
                    found = json.loads(program.communicate()[0])
    assert [one["ports"][1] for one in found if one["ports"][0] == port] == ports[1:]


def connection(local, peer, ports, acked, **changes):
    own = {"local": local, "peer": peer, "ports": ports, "acked_bytes": acked, "first_window": 10, "most_pacing": None}
    return own | {"receive_buffer_bytes": 131_072, "send_buffer_bytes": 65_536} | changes


def test_the_connection_that_carried_the_most_counts_at_both_ends():
    server = [
        connection(SERVER, CLIENT, [80, 5000], 100, first_window=1),
        connection(SERVER, CLIENT, [80, 5001], 10**6, first_window=200, most_pacing=125, send_buffer_bytes=7),
        connection(SERVER, "10.77.0.9", [80, 5001], 10**9),
    ]
    client = [
        connection(CLIENT, SERVER, [5000, 80], 90),
        connection(CLIENT, SERVER, [5001, 80], 80, receive_buffer_bytes=9),
        connection("127.0.0.1", "127.0.0.1", [1, 2], 10**9),
    ]
    assert interpret(server, client, CLIENT) == TcpUsed(200, 1000.0, 9, 7)
    assert interpret([server[0]], client, CLIENT) == TcpUsed(1, math.inf, 131_072, 65_536)
    assert interpret([], client[:1], CLIENT) == TcpUsed(10, math.inf, None, 65_536)
    assert interpret(server[2:], client[2:], CLIENT) == TcpUsed()


@pytest.mark.parametrize(
    ("used", "problem"),
    [
        (TcpUsed(100, 1e6, 2**20, 2**20), ""),
        (TcpUsed(), ""),
        (TcpUsed(10, 1e6, 2**20, 2**20), "the first congestion window was 10 packets, not 100"),
        (TcpUsed(100, math.inf, 2**20, 2**20), "the sender was paced at inf bit/s, not 1000000"),
        (TcpUsed(100, 1e6, 131_072, 2**20), "the receive buffer had 131072 bytes, not 1048576"),
        (TcpUsed(100, 1e6, 2**20, 2**21), "the send buffer had 2097152 bytes, 1048576 at most"),
    ],
)
def test_what_differs_from_what_was_chosen_is_told(used, problem):
    assert "; ".join(differences(TcpChoices(100, 1e6, 2**20), used)) == problem
    assert differences(TcpChoices(), used) == []
