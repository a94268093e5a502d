"""Backend ``tun``: the emulator in user space shapes the link, without root."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mmwemu.link.check import Tolerance
from mmwemu.link.profile import MTU_BYTES
from mmwemu.link.replay import Replay
from mmwemu.link.telemetry import TelemetryFile
from mmwemu.testbed.link import Link
from mmwemu.testbed.sandbox import Network, Sandbox


class TunShaping:
    """The emulator can do all that a replay asks for."""

    def refuse(self, replay: Replay) -> None:
        """Accept every replay."""

    def new_record(self, replay: Replay) -> TelemetryFile:
        """Return a file that the emulator fills."""
        return TelemetryFile(len(replay.clients))

    def tolerance(self, replay: Replay | None) -> Tolerance:
        """Return the default tolerance; in a cell, each client may have most of a packet from an earlier slot."""
        clients = len(replay.clients) if replay is not None else 0
        return Tolerance(excess_bytes=(2 + clients) * MTU_BYTES)


def open_link(log_dir: Path | None = None, within: Network | None = None, ends: Sequence[str] = ()) -> Link:
    """Make a link between two new networks, or networks of another sandbox; see `mmwemu.testbed.sandbox.Sandbox`."""
    return Link(Sandbox(log_dir=log_dir, within=within, ends=ends), TunShaping())
