"""Source of constant rate, and its sink, inside a testbed.

``python -m mmwemu.probe.steady_source sink udp|tcp ADDRESS`` prints ``ready`` and receives until it is ended;
``... send udp|tcp ADDRESS RATE_BPS PAYLOAD_BYTES SECONDS`` sends payload at a rate.
"""

from __future__ import annotations

import signal
import socket
import sys
import time
from contextlib import suppress

_PORT = 5002
_TRAIN_S = 0.000_25
# Of linux/udp.h, where one call sends a train of packets, and asm-generic/socket.h.
_UDP_SEGMENT, _SO_MAX_PACING_RATE = 103, 47
_MOST_SEGMENTS, _MOST_SEGMENT_BYTES = 64, 65_000
_BLOCK_BYTES = 1 << 17
_BUFFER_BYTES = 1 << 22


def sink(protocol: str, address: str) -> None:
    """Receive and discard.

    UDP is not even read: the kernel drops what the socket has no room for, and the link's log has what came.
    """
    if protocol == "udp":
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as endpoint:
            endpoint.bind((address, _PORT))
            print("ready", flush=True)
            signal.pause()
    buffer = bytearray(1 << 20)
    with socket.create_server((address, _PORT)) as listener:
        print("ready", flush=True)
        while True:
            connection, _ = listener.accept()
            with connection, suppress(OSError):
                while connection.recv_into(buffer):
                    pass


def send_udp(address: str, rate_bps: float, payload_bytes: int, seconds: float) -> None:
    """Send packets in trains of 0.25 ms; the k-th is due when k packets of payload have passed at the rate.

    What could not be sent in time, as on a busy machine, is made up for at twice the rate, so that no device overflows.
    """
    packets_per_s = rate_bps / 8 / payload_bytes
    most = max(1, min(_MOST_SEGMENTS, _MOST_SEGMENT_BYTES // payload_bytes))
    train = max(1, int(_TRAIN_S * packets_per_s))
    block = memoryview(bytes(most * payload_bytes))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as endpoint:
        endpoint.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)
        endpoint.setsockopt(socket.IPPROTO_UDP, _UDP_SEGMENT, payload_bytes)
        endpoint.connect((address, _PORT))
        begin_s, sent, last = time.monotonic(), 0, int(seconds * packets_per_s)
        while sent < last:
            now_s = time.monotonic()
            due = min(last, 1 + int((now_s - begin_s) * packets_per_s), sent + 2 * train)
            first = sent
            while sent < due:
                count = min(due - sent, most)
                endpoint.send(block[: count * payload_bytes])
                sent += count
            earliest_s = now_s + (sent - first) / packets_per_s / 2
            next_s = max(begin_s + (sent + train - 1) / packets_per_s, earliest_s)
            time.sleep(max(0.0, next_s - time.monotonic()))


def send_tcp(address: str, rate_bps: float, seconds: float) -> None:
    """Send to one connection, which the kernel paces, for a time; what has not left then is dropped."""
    block = bytes(_BLOCK_BYTES)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as connection:
        connection.setsockopt(socket.SOL_SOCKET, _SO_MAX_PACING_RATE, round(rate_bps / 8))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        end_s = time.monotonic() + seconds
        connection.settimeout(seconds)
        connection.connect((address, _PORT))
        with suppress(TimeoutError):
            while (left_s := end_s - time.monotonic()) > 0:
                connection.settimeout(left_s)
                connection.send(block)


if __name__ == "__main__":
    what, protocol_, address_, *rest = sys.argv[1:]
    if what == "sink":
        sink(protocol_, address_)
    elif protocol_ == "udp":
        send_udp(address_, float(rest[0]), int(rest[1]), float(rest[2]))
    else:
        send_tcp(address_, float(rest[0]), float(rest[2]))
