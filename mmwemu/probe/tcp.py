"""Samples of the state of the TCP connections in a testbed."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import IO, TYPE_CHECKING, Any

from mmwemu.core.errors import MmwemuError
from mmwemu.core.units import from_ns
from mmwemu.probe.tcp_sampler import FIELDS
from mmwemu.testbed.place import Place
from mmwemu.testbed.testbed import Testbed
from mmwemu.testbed.topology import CORE

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
    "link", "client",
)  # fmt: skip


class TcpSamples:
    """Samples so far, by place."""

    def __init__(self, testbed: Testbed, files: Mapping[str, IO[bytes]]) -> None:
        self._testbed = testbed
        self._files = files

    def frame(self) -> pd.DataFrame:
        """Return the samples since the start of the links.

        Returns
        -------
        One row per sample and connection, with the columns `COLUMNS`. ``role`` is the place of the state (client, edge,
        server), ``local`` and ``peer`` are address and port. ``client`` is the number of the connection's client, null
        between edge and server; ``link`` is the access link of the connection, 0 for the core link only. ``time_s``
        counts from the start of that link. Values are NaN if the kernel has none, ``ssthresh_bytes`` also during the
        first slow start; ``pacing_rate_bps`` is inf without pacing.
        """
        import pandas as pd

        testbed = self._testbed
        numbers = {client.address: client.number for client in testbed.clients}
        epochs_ns = {link: testbed.links[link].epoch_ns() for link in testbed.links}
        beyond = CORE if CORE in epochs_ns else 1
        rows = []
        for place, time_ns, connection in self._each():
            hosts = [name.rpartition(":")[0] for name in connection[:2]]
            client = next((numbers[host] for host in hosts if host in numbers), None)
            link = beyond if client is None else testbed.topology.link_of(client)
            epoch_ns = epochs_ns[link]
            if epoch_ns is not None and time_ns >= epoch_ns:
                row = row_of(from_ns(float(time_ns - epoch_ns)), place.partition(" ")[0], connection)
                rows.append([*row, link, client])
        frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype({"link": "int16", "client": "Int16"})
        return frame.sort_values("time_s", ignore_index=True, kind="stable")

    def _each(self) -> Iterator[tuple[str, int, list[Any]]]:
        """Yield place, time of CLOCK_MONOTONIC [ns] and state of each connection in each sample."""
        for place, file in self._files.items():
            for line in _written(file).split(b"\n")[1:-1]:  # the last line may be incomplete
                time_ns, connections = json.loads(line)
                for connection in connections:
                    yield place, time_ns, connection


@contextmanager
def sampling_tcp(
    testbed: Testbed, interval_s: float = INTERVAL_S, places: Sequence[Place] | None = None
) -> Iterator[TcpSamples]:
    """Sample the TCP connections of some places, None for all, until the block ends.

    Raises
    ------
    InputError
        If the testbed does not support it.
    MmwemuError
        If a sampler does not start.
    """
    testbed.setup.require("TCP state")
    with ExitStack() as stack:
        files: dict[str, IO[bytes]] = {}
        samplers = []
        for place in places or testbed.places:
            files[place.name], log = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(2))
            argv = [sys.executable, "-P", "-m", "mmwemu.probe.tcp_sampler", f"{interval_s:g}"]
            sampler = place.popen(argv, probe=True, stdin=subprocess.DEVNULL, stdout=files[place.name], stderr=log)
            stack.callback(_end, sampler)
            samplers.append((sampler, files[place.name], log))
        for started in samplers:
            _wait_until_ready(*started)
        yield TcpSamples(testbed, files)


def _written(file: IO[bytes]) -> bytes:
    """Return the whole file without moving its position, which the writing process shares."""
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0)


def _wait_until_ready(sampler: subprocess.Popen[bytes], file: IO[bytes], log: IO[bytes]) -> None:
    deadline = time.monotonic() + _READY_LIMIT_S
    while not _written(file):
        if sampler.poll() is not None or time.monotonic() > deadline:
            words = _written(log).decode(errors="replace").strip().splitlines()
            raise MmwemuError(
                f"the state of TCP cannot be sampled: {words[-1] if words else 'no output of the sampler'}"
            )
        time.sleep(0.01)


def _end(sampler: subprocess.Popen[bytes]) -> None:
    sampler.kill()
    sampler.wait()


def row_of(time_s: float, role: str, connection: list[Any]) -> list[Any]:
    """Return the values of one connection in one sample, for all `COLUMNS` but the last two."""
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
