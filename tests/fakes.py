"""A testbed without a link, for tests of what uses one."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mmwemu.core import process
from mmwemu.link.check import Tolerance
from mmwemu.link.settings import LinkSettings, Role
from mmwemu.link.telemetry import BIN_S, RECORD, to_frame

if TYPE_CHECKING:
    import pandas as pd


class FakeTestbed:
    """Runs programs on this machine, with client and server on its loopback, and writes down what it was asked.

    Attributes
    ----------
    started
        The settings of each start.
    congestion_controls
        The names that were set.
    frame
        What `telemetry` gives; None for a link of a second in which nothing came.
    """

    client_address = "127.0.0.1"
    server_address = "127.0.0.1"
    tolerance = Tolerance()

    def __init__(self, frame: pd.DataFrame | None = None) -> None:
        self.started: list[LinkSettings] = []
        self.congestion_controls: list[str] = []
        self.frame = frame
        self._epoch_ns: int | None = None

    def popen(
        self, role: Role, argv: Sequence[str], *, foreground: bool = False, **options: Any
    ) -> subprocess.Popen[Any]:
        """Start a program here."""
        env = dict(os.environ if options.get("env") is None else options["env"])
        env |= {"MMWEMU_CLIENT": self.client_address, "MMWEMU_SERVER": self.server_address}
        return process.start(argv, **(options | {"env": env}))

    def start(self, settings: LinkSettings) -> None:
        """Write down a start."""
        self.started.append(settings)
        self._epoch_ns = time.monotonic_ns()

    def set_congestion_control(self, name: str) -> None:
        """Write down a name."""
        self.congestion_controls.append(name)

    def epoch_ns(self) -> int | None:
        """Give the time of the last start."""
        return self._epoch_ns

    def telemetry(self, since_s: float = 0.0) -> pd.DataFrame:
        """Give ``frame``, or an empty second of the last start's pattern."""
        if self.frame is not None:
            return self.frame
        return to_frame(np.zeros((round(1 / BIN_S), 2), RECORD), self.started[-1])
