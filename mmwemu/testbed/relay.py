"""Relay that ends the client's TCP connections and forwards their data: ``python -m mmwemu.testbed.relay ADDRESS``.

Run in the server's namespace, where a rule of the kernel redirects connections to it. Tools that give a namespace the
real network without root have a TCP of their own, without congestion control worth the name; so the kernel's TCP
meets the pattern, and theirs meets only this process.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
import threading
from contextlib import suppress

_ORIGINAL_DESTINATION = 80  # SO_ORIGINAL_DST of linux/netfilter_ipv4.h
_PIPE_BYTES = 1 << 20
_CONNECT_LIMIT_S = 30.0
_RESET = struct.pack("ii", 1, 0)


def main(address: str) -> None:
    """Listen on a free port of ``address``, print it and serve for ever."""
    threading.stack_size(1 << 18)  # two threads for each connection
    listener = socket.create_server((address, 0), backlog=1024)
    print(listener.getsockname()[1], flush=True)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=_carry, args=(connection,), daemon=True).start()


def _carry(inside: socket.socket) -> None:
    with inside:
        try:
            outside = socket.create_connection(_destination(inside), timeout=_CONNECT_LIMIT_S)
        except OSError:
            _reset(inside)
            return
        with outside:
            outside.settimeout(None)
            for end in (inside, outside):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            upwards = threading.Thread(target=_copy, args=(inside, outside), daemon=True)
            upwards.start()
            _copy(outside, inside)
            upwards.join()


def _destination(connection: socket.socket) -> tuple[str, int]:
    """Return the destination of a connection before it was redirected."""
    words = connection.getsockopt(socket.SOL_IP, _ORIGINAL_DESTINATION, 16)
    port, address = struct.unpack("!2xH4s8x", words)
    return socket.inet_ntoa(address), port


def _copy(source: socket.socket, sink: socket.socket) -> None:
    """Move bytes from one to the other up to the end, without looking at them."""
    ends = os.pipe()
    try:
        while count := os.splice(source.fileno(), ends[1], _PIPE_BYTES):
            while count:
                count -= os.splice(ends[0], sink.fileno(), count)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, sink):
            _reset(end)
    finally:
        for fd in ends:
            os.close(fd)


def _reset(end: socket.socket) -> None:
    """Make closing a connection reset it, and wake its reader."""
    with suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        end.shutdown(socket.SHUT_RD)


if __name__ == "__main__":
    main(sys.argv[1])
