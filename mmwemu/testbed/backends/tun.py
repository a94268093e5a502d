"""Backend ``tun``: the emulator in user space shapes the link, without root."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mmwemu.link.check import Tolerance
from mmwemu.link.replay import Replay
from mmwemu.link.telemetry import TelemetryFile
from mmwemu.testbed.link import Link
from mmwemu.testbed.sandbox import Network, Sandbox


class TunShaping:
    """The emulator can do all that a replay asks for."""

    def refuse(self, replay: Replay) -> None:
        """Accept every replay."""

    def new_record(self) -> TelemetryFile:
        """Return a file that the emulator fills."""
        return TelemetryFile()

    def tolerance(self, replay: Replay | None) -> Tolerance:
        """Return the default tolerance."""
        return Tolerance()


def open_link(log_dir: Path | None = None, within: Network | None = None, ends: Sequence[str] = ()) -> Link:
    """Make a link between two new networks, or networks of another sandbox; see `mmwemu.testbed.sandbox.Sandbox`."""
    return Link(Sandbox(log_dir=log_dir, within=within, ends=ends), TunShaping())
