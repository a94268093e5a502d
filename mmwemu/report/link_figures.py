"""Panels of figures with the rate and queue of a link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mmwemu.core import figure
from mmwemu.core.units import mbps

if TYPE_CHECKING:
    import pandas as pd

_BINS = 10
_BIN_S = 0.010


def of_direction(telemetry: pd.DataFrame, direction: str, link: int = 1) -> pd.DataFrame:
    """Return the bins of one direction of a link, by default the first access link, in order."""
    ours = (telemetry["direction"] == direction) & (telemetry["link"] == link)
    return telemetry[ours].sort_values("time_s").reset_index(drop=True)


def draw_rate(axes: Any, part: pd.DataFrame) -> None:
    """Draw the rate of the pattern and the delivered rate, 100 ms means."""
    tenths = part.groupby(part.index // _BINS)
    rows = tenths["time_s"].count() == _BINS
    time_s = tenths["time_s"].first()[rows]
    for column, colour, label in (
        ("capacity_bytes", figure.GREY, "pattern"),
        ("delivered_bytes", figure.BLUE, "delivered"),
    ):
        values = mbps((tenths[column].sum()[rows] * 8 / (_BINS * _BIN_S)).to_numpy(float))
        axes.step(time_s, values, where="post", color=colour, linewidth=1.2, label=label)
    axes.set_ylabel("Mbit/s of IP packets")
    axes.set_ylim(bottom=0)


def draw_queue(axes: Any, part: pd.DataFrame) -> None:
    """Draw the queue length."""
    axes.plot(part["time_s"], part["queue_bytes"] / 1e6, color=figure.ORANGE, linewidth=1.0)
    axes.set_ylabel("queue [MB]")
    axes.set_ylim(bottom=0)
