"""The state of the TCP connections in a testbed, sampled while they run."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import IO, TYPE_CHECKING, Any, get_args

from mmwemu.core.errors import MmwemuError
from mmwemu.link.schedule import NS_PER_S
from mmwemu.link.settings import Role, Testbed
from mmwemu.probe.tcp_sampler import FIELDS

if TYPE_CHECKING:
    import pandas as pd

INTERVAL_S = 0.1
_READY_LIMIT_S = 10.0
_INFINITE_SSTHRESH = 0x7FFFFFFF
_UNLIMITED_PACING = 2**64 - 1
_US_PER_S = 1e6

COLUMNS = (
    "time_s", "role", "local", "peer", "congestion_control", "cwnd_bytes", "cwnd_packets", "ssthresh_bytes",
    "mss_bytes", "rtt_s", "rttvar_s", "rtt_min_s", "unacked_packets", "lost_packets", "retransmissions", "acked_bytes",
    "received_bytes", "notsent_bytes", "peer_window_bytes", "delivery_rate_bps", "pacing_rate_bps",
)  # fmt: skip


class TcpSamples:
    """What probes have written so far, by the end that each is at."""

    def __init__(self, files: Mapping[str, IO[bytes]]) -> None:
        self._files = files

    def each(self) -> Iterator[tuple[str, int, list[Any]]]:
        """Give end, time of CLOCK_MONOTONIC [ns] and state of each connection in each sample."""
        for end, file in self._files.items():
            for line in _written(file).split(b"\n")[1:-1]:  # the last line may not be whole
                time_ns, connections = json.loads(line)
                for connection in connections:
                    yield end, time_ns, connection

    def since(self, epoch_ns: int | None) -> pd.DataFrame:
        """Give the samples taken since a time.

        Parameters
        ----------
        epoch_ns
            Time of CLOCK_MONOTONIC from which ``time_s`` counts, as from `Testbed.epoch_ns`; None: no samples.

        Returns
        -------
        A row for each sample and connection, columns `COLUMNS`: ``role`` is the end whose state it is, ``local`` and
        ``peer`` are address and port. NaN where the kernel has no value, ``ssthresh_bytes`` too as long as slow
        start was not left; ``pacing_rate_bps`` is inf without pacing.
        """
        import pandas as pd

        rows = [
            row_of((time_ns - epoch_ns) / NS_PER_S, end, connection)
            for end, time_ns, connection in self.each()
            if epoch_ns is not None and time_ns >= epoch_ns
        ]
        return pd.DataFrame(rows, columns=list(COLUMNS)).sort_values("time_s", ignore_index=True, kind="stable")


@contextmanager
def sampling_tcp(testbed: Testbed, interval_s: float = INTERVAL_S) -> Iterator[TcpSamples]:
    """Sample the connections at both ends until left.

    Raises
    ------
    MmwemuError
        If the kernel does not tell.
    """
    with sampling({role: partial(testbed.popen, role) for role in get_args(Role)}, interval_s) as samples:
        yield samples


@contextmanager
def sampling(ends: Mapping[str, Callable[..., subprocess.Popen[Any]]], interval_s: float) -> Iterator[TcpSamples]:
    """Sample the connections at some ends, each told by what starts a program there, until left.

    Raises
    ------
    MmwemuError
        If the kernel does not tell.
    """
    with ExitStack() as stack:
        files: dict[str, IO[bytes]] = {}
        probes = []
        for end, popen in ends.items():
            files[end], log = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(2))
            argv = [sys.executable, "-P", "-m", "mmwemu.probe.tcp_sampler", f"{interval_s:g}"]
            probe = popen(argv, stdin=subprocess.DEVNULL, stdout=files[end], stderr=log)
            stack.callback(_end, probe)
            probes.append((probe, files[end], log))
        for started in probes:
            _wait_until_ready(*started)
        yield TcpSamples(files)


def _written(file: IO[bytes]) -> bytes:
    """Give all of a file without moving its position, which the process that writes it shares."""
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0)


def _wait_until_ready(probe: subprocess.Popen[bytes], file: IO[bytes], log: IO[bytes]) -> None:
    deadline = time.monotonic() + _READY_LIMIT_S
    while not _written(file):
        if probe.poll() is not None or time.monotonic() > deadline:
            words = _written(log).decode(errors="replace").strip().splitlines()
            raise MmwemuError(f"the state of TCP cannot be sampled: {words[-1] if words else 'the probe said nothing'}")
        time.sleep(0.01)


def _end(probe: subprocess.Popen[bytes]) -> None:
    probe.kill()
    probe.wait()


def row_of(time_s: float, role: str, connection: list[Any]) -> list[Any]:
    """Give the values of `COLUMNS` of one connection in one sample."""
    local, peer, algorithm, *values = connection
    info = {field: math.nan if value is None else value for field, value in zip(FIELDS, values, strict=True)}
    mss = info["tcpi_snd_mss"]
    ssthresh, pacing = info["tcpi_snd_ssthresh"], info["tcpi_pacing_rate"]
    return [
        time_s, role, local, peer, algorithm, info["tcpi_snd_cwnd"] * mss, info["tcpi_snd_cwnd"],
        math.nan if ssthresh >= _INFINITE_SSTHRESH else ssthresh * mss, mss,
        info["tcpi_rtt"] / _US_PER_S, info["tcpi_rttvar"] / _US_PER_S, info["tcpi_min_rtt"] / _US_PER_S,
        info["tcpi_unacked"], info["tcpi_lost"], info["tcpi_total_retrans"], info["tcpi_bytes_acked"],
        info["tcpi_bytes_received"], info["tcpi_notsent_bytes"], info["tcpi_snd_wnd"],
        info["tcpi_delivery_rate"] * 8, math.inf if pacing == _UNLIMITED_PACING else pacing * 8,
    ]  # fmt: skip
