"""The default backend: namespaces and the engine, without root."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from mmwemu.core.errors import MmwemuError
from mmwemu.link import queue, schedule
from mmwemu.link.check import Tolerance
from mmwemu.link.packets import PacketLog
from mmwemu.link.settings import LinkSettings, Role
from mmwemu.link.telemetry import TelemetryFile
from mmwemu.testbed.sandbox import NamespaceTestbed

if TYPE_CHECKING:
    import pandas as pd


class TunTestbed(NamespaceTestbed):
    """A client and a server in namespaces of their own, and the engine between them."""

    def __init__(
        self,
        log_dir: Path | None = None,
        place: tuple[NamespaceTestbed, Role] | None = None,
        ends: tuple[str, str] | None = None,
    ) -> None:
        self._settings: LinkSettings | None = None
        self._telemetry: TelemetryFile | None = None
        self._next_packets: PacketLog | None = None
        super().__init__("testbed", log_dir=log_dir, place=place, ends=ends or ())

    @property
    def tolerance(self) -> Tolerance:
        """How far the link may be off in a run."""
        return Tolerance()

    @property
    def settings(self) -> LinkSettings | None:
        """Those of the last start."""
        return self._settings

    def start(self, settings: LinkSettings) -> None:
        """Start a replay anew; see `Testbed.start`."""
        telemetry = TelemetryFile()
        packets, self._next_packets = self._next_packets, None
        text_fd = os.memfd_create("mmwemu-schedule", os.MFD_CLOEXEC)
        try:
            with open(text_fd, "w", closefd=False) as text:
                text.write(schedule.render(settings.pattern))
            pattern = settings.pattern
            sizes = [queue.limit(settings, direction) for direction in (pattern.downlink, pattern.uplink)]
            order = (
                f"start {settings.start} {schedule.to_ns(settings.delay_s)} {schedule.to_ns(settings.start_at_s)}"
                f" {settings.seed} {schedule.to_ns(settings.slot_s)} {settings.aqm} {settings.ecn:d} "
                + " ".join(f"{size.size_bytes} {size.packets}" for size in sizes)
                + f" {packets is not None and packets.headers:d} {settings.scheduler}"
            )
            self._ask(order, [text_fd, telemetry.fd, *([] if packets is None else [packets.fd])])
        except BaseException:
            telemetry.close()
            raise
        finally:
            os.close(text_fd)
        if self._telemetry is not None:
            self._telemetry.close()
        self._telemetry = telemetry
        self._settings = settings

    def telemetry(self, since_s: float = 0.0) -> pd.DataFrame:
        """Give what the link did since the last start; see `Testbed.telemetry`."""
        if self._settings is None or self._telemetry is None:
            raise MmwemuError("the link has not been started")
        self._ask("stats")
        return self._telemetry.read(self._settings, since_s)

    def epoch_ns(self) -> int | None:
        """Give when the pattern started; see `Testbed.epoch_ns`."""
        return None if self._telemetry is None else self._telemetry.epoch_ns()

    def log_packets(self, log: PacketLog) -> None:
        """Write down each packet of the next start; see `NamespaceTestbed.log_packets`."""
        self._next_packets = log

    def finish_packets(self) -> None:
        """Write out what has been written down of packets up to now."""
        self._ask("flush")

    def close(self) -> None:
        """End everything in the testbed and the testbed; harmless when done already."""
        super().close()
        if self._telemetry is not None:
            self._telemetry.close()
