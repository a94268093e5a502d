"""The process between client and server: ``python -m mmwemu.testbed.backends.tc.router MODE CONTROL INIT NETWORK...``.

``mmwemu-link router`` starts it in a network namespace of its own. It gets messages by the control socket (a file
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
from mmwemu.link.replay import decode
from mmwemu.testbed import devices, offload
from mmwemu.testbed.backends.tc import support
from mmwemu.testbed.backends.tc.qdiscs import FirstPacket, KernelQdiscs
from mmwemu.testbed.backends.tc.replayer import Replayer
from mmwemu.testbed.backends.tc.rtnetlink import QdiscSocket
from mmwemu.testbed.backends.tc.support import TcMode

CLIENT_ADDRESS, SERVER_ADDRESS = "10.77.0.2", "10.77.0.1"
_MESSAGE_BYTES = 4096
_FILES = 2


class Router:
    """Obeys messages and sets the qdiscs at the steps' times."""

    def __init__(self, mode: TcMode, control: socket.socket, networks: Sequence[int]) -> None:
        self._mode, self._control = mode, control
        Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
        self._endpoints = [
            devices.Endpoint("client", CLIENT_ADDRESS, networks[0]),
            devices.Endpoint("server", SERVER_ADDRESS, networks[1]),
        ]
        self._devices = [devices.connect(endpoint) for endpoint in self._endpoints]
        self._qdiscs = KernelQdiscs(QdiscSocket(), self._devices)
        self._replayer: Replayer | None = None
        self._first: FirstPacket | None = None
        self._samples_fd = -1

    def run(self) -> None:
        """Work until the control socket closes."""
        while True:
            waiting: list[Any] = [self._control] + ([self._first] if self._first else [])
            next_s = self._replayer.next_s if self._replayer else math.inf
            timeout_s = None if math.isinf(next_s) else max(0.0, next_s - time.monotonic())
            ready, _, _ = select.select(waiting, [], [], timeout_s)
            if self._first in ready and self._first is not None and self._replayer is not None:
                seen_s = self._first.seen()
                if seen_s is not None:
                    self._replayer.begin(seen_s)
                    self._stop_watching()
            if self._replayer is not None:
                self._replayer.poll(time.monotonic())
            if self._control in ready and not self._obey():
                return

    def _obey(self) -> bool:
        message, files, _, _ = socket.recv_fds(self._control, _MESSAGE_BYTES, _FILES)
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
            if self._replayer is not None:
                self._replayer.sample(time.monotonic())
            return "ok"
        if verb == "congestion":
            for endpoint in self._endpoints:
                devices.set_metrics(endpoint, devices.Metrics(rest))
            return "ok"
        return f"error unknown message: {verb}"

    def _start(self, files: list[int]) -> str:
        replay_fd, samples_fd = files
        replay = decode(os.pread(replay_fd, os.fstat(replay_fd).st_size, 0).decode())
        os.close(replay_fd)
        self._log_end()
        self._stop_watching()
        if self._samples_fd >= 0:
            os.close(self._samples_fd)
        self._samples_fd, self._replayer = samples_fd, None
        purpose = support.needs_netem(replay, self._mode)
        try:
            replayer = Replayer(replay, self._mode, self._qdiscs, self._write, with_netem=bool(purpose))
        except OSError as error:
            if error.errno != errno.ENOENT:
                raise
            return f"missing {'netem' if purpose else 'tbf'} {purpose or 'the rate'}"
        _log(
            mode=self._mode,
            netem=bool(purpose),
            limit_packets=replayer.limit_packets if purpose else None,
            queue_bytes=[replay.downlink.size_bytes, replay.uplink.size_bytes] if self._mode == "tbf" else None,
            offloads_off=offload.NAMES,
            real_time=(os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK) in (os.SCHED_RR, os.SCHED_FIFO),
        )
        self._replayer = replayer
        if replay.start == "now":
            replayer.begin(time.monotonic())
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
        late_s = self._replayer.lateness_s if self._replayer else []
        if late_s:
            p50_s, p99_s = np.quantile(late_s, (0.5, 0.99)).tolist()
            _log(steps=len(late_s), lateness_p50_s=p50_s, lateness_p99_s=p99_s, lateness_max_s=max(late_s))


def _log(**words: object) -> None:
    print("tc", json.dumps(words), file=sys.stderr, flush=True)


def main(argv: Sequence[str]) -> int:
    """Make the devices and obey messages; return the exit code."""
    mode, *numbers = argv
    control_fd, init_pid, *networks = map(int, numbers)
    with socket.socket(fileno=control_fd) as control:
        try:
            router = Router("netem-rate" if mode == "netem-rate" else "tbf", control, networks)
            control.send(f"ready {init_pid} {CLIENT_ADDRESS} {SERVER_ADDRESS}".encode())
            router.run()
        except (MmwemuError, OSError) as error:
            print(f"mmwemu-link: error {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
