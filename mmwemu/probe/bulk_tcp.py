"""Bulk TCP sender and receiver: ``python -m mmwemu.probe.bulk_tcp send|receive ADDRESS [SECONDS]``.

It runs inside a testbed. The sender prints ``ready`` once it listens.
"""

from __future__ import annotations

import os
import socket
import sys
import time

_PORT = 5001
_BLOCK_BYTES = 1 << 22


def send(address: str) -> None:
    """Send to one client until it disconnects, without copies in this process."""
    block_fd = os.memfd_create("load")
    os.truncate(block_fd, _BLOCK_BYTES)
    with socket.create_server((address, _PORT)) as listener:
        print("ready", flush=True)
        connection, _ = listener.accept()
    with connection:
        try:
            while True:
                os.sendfile(connection.fileno(), block_fd, 0, _BLOCK_BYTES)
        except OSError:
            return


def receive(address: str, seconds: float) -> None:
    """Receive and discard for ``seconds``."""
    buffer = bytearray(1 << 20)
    with socket.create_connection((address, _PORT)) as connection:
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s and connection.recv_into(buffer):
            pass


if __name__ == "__main__":
    if sys.argv[1] == "send":
        send(sys.argv[2])
    else:
        receive(sys.argv[2], float(sys.argv[3]))
