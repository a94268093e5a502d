"""Bodies sent over QUIC, each over a connection of its own, with a server and a client of its own."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from mmwemu.apps.shared.quic import ngtcp2
from mmwemu.apps.shared.quic.arrival import Arrival, Counter
from mmwemu.apps.shared.quic.ngtcp2 import Programs, client_command, server_command
from mmwemu.apps.shared.quic.qlog import Qlog, SenderState
from mmwemu.apps.shared.quic.sockets import dropped_datagrams, wait_until_bound
from mmwemu.apps.shared.webserver.certificate import Certificates, find_openssl, make_certificates
from mmwemu.core.temporary import temporary_folder
from mmwemu.testbed.place import Place

MOST = 128
"""Transfers of one run."""
# Runs at once have different numbers, and so different ports, below those that the kernel gives to clients.
_FIRST_PORT, _BLOCKS = 10_000, 170


@dataclass(frozen=True)
class Asked:
    """What is to be sent, and how.

    Attributes
    ----------
    transfers
        How many bodies at once, from 1 to `MOST`.
    size_bytes
        Of each body.
    congestion_control
        One of `mmwemu.apps.shared.quic.ngtcp2.CONGESTION_CONTROLS`.
    idle_s
        A connection on which nothing comes for so long ends.
    """

    transfers: int
    size_bytes: int
    congestion_control: str
    idle_s: float


@dataclass(frozen=True)
class Ready:
    """What transfers need: programs and certificates."""

    programs: Programs
    certificates: Certificates


def make_ready(folder: Path) -> Ready:
    """Find the programs, and make a certificate in a folder.

    Raises
    ------
    MissingError
        If the programs of ngtcp2 are not installed, or openssl.
    """
    programs = ngtcp2.find()
    find_openssl()
    return Ready(programs, make_certificates(folder, [ngtcp2.NAME]))


@dataclass(frozen=True)
class Servers:
    """Servers that are ready: their place, the folder of each port, and what was asked."""

    place: Place
    folders: Mapping[int, Path]
    asked: Asked
    ready: Ready


@dataclass
class Transfer:
    """A transfer while it lasts.

    Attributes
    ----------
    sender, receiver
        Places of server and client.
    local
        Address and port of the server.
    client
        The client, which ends with its transfer.
    arrival
        What came.
    states
        Of the sender, as far as its log was read.
    """

    sender: Place
    receiver: Place
    local: str
    client: subprocess.Popen[bytes]
    arrival: Arrival
    log: Qlog
    words: IO[bytes]
    states: list[SenderState] = field(default_factory=list)

    def read_log(self) -> None:
        """Keep the latest state of the sender.

        Raises
        ------
        MmwemuError
            If the log cannot be read.
        """
        if (state := self.log.read()) is not None:
            self.states.append(state)

    def why_ended(self) -> str:
        """Return the client's last words."""
        self.words.seek(0)
        lines = self.words.read().decode(errors="replace").strip().splitlines()
        return f"the connection ended: {lines[-1] if lines else f'exit code {self.client.returncode}'}"


@dataclass
class Transfers:
    """Transfers that run.

    Attributes
    ----------
    each
        One for each server.
    counter
        What came over all of them.
    dropped_datagrams
        After the end: what the receiver's sockets had no room for.
    """

    each: Sequence[Transfer]
    counter: Counter
    dropped_datagrams: int = 0

    @property
    def held_up_because(self) -> str:
        """Why the computer decided the outcome, as far as datagrams tell; empty if none was dropped."""
        if not self.dropped_datagrams:
            return ""
        return f"{self.dropped_datagrams} datagrams came faster than the QUIC client read them, and were dropped"

    def read_logs(self) -> None:
        """Keep the latest state of each sender.

        Raises
        ------
        MmwemuError
            If a log cannot be read.
        """
        for one in self.each:
            one.read_log()

    def read_lost_packets(self) -> int:
        """Read the logs on, and return how many packets the senders have taken for lost.

        Raises
        ------
        MmwemuError
            If a log cannot be read.
        """
        self.read_logs()
        return sum(one.log.lost_packets for one in self.each)


@contextmanager
def serving(sender: Place, asked: Asked, ready: Ready, number: int) -> Iterator[Servers]:
    """Start a server for each transfer of the run of this number, until the block ends.

    Raises
    ------
    MmwemuError
        If a server does not start.
    """
    first_port = _FIRST_PORT + number % _BLOCKS * MOST
    with ExitStack() as stack:
        folder = stack.enter_context(temporary_folder("quic"))
        folders = {first_port + i: folder / str(i) for i in range(asked.transfers)}
        programs = []
        for port, own in folders.items():
            logs = own / "logs"
            logs.mkdir(parents=True)
            command = server_command(
                ready.programs, sender.address, port, certificates=ready.certificates, logs=logs,
                congestion_control=asked.congestion_control, idle_s=asked.idle_s,
            )  # fmt: skip
            programs.append(_started(stack, sender, command, subprocess.DEVNULL))
        wait_until_bound(sender, folders, programs)
        yield Servers(sender, folders, asked, ready)


@contextmanager
def fetching(receiver: Place, servers: Servers) -> Iterator[Transfers]:
    """Start a client for each server, until the block ends."""
    size_bytes, idle_s = servers.asked.size_bytes, servers.asked.idle_s
    before = dropped_datagrams(receiver)
    pipes = [own / str(size_bytes) for own in servers.folders.values()]
    counter = Counter(pipes, size_bytes * len(pipes))
    with ExitStack() as stack:
        counter.start()
        stack.callback(counter.stop)
        each = []
        for (port, own), arrival in zip(servers.folders.items(), counter.each, strict=True):
            log, words = Qlog(own / "logs"), (own / "words").open("w+b")
            stack.callback(log.close)
            stack.callback(words.close)
            sender = servers.place
            command = client_command(
                servers.ready.programs, sender.address, port, size_bytes, folder=own, idle_s=idle_s
            )  # fmt: skip
            client = _started(stack, receiver, command, words)
            each.append(Transfer(sender, receiver, f"{sender.address}:{port}", client, arrival, log, words))
        found = Transfers(each, counter)
        yield found
        found.dropped_datagrams = dropped_datagrams(receiver) - before


def _started(stack: ExitStack, place: Place, command: list[str], words: int | IO[bytes]) -> subprocess.Popen[bytes]:
    program = place.popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=words)

    def end() -> None:
        program.kill()
        program.wait()

    stack.callback(end)
    return program
