"""Record of a user."""

from __future__ import annotations

from dataclasses import dataclass

from mmwemu.core.units import mbps
from mmwemu.results.records import Run


@dataclass(frozen=True, kw_only=True)
class UserRun(Run):
    """A user in one replay.

    Attributes
    ----------
    traffic_seed
        Seed of sizes and pauses.
    downloads, unfinished
        Numbers of downloads that were finished, and that the end of the run or an error cut off: 0 or 1.
    received_bytes, fetching_s
        Bytes of all files, and time in downloads, both with the unfinished one.
    goodput_bps
        ``received_bytes`` over ``fetching_s``; None without a download.
    download_rate_mean_bps
        Mean of size over time of the finished downloads; None if there are none.
    """

    traffic_seed: int
    downloads: int
    unfinished: int
    received_bytes: int
    fetching_s: float
    goodput_bps: float | None
    download_rate_mean_bps: float | None

    @property
    def headline(self) -> str:
        """The goodput."""
        return "" if self.goodput_bps is None else f"{mbps(self.goodput_bps):.1f} Mbit/s"
