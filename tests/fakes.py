"""A testbed without networks: real places that start programs on this machine, and links that only keep accounts."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from mmwemu.core import process
from mmwemu.core.errors import InputError
from mmwemu.link import client_telemetry
from mmwemu.link import replay as replays
from mmwemu.link.check import Tolerance
from mmwemu.link.packets import PacketLog
from mmwemu.link.replay import Replay
from mmwemu.link.settings import LinkSettings
from mmwemu.link.telemetry import BIN_S, RECORD, to_frame
from mmwemu.testbed.link import Link
from mmwemu.testbed.place import Launcher, Place, Role, environment
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.tcp import TcpChoices
from mmwemu.testbed.testbed import Testbed
from mmwemu.testbed.topology import CORE

if TYPE_CHECKING:
    import pandas as pd

SERVER, EDGE = "127.0.0.1", "127.0.1.1"


class Here:
    """Starts programs on this machine, as a network of a sandbox does in its own."""

    def popen(
        self, argv: Sequence[str], variables: Mapping[str, str], *, foreground: bool, probe: bool, **options: Any
    ) -> subprocess.Popen[Any]:
        """Start a program here."""
        env = environment(options, variables)
        if shutil.which(argv[0], path=env.get("PATH")) is None:
            raise InputError(argv[0], "is not a program in PATH")
        if not foreground:
            options.setdefault("process_group", 0)
        return process.start(argv, **(options | {"env": env}))


class FakeLink:
    """A link that writes down what it was asked.

    Attributes
    ----------
    started
        The settings of each start.
    packets
        Where the packets of each start were to be written down.
    frame
        What `telemetry` returns; None for a second in which no packet came.
    finished
        How often the packets were written out.
    """

    def __init__(self, frame: pd.DataFrame | None = None) -> None:
        self.started: list[LinkSettings] = []
        self.packets: list[PacketLog | None] = []
        self.frame = frame
        self.finished = 0
        self.replay: Replay | None = None
        self.tolerance = Tolerance()
        self._epoch_ns: int | None = None

    @property
    def core_delay_s(self) -> float:
        """Delay of the core link since the last start."""
        return 0.0 if self.replay is None else self.replay.delay_s

    def start(self, settings: LinkSettings, packets: PacketLog | None = None) -> None:
        """Write down a start."""
        self.started.append(settings)
        self.packets.append(packets)
        self.replay = replays.resolve(settings)
        self._epoch_ns = time.monotonic_ns()

    def epoch_ns(self) -> int | None:
        """Return the time of the last start."""
        return self._epoch_ns

    def telemetry(self, since_s: float = 0.0) -> pd.DataFrame:
        """Return ``frame``, or an empty second of the last start's pattern."""
        if self.frame is not None:
            return self.frame
        assert self.replay is not None
        return to_frame(np.zeros((round(1 / BIN_S), 2), RECORD), self.replay)

    def client_telemetry(self, since_s: float = 0.0) -> pd.DataFrame:
        """Return no rows, as without a cell."""
        return client_telemetry.to_frame(np.zeros((0, 2, 0), client_telemetry.RECORD), 0, BIN_S)

    def finish_packets(self) -> None:
        """Count."""
        self.finished += 1


class FakeTcp:
    """TCP of a part of a testbed that writes down what is set.

    Attributes
    ----------
    windows
        What was chosen, in order.
    """

    def __init__(self, set_congestion_control: Callable[[str], None]) -> None:
        self.set_congestion_control = set_congestion_control
        self.windows: list[TcpChoices] = []

    def set_windows(self, choices: TcpChoices) -> None:
        """Write down a choice."""
        self.windows.append(choices)


def fake_testbed(
    setup: Setup | None = None,
    frame: pd.DataFrame | None = None,
    set_congestion_control: Callable[[str], None] = lambda _: None,
    launcher: Launcher | None = None,
) -> Testbed:
    """Return a testbed whose clients, edge and server have different addresses of this machine's loopback.

    Parameters
    ----------
    setup
        The testbed that is asked for; None for one client.
    frame
        The telemetry of each link; see `FakeLink`.
    set_congestion_control
        Gets each name that is set.
    launcher
        Starts programs in all places; None: on this machine.
    """
    setup = setup or Setup()
    topology = setup.topology
    core = topology.core is not None
    links = {number: FakeLink(frame) for number in [*range(1, topology.access_links + 1), *([CORE] if core else [])]}
    where = launcher or Here()

    def place(role: Role, number: int, address: str, client: str) -> Place:
        own = {"MMWEMU_CLIENT": client, "MMWEMU_EDGE": EDGE if core else "", "MMWEMU_SERVER": SERVER}
        return Place(role, number, address, own | {"MMWEMU_NUMBER": str(number) if number else ""}, where)

    addresses = [f"127.0.0.{1 + number}" for number in range(1, topology.clients + 1)]
    return Testbed(
        setup,
        tuple(place("client", number, address, address) for number, address in enumerate(addresses, 1)),
        place("edge", 0, EDGE, addresses[0]) if core else None,
        place("server", 0, SERVER, addresses[0]),
        cast(Mapping[int, Link], links),
        (),
        (FakeTcp(set_congestion_control),),
    )


def fake_link(testbed: Testbed, number: int = 1) -> FakeLink:
    """Return a link of a fake testbed with what it wrote down."""
    link: Any = testbed.links[number]
    assert isinstance(link, FakeLink)
    return link
