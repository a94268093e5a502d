"""What the MAC could give, whatever the source sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mmwemu.pattern.conversion.series import Source
from mmwemu.pattern.conversion.window import Window


@dataclass(frozen=True)
class Phy(Window):
    """One step for each window, with the mean PHY rate."""

    name: ClassVar[str] = "phy"
    help: ClassVar[str] = "the mean of each window of what the MAC could give, not limited by what was sent"
    source: ClassVar[Source | None] = "phy_rate_bps"
