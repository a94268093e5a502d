"""The time line of an explained run as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mmwemu.core import figure
from mmwemu.core.units import mbps
from mmwemu.link.telemetry import BIN_S
from mmwemu.study.explain.causes import CAUSES, WORDS, Cause
from mmwemu.study.explain.explanation import Explanation

_COLOURS: dict[Cause, str] = {
    "setup": "#56b4e9",
    "request": "#0072b2",
    "slow_start": "#e69f00",
    "window": "#b57d00",
    "pacing": "#8c8c8c",
    "transfer": "#009e73",
    "queue": "#cc79a7",
    "outage": "#1f1f1f",
    "recovery": "#d55e00",
    "timeout": "#a02c00",
    "server": "#7a5195",
    "computer": "#6b7280",
    "unfinished": "#b0b7c3",
}
_ROW_IN = 0.28


@figure.styled
def plot(explanation: Explanation, path: Path) -> None:
    """Draw rate and queue of the downlink, and below them a row for each cause with the times that it took.

    Raises
    ------
    InputError
        If the ending of ``path`` is none of a picture.
    MmwemuError
        If the file cannot be written.
    """
    begin_s, end_s = explanation.intervals[0].begin_s, explanation.intervals[-1].end_s
    parts_s = explanation.parts_s
    shown = [cause for cause in CAUSES if parts_s[cause] > 0]
    height_in = 3.2 + _ROW_IN * len(shown)
    drawing, (rate, queue, rows) = figure.new(
        8.0, height_in, rows=3, sharex=True, height_ratios=[1.6, 0.9, _ROW_IN * len(shown)]
    )
    _draw_link(rate, queue, explanation)
    for i, cause in enumerate(shown):
        spans = [(each.begin_s, each.length_s) for each in explanation.intervals if each.cause == cause]
        rows.broken_barh(spans, (i - 0.4, 0.8), color=_COLOURS[cause], linewidth=0.4)
    words = [f"{WORDS[cause]}, {parts_s[cause]:.3f} s" for cause in shown]
    rows.set_yticks(range(len(shown)), words)
    rows.invert_yaxis()
    rows.set_xlabel("time since the start of the link [s]")
    rows.set_xlim(begin_s, end_s)
    run = explanation.run
    rate.set_title(f"{run['application']} over {run['pattern']}, run {run['run']}: {explanation.length_s:.3f} s")
    figure.add_legend(drawing, 2)
    figure.save(drawing, path)


def _draw_link(rate: Any, queue: Any, explanation: Explanation) -> None:
    part = explanation.telemetry
    part = part[part["direction"] == "downlink"].sort_values("time_s")
    begin_s = part["time_s"].to_numpy(float)
    for column, colour, label in (
        ("capacity_bytes", figure.GREY, "pattern"),
        ("delivered_bytes", figure.BLUE, "delivered"),
    ):
        values = mbps(part[column].to_numpy(float) * 8 / BIN_S)
        rate.step(begin_s, values, where="post", color=colour, linewidth=1.0, label=label)
    rate.set_ylabel("Mbit/s")
    rate.set_ylim(bottom=0)
    queue.plot(begin_s + BIN_S, part["queue_bytes"] / 1e6, color=figure.ORANGE, linewidth=1.0)
    queue.set_ylabel("queue [MB]")
    queue.set_ylim(bottom=0)
