"""A flow of QUIC: a server of ngtcp2 where it is sent, a client where it is received, for each connection."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO

from mmwemu.apps.application import Context
from mmwemu.apps.flow.settings import GRACE_S, MOST_STREAMS, Flow, FlowSettings
from mmwemu.apps.flow.subpath import ends
from mmwemu.apps.shared.quic.arrival import Arrival
from mmwemu.apps.shared.quic.ngtcp2 import Programs, client_command, server_command
from mmwemu.apps.shared.quic.qlog import Qlog, SenderState
from mmwemu.apps.shared.quic.sockets import dropped_datagrams, wait_until_bound
from mmwemu.apps.shared.webserver.certificate import Certificates
from mmwemu.core.temporary import temporary_folder
from mmwemu.testbed.place import Place

# Shorter than what a pipe holds at 1 Gbit/s.
_LOOK_S = 0.002
_BODY_BYTES = 10**15
_FIRST_PORT = 20_000
_BLOCKS = 256


@dataclass(frozen=True)
class Ready:
    """What a flow of QUIC needs: programs and certificates."""

    programs: Programs
    certificates: Certificates


@dataclass
class Connection:
    """A connection while it lasts: its port, server and client, what came, the log and the states read from it."""

    port: int
    server: subprocess.Popen[bytes]
    client: subprocess.Popen[bytes]
    words: IO[bytes]
    arrival: Arrival
    log: Qlog
    states: list[SenderState] = field(default_factory=list)

    def read_log(self) -> None:
        """Keep the latest state of the sender."""
        if (state := self.log.read()) is not None:
            self.states.append(state)


@dataclass(frozen=True)
class QuicFlow:
    """Result of a flow, its connections, and how many datagrams the receiver's sockets had no room for."""

    flow: Flow
    connections: Sequence[Connection]
    dropped_datagrams: int


def quic_flow(context: Context, settings: FlowSettings, ready: Ready, number: int, interval_s: float) -> QuicFlow:
    """Run one flow; the receiver asks for more than can come, and the flow ends after its time.

    Parameters
    ----------
    number
        Of the run; flows at once have different ones, and so different ports.
    interval_s
        Between states of the senders.

    Raises
    ------
    MmwemuError
        If a server does not start, or its log cannot be read.
    """
    receiver, sender = sides(context, settings)
    first_port = _FIRST_PORT + number % _BLOCKS * MOST_STREAMS
    start = partial(_connected, receiver, sender, ready, context.congestion_control)
    with temporary_folder("quic") as folder, start(settings, first_port, folder) as found:
        before = dropped_datagrams(receiver)
        flow = _receive(found, settings, interval_s)
        return QuicFlow(flow, found, dropped_datagrams(receiver) - before)


def sides(context: Context, settings: FlowSettings) -> tuple[Place, Place]:
    """Return where a flow is received and where it is sent."""
    client, server = ends(context.testbed, context.client, settings.subpath)
    return (client, server) if settings.direction == "downlink" else (server, client)


def dropped(done: QuicFlow) -> str:
    """Return why a flow is CPU-bound, as far as datagrams tell: empty if none was dropped."""
    if not done.dropped_datagrams:
        return ""
    return f"{done.dropped_datagrams} datagrams came faster than the QUIC client read them, and were dropped"


@contextmanager
def _connected(
    receiver: Place,
    sender: Place,
    ready: Ready,
    congestion_control: str,
    settings: FlowSettings,
    first_port: int,
    folder: Path,
) -> Iterator[list[Connection]]:
    """Start a server for each connection, and then the clients; on leaving, all are killed."""
    idle_s = settings.warm_up_s + settings.duration_s + GRACE_S
    ports = range(first_port, first_port + settings.streams)
    with ExitStack() as stack:
        places = {port: folder / str(port) for port in ports}
        servers = {}
        for port, place in places.items():
            logs = place / "logs"
            logs.mkdir(parents=True)
            command = server_command(
                ready.programs, sender.address, port, certificates=ready.certificates, logs=logs,
                congestion_control=congestion_control, idle_s=idle_s,
            )  # fmt: skip
            servers[port] = sender.popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            stack.callback(_end, servers[port])
        wait_until_bound(sender, ports, list(servers.values()))
        found = []
        for port, place in places.items():
            arrival, log = Arrival(place / str(_BODY_BYTES)), Qlog(place / "logs")
            stack.callback(arrival.close)
            stack.callback(log.close)
            words = stack.enter_context(tempfile.TemporaryFile())
            command = client_command(ready.programs, sender.address, port, _BODY_BYTES, folder=place, idle_s=idle_s)
            client = receiver.popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=words)
            stack.callback(_end, client)
            found.append(Connection(port, servers[port], client, words, arrival, log))
        yield found


def _end(program: subprocess.Popen[bytes]) -> None:
    program.kill()
    program.wait()


def _receive(found: Sequence[Connection], settings: FlowSettings, interval_s: float) -> Flow:
    """Count what comes for the time of the flow, from the first byte or the end of the warm-up on."""
    begin_s = look_s = time.monotonic()
    limit_s = settings.warm_up_s + settings.duration_s + GRACE_S
    first_s: float | None = None
    start_s: float | None = None
    received_before = lost_before = 0
    while True:
        time.sleep(_LOOK_S)
        received = sum(one.arrival.read() for one in found)
        now_s = time.monotonic()
        if first_s is None and received:
            first_s = now_s
            start_s = None if settings.warm_up_s else now_s
        if start_s is None and first_s is not None and now_s - first_s >= settings.warm_up_s:
            start_s, received_before, lost_before = now_s, received, _lost(found)
        result = partial(
            _flow, found, now_s - (start_s or begin_s), received - received_before, lost_before=lost_before
        )
        ended = next((one for one in found if one.client.poll() is not None), None)
        if ended is not None:
            return result("failed", _why(ended))
        if first_s is None and now_s - begin_s > limit_s:
            return result("timeout", f"nothing came within {limit_s:.0f} s")
        if start_s is not None and now_s - start_s >= settings.duration_s:
            return result("ok", "")
        if now_s >= look_s:
            look_s = max(look_s + interval_s, now_s)
            for one in found:
                one.read_log()


def _why(ended: Connection) -> str:
    ended.words.seek(0)
    lines = ended.words.read().decode(errors="replace").strip().splitlines()
    words = lines[-1] if lines else f"exit code {ended.client.returncode}"
    return f"the connection ended: {words}"


def _lost(found: Sequence[Connection]) -> int:
    """Return how many packets the senders have taken for lost, by the last states, which are kept."""
    for one in found:
        one.read_log()
    return sum(one.log.lost_packets for one in found)


def _flow(
    found: Sequence[Connection], duration_s: float, received: int, status: str, error: str, *, lost_before: int
) -> Flow:
    """Return the result, with the last states of the senders."""
    lost_packets = _lost(found) - lost_before
    largest = max(found, key=lambda one: one.arrival.received_bytes)
    return Flow(
        status,
        error,
        duration_s,
        received_bytes=received,
        goodput_bps=received * 8 / duration_s if status == "ok" else None,
        cwnd_max_bytes=round(max((state.cwnd_bytes for state in largest.states), default=0)) or None,
        lost_packets=lost_packets,
    )
