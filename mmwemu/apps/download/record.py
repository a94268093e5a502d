"""Record of a download."""

from __future__ import annotations

from dataclasses import dataclass

from mmwemu.core.units import mbps
from mmwemu.results.records import Run


@dataclass(frozen=True, kw_only=True)
class DownloadRun(Run):
    """A download.

    Attributes
    ----------
    size_bytes, protocol
        As in `mmwemu.apps.download.settings.DownloadSettings`.
    received_bytes, connect_s, ttfb_s, goodput_bps
        As in `mmwemu.apps.download.settings.Download`; None if not reached.
    """

    size_bytes: int
    protocol: str
    received_bytes: int
    connect_s: float | None
    ttfb_s: float | None
    goodput_bps: float | None

    @property
    def headline(self) -> str:
        """The goodput."""
        return "" if self.goodput_bps is None else f"{mbps(self.goodput_bps):.1f} Mbit/s"
