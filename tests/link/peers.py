"""Small clients and servers that run inside a testbed: python peers.py WHAT ARGUMENTS.

A server says "ready" once it can be reached.
"""

import os
import socket
import struct
import sys
import time

SERVER = os.environ["MMWEMU_SERVER"]
PORT = 5001


def tcp_source():
    """Send to each client for as long as it listens."""
    listener = socket.create_server((SERVER, PORT))
    print("ready", flush=True)
    block = bytes(1 << 20)
    while True:
        connection, _ = listener.accept()
        try:
            while True:
                connection.sendall(block)
        except OSError:
            connection.close()


def tcp_goodput(warm_s, measured_s):
    """Print the goodput from tcp_source after a warm-up, bit/s."""
    connection = socket.create_connection((SERVER, PORT))
    end = time.monotonic() + float(warm_s)
    while time.monotonic() < end:
        connection.recv(1 << 20)
    begin, count = time.monotonic(), 0
    while time.monotonic() < begin + float(measured_s):
        count += len(connection.recv(1 << 20))
    print(count * 8 / (time.monotonic() - begin))


def tcp_check(size):
    """Fetch a stream from tcp_numbers and print whether every byte is right."""
    connection = socket.create_connection((SERVER, PORT))
    received = bytearray()
    while len(received) < int(size):
        part = connection.recv(1 << 20)
        if not part:
            break
        received += part
    print(bytes(received) == numbers(int(size)))


def numbers(size):
    """Give bytes in which a lost, doubled or moved piece shows."""
    return b"".join(i.to_bytes(4, "big") for i in range(size // 4))


def tcp_numbers(size):
    """Send `size` bytes that can be checked."""
    listener = socket.create_server((SERVER, PORT))
    print("ready", flush=True)
    connection, _ = listener.accept()
    connection.sendall(numbers(int(size)))
    connection.shutdown(socket.SHUT_WR)
    connection.recv(1)


def udp_echo():
    """Send back every packet."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind((SERVER, PORT))
    print("ready", flush=True)
    while True:
        data, address = sock.recvfrom(2048)
        sock.sendto(data, address)


def udp_once():
    """Send one packet; print when, on the monotonic clock, ns."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.connect((SERVER, PORT))
    sent_ns = time.monotonic_ns()
    sock.send(b"x")
    print(sent_ns)


def udp_rtt(count, pause_s):
    """Print the round trip of each of some small packets, s."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.settimeout(5)
    sock.connect((SERVER, PORT))
    for _ in range(int(count)):
        begin = time.monotonic()
        sock.send(b"x")
        sock.recv(100)
        print(time.monotonic() - begin)
        time.sleep(float(pause_s))


def udp_stream(count, pause_s, size):
    """Send numbered packets to udp_echo at once or with pauses; print number and round trip of those that come back."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    sock.connect((SERVER, PORT))
    sock.setblocking(False)
    begin = time.monotonic()
    count, pause_s = int(count), float(pause_s)
    sent, sent_s, last = 0, [], begin
    while sent < count or time.monotonic() < last + 0.6:
        while sent < count and time.monotonic() >= begin + sent * pause_s:
            last = time.monotonic()
            sent_s.append(last)  # before, so that a pause here does not make the round trip shorter than it was
            sock.send(sent.to_bytes(4, "big") + bytes(int(size) - 4))
            sent += 1
        try:
            while True:
                i = int.from_bytes(sock.recv(2048)[:4], "big")
                last = time.monotonic()
                print(i, sent_s[i] - begin, last - sent_s[i])
        except BlockingIOError:
            time.sleep(0.0002)


def udp_storm(seconds, size):
    """Send to udp_echo as fast as the kernel takes it; print how many packets that were."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.connect((SERVER, PORT))
    block, count, end = bytes(int(size)), 0, time.monotonic() + float(seconds)
    while time.monotonic() < end:
        count += sock.send(block) > 0
    print(count)


def name_server():
    """Answer every question about a name with 10.1.2.3."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind((SERVER, 53))
    print("ready", flush=True)
    while True:
        data, address = sock.recvfrom(2048)
        end = data.index(0, 12) + 5
        is_ipv4 = data[end - 4 : end - 2] == b"\0\1"
        answer = b"\xc0\x0c\0\1\0\1\0\0\0\1\0\4\x0a\1\2\3" if is_ipv4 else b""
        sock.sendto(data[:2] + b"\x81\x80\0\1\0" + bytes([is_ipv4]) + bytes(4) + data[12:end] + answer, address)


def udp_flood():
    """Send to whoever asks, as it says: rate [bit/s], size of a packet of IP [bytes], for how long [s]."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind((SERVER, PORT + 1))
    print("ready", flush=True)
    while True:
        words, address = sock.recvfrom(100)
        rate_bps, size, seconds = map(float, words.split())
        data, packets_ps = bytes(int(size) - 28), rate_bps / 8 / size
        begin, sent = time.monotonic(), 0
        while (now_s := time.monotonic() - begin) < seconds:
            while sent < now_s * packets_ps:
                sock.sendto(data, address)
                sent += 1
            time.sleep(0.001)


def udp_bins(rate_bps, size, seconds, bin_s):
    """Ask udp_flood and print the IP bytes that came in each bin of time since then, by the kernel's time stamps."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    so_timestampns = 35
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)  # as much as the machine allows
    sock.setsockopt(socket.SOL_SOCKET, so_timestampns, 1)
    sock.settimeout(0.05)
    count = round(float(seconds) / float(bin_s))
    bins = [0] * count
    begin_ns = time.time_ns()
    sock.sendto(f"{rate_bps} {size} {seconds}".encode(), (SERVER, PORT + 1))
    while time.time_ns() - begin_ns < (float(seconds) + 0.2) * 1e9:
        try:
            data, notes, _, _ = sock.recvmsg(2048, 64)
        except TimeoutError:
            continue
        second, nanosecond = struct.unpack("=qq", notes[0][2])
        i = int((second * 10**9 + nanosecond - begin_ns) / 1e9 / float(bin_s))
        if i < count:
            bins[i] += len(data) + 28
    print(*bins)


def congestion_control_server():
    """Tell each client the congestion control of its connection."""
    listener = socket.create_server((SERVER, PORT))
    print("ready", flush=True)
    while True:
        connection, _ = listener.accept()
        connection.sendall(algorithm_of(connection))
        connection.close()


def congestion_control():
    """Print the congestion control of a connection as either end has it."""
    connection = socket.create_connection((SERVER, PORT))
    print(algorithm_of(connection).decode(), connection.recv(100).decode())


def algorithm_of(connection):
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0")


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
