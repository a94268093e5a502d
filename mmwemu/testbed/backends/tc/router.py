"""The process between client and server: ``python -m mmwemu.testbed.backends.tc.router CONTROL INIT CLIENT_NET SERVER_NET``.

It is started by ``mmwemu-link host`` in a network namespace of its own, gets orders by the control socket (a file
descriptor) and ends when the other end of that closes.
"""

from __future__ import annotations

import errno
import json
import math
import os
import select
import socket
import struct
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mmwemu.core.errors import MmwemuError
from mmwemu.testbed import devices, offload
from mmwemu.testbed.backends.tc import tbf as plan
from mmwemu.testbed.backends.tc.order import decode
from mmwemu.testbed.backends.tc.qdiscs import FirstPacket, KernelPort
from mmwemu.testbed.backends.tc.replay import Replay
from mmwemu.testbed.backends.tc.rtnetlink import Qdiscs

CLIENT_ADDRESS, SERVER_ADDRESS = "10.77.0.2", "10.77.0.1"
_ORDER_BYTES = 4096
_FILES = 2


class Head:
    """Obeys orders and keeps the steps' times."""

    def __init__(self, control: socket.socket, networks: Sequence[int]) -> None:
        self._control = control
        Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
        self._sites = [
            devices.Site("client", CLIENT_ADDRESS, networks[0]),
            devices.Site("server", SERVER_ADDRESS, networks[1]),
        ]
        self._devices = [devices.connect(site) for site in self._sites]
        self._port = KernelPort(Qdiscs(), self._devices)
        self._replay: Replay | None = None
        self._first: FirstPacket | None = None
        self._samples_fd = -1

    def run(self) -> None:
        """Work until the control socket closes."""
        while True:
            waiting: list[Any] = [self._control] + ([self._first] if self._first else [])
            next_s = self._replay.next_s if self._replay else math.inf
            timeout_s = None if math.isinf(next_s) else max(0.0, next_s - time.monotonic())
            ready, _, _ = select.select(waiting, [], [], timeout_s)
            if self._first in ready and self._first is not None and self._replay is not None:
                seen_s = self._first.seen()
                if seen_s is not None:
                    self._replay.begin(seen_s)
                    self._stop_watching()
            if self._replay is not None:
                self._replay.poll(time.monotonic())
            if self._control in ready and not self._obey():
                return

    def _obey(self) -> bool:
        message, files, _, _ = socket.recv_fds(self._control, _ORDER_BYTES, _FILES)
        if not message:
            self._log_end()
            return False
        verb, _, rest = message.decode().partition(" ")
        try:
            answer = self._answer(verb, rest, files)
        except (MmwemuError, OSError, ValueError) as error:
            answer = f"error {error}"
        self._control.send(answer.encode())
        return True

    def _answer(self, verb: str, rest: str, files: list[int]) -> str:
        if verb == "start":
            return self._start(files)
        if verb == "stats":
            if self._replay is not None:
                self._replay.sample(time.monotonic())
            return "ok"
        if verb == "congestion":
            for site in self._sites:
                devices.set_congestion_control(site, rest)
            return "ok"
        return f"error unknown message: {verb}"

    def _start(self, files: list[int]) -> str:
        order_fd, samples_fd = files
        settings, mode = decode(os.pread(order_fd, os.fstat(order_fd).st_size, 0).decode())
        os.close(order_fd)
        self._log_end()
        self._stop_watching()
        if self._samples_fd >= 0:
            os.close(self._samples_fd)
        self._samples_fd, self._replay = samples_fd, None
        purpose = plan.needs_netem(settings, mode)
        try:
            replay = Replay(settings, mode, self._port, self._write, with_netem=bool(purpose))
        except OSError as error:
            if error.errno != errno.ENOENT:
                raise
            return f"missing {'netem' if purpose else 'tbf'} {purpose or 'the rate'}"
        _log(
            mode=mode,
            netem=bool(purpose),
            limit_packets=replay.limit_packets if purpose else None,
            queue_bytes=plan.queue_bytes(settings) if mode == "tbf" else None,
            offloads_off=offload.NAMES,
            real_time=(os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK) in (os.SCHED_RR, os.SCHED_FIFO),
        )
        self._replay = replay
        if settings.start == "now":
            replay.begin(time.monotonic())
        else:
            self._first = FirstPacket(self._devices)
        return "ok"

    def _write(self, row: Sequence[float]) -> None:
        os.write(self._samples_fd, struct.pack(f"={len(row)}d", *row))

    def _stop_watching(self) -> None:
        if self._first is not None:
            self._first.close()
            self._first = None

    def _log_end(self) -> None:
        late_s = self._replay.lateness_s if self._replay else []
        if late_s:
            p50_s, p99_s = np.quantile(late_s, (0.5, 0.99)).tolist()
            _log(steps=len(late_s), lateness_p50_s=p50_s, lateness_p99_s=p99_s, lateness_max_s=max(late_s))


def _log(**words: object) -> None:
    print("tc", json.dumps(words), file=sys.stderr, flush=True)


def main(argv: Sequence[str]) -> int:
    """Make the devices and obey; gives the exit code."""
    control_fd, init_pid, *networks = map(int, argv)
    with socket.socket(fileno=control_fd) as control:
        try:
            head = Head(control, networks)
            control.send(f"ready {init_pid} {CLIENT_ADDRESS} {SERVER_ADDRESS}".encode())
            head.run()
        except (MmwemuError, OSError) as error:
            print(f"mmwemu-link: error {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
