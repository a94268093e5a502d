"""A server with several ways, and clients that try them: python proxy_peers.py WHAT ARGUMENTS, in a testbed.

A connection begins with a line that says what the server does.
"""

import hashlib
import os
import random
import socket
import struct
import sys
import threading
import time

SERVER = os.environ["MMWEMU_SERVER"]
PORT = 5005
RESET = struct.pack("ii", 1, 0)
BLOCK = bytes(range(256)) * 256


def serve():
    """Serve each connection as its first line says."""
    listener = socket.create_server((SERVER, PORT), backlog=1000)
    print("ready", flush=True)
    while True:
        threading.Thread(target=handle, args=listener.accept(), daemon=True).start()


def handle(connection, peer):
    verb, *words = line_of(connection).split()
    with connection:
        if verb == "who":
            connection.sendall(f"{peer[0]} {peer[1]}".encode())
        elif verb == "echo":  # what came, once all has come
            connection.sendall(everything(connection))
        elif verb == "digest":  # at once, while it comes
            connection.sendall(hashlib.sha256(everything(connection)).digest())
        elif verb == "give":
            left = int(words[0])
            while left:
                left -= connection.send(BLOCK[: min(left, len(BLOCK))])
        elif verb == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        elif verb == "end":  # tells by how the client ended
            connection.sendall(b"go")
            try:
                how = "end" if connection.recv(1) == b"" else "data"
            except ConnectionResetError:
                how = "reset"
            print(how, flush=True)
        elif verb == "flood":  # until no more can be sent for a second; tells how much that was
            connection.settimeout(1.0)
            sent = 0
            try:
                while True:
                    sent += connection.send(BLOCK)
            except TimeoutError:
                print(sent, flush=True)
            connection.settimeout(None)
            connection.sendall(b"end")


def line_of(connection):
    line = b""
    while not line.endswith(b"\n"):
        line += connection.recv(1)
    return line.decode()


def everything(connection):
    parts = []
    while part := connection.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


def opened(line):
    connection = socket.create_connection((SERVER, PORT), timeout=40)
    connection.sendall(f"{line}\n".encode())
    return connection


def who():
    """Print my address, the address that the server has for me, the server's for me, and the handshake's time."""
    begin = time.monotonic()
    connection = socket.create_connection((SERVER, PORT))
    took_s = time.monotonic() - begin
    connection.sendall(b"who\n")
    seen = everything(connection).decode()
    print(*connection.getsockname(), seen, *connection.getpeername(), took_s)


def exchange(seed):
    """Send a random number of bytes in random pieces, end that half, and print whether they came back."""
    draw = random.Random(int(seed))
    sent = draw.randbytes(draw.choice((0, 1, 1000, 131_072, 131_073, 3_000_000)))
    connection = opened("echo")
    at = 0
    while at < len(sent):
        size = draw.choice((1, 100, 5000, 200_000))
        connection.sendall(sent[at : at + size])
        at += size
        time.sleep(draw.choice((0, 0, 0, 0.001)))
    connection.shutdown(socket.SHUT_WR)
    print(everything(connection) == sent)


def upload(size):
    """Send bytes and print whether the server got them."""
    connection = opened("digest")
    data = random.Random(1).randbytes(int(size))
    connection.sendall(data)
    connection.shutdown(socket.SHUT_WR)
    print(everything(connection) == hashlib.sha256(data).digest())


def many(count):
    """Hold many connections open, fetch over all of them at once, and print how many brought everything."""
    connections = [opened(f"give {20_000 + i}") for i in range(int(count))]
    print(sum(len(everything(one)) == 20_000 + i for i, one in enumerate(connections)))


def is_reset():
    """Print what a connection that the server resets, and one to a closed port, come to."""
    for port in (PORT, PORT + 1):
        try:
            connection = socket.create_connection((SERVER, port), timeout=40)
            connection.sendall(b"reset\n")
            print("ended" if connection.recv(1) == b"" else "data")
        except ConnectionError:
            print("reset")


def reset():
    """Reset a connection."""
    connection = opened("end")
    connection.recv(2, socket.MSG_WAITALL)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    connection.close()


def again():
    """Connect three times from one port, each time once all is acknowledged; print the ports that the server saw,
    and the time of the longest handshake.
    """
    longest_s = 0.0
    for _ in range(3):
        begin = time.monotonic()
        with socket.create_connection((SERVER, PORT), timeout=20, source_address=("", 40_000)) as connection:
            longest_s = max(longest_s, time.monotonic() - begin)
            connection.sendall(b"who\n")
            print(everything(connection).decode().split()[1])
        time.sleep(0.3)
    print(longest_s)


def hold():
    """Hold a connection open."""
    connection = opened("end")
    connection.recv(2, socket.MSG_WAITALL)
    print("held", flush=True)
    time.sleep(60)


def slow():
    """Read nothing for as long as the server floods, then all; print how much that was."""
    connection = opened("flood")
    time.sleep(4)
    got = everything(connection)
    print(len(got) - 3, got.endswith(b"end"))


if __name__ == "__main__":
    {
        "serve": serve, "who": who, "exchange": exchange, "upload": upload, "many": many, "is_reset": is_reset,
        "reset": reset, "slow": slow, "hold": hold, "again": again,
    }[sys.argv[1]](*sys.argv[2:])  # fmt: skip
