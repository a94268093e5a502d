"""Figures of playback over time; the figure of bytes in the manner of Hurtig 2019, figure 7."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmwemu.core import figure
from mmwemu.core.units import mbps

if TYPE_CHECKING:
    import pandas as pd

# Four labels up to this length fit side by side.
_SHORT = 14
_PALE = 0.35
_COLOURS = (figure.BLUE, figure.ORANGE, figure.RED, figure.GREY)


@dataclass(frozen=True)
class StreamTrace:
    """Data of one run for figures: its pattern, its tables ``buffer`` and ``stalls``, and whether it is CPU-bound."""

    pattern: str
    rat: str
    buffer: pd.DataFrame
    stalls: pd.DataFrame
    cpu_bound: bool = False

    @property
    def line(self) -> dict[str, Any]:
        """The look of the run's lines: pale if it is CPU-bound."""
        return {"linewidth": 1.2, "alpha": _PALE if self.cpu_bound else 1.0}


@figure.styled
def plot_buffer(traces: Sequence[StreamTrace], path: Path, title: str = "") -> None:
    """Draw the buffer level over time, one line per run; stalls are shaded."""
    drawing, axes = figure.new()
    for trace, colour, label in _styled(traces):
        axes.plot(trace.buffer["time_s"], trace.buffer["buffer_s"], color=colour, label=label, **trace.line)
        stalls = trace.stalls
        end_s = stalls["start_s"] + stalls["duration_s"]
        for begin, end, cause in zip(stalls["start_s"], end_s, stalls["cause"], strict=True):
            style: dict[str, Any] = {"alpha": 0.25} if cause == "network" else {"fill": False, "hatch": "//"}
            axes.axvspan(begin, end, color=colour, linewidth=0, **style)
    _note_stalls(axes, traces)
    _finish(drawing, axes, "buffer [s]", path, title, traces)


@figure.styled
def plot_bytes(traces: Sequence[StreamTrace], path: Path, title: str = "") -> None:
    """Draw received and played bytes of media segments over time; the gap between the lines is the buffer."""
    drawing, axes = figure.new()
    for trace, colour, label in _styled(traces):
        table = trace.buffer
        axes.plot(table["time_s"], table["received_bytes"] / 1e6, color=colour, label=label, **trace.line)
        axes.plot(table["time_s"], table["played_bytes"] / 1e6, color=colour, linestyle="--", **trace.line)
    axes.plot([], [], color=figure.GREY, linewidth=1.2, label="received")
    axes.plot([], [], color=figure.GREY, linewidth=1.2, linestyle="--", label="played")
    _finish(drawing, axes, "received and played [MB]", path, title, traces)


@figure.styled
def plot_quality(traces: Sequence[StreamTrace], path: Path, title: str = "") -> None:
    """Draw the rate of the shown video and the player's throughput estimate over time."""
    drawing, (shown, believed) = figure.new(7.0, 5.0, rows=2, sharex=True)
    for trace, colour, label in _styled(traces):
        table = trace.buffer
        shown.step(table["time_s"], mbps(table["rate_bps"].to_numpy(float)), where="post", color=colour,
                   label=label, **trace.line)  # fmt: skip
        believed.plot(table["time_s"], mbps(table["throughput_bps"].to_numpy(float)), color=colour, **trace.line)
    shown.set_ylabel("video shown [Mbit/s]")
    shown.set_ylim(bottom=0)
    shown.set_title(title)
    _finish(drawing, believed, "estimate [Mbit/s]", path, "", traces)


def _styled(traces: Sequence[StreamTrace]) -> list[tuple[StreamTrace, str, str | None]]:
    """Return each run with the colour of its pattern, and the first run of a pattern with a label."""
    series = list(dict.fromkeys((trace.pattern, trace.rat) for trace in traces))
    one_per_rat = len({rat for _, rat in series}) == len(series)
    labelled: set[tuple[str, str]] = set()
    styled = []
    for trace in traces:
        key = (trace.pattern, trace.rat)
        default = _COLOURS[series.index(key) % len(_COLOURS)]
        colour = figure.RAT_COLOURS.get(trace.rat, default) if one_per_rat else f"C{series.index(key)}"
        name = figure.RAT_LABELS.get(trace.rat, trace.pattern) if one_per_rat else trace.pattern
        styled.append((trace, colour, None if key in labelled else name))
        labelled.add(key)
    return styled


def _note_stalls(axes: Any, traces: Sequence[StreamTrace]) -> None:
    causes = {cause for trace in traces for cause in trace.stalls["cause"]}
    if "network" in causes:
        axes.fill_between([], [], color=figure.GREY, alpha=0.25, linewidth=0, label="stalled")
    if "cpu" in causes:
        axes.fill_between([], [], facecolor="none", edgecolor=figure.GREY, hatch="//", label="stalled by CPU")


def _finish(drawing: Any, axes: Any, label: str, path: Path, title: str, traces: Sequence[StreamTrace]) -> None:
    if any(trace.cpu_bound for trace in traces):
        axes.plot([], [], color=figure.GREY, alpha=_PALE, linewidth=1.2, label="pale: CPU-bound")
    axes.set_ylabel(label)
    axes.set_xlabel("time since the player got the film [s]")
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    if title:
        axes.set_title(title)
    labels = [label for one in drawing.axes for label in one.get_legend_handles_labels()[1]]
    short = all(len(label) <= _SHORT for label in labels)
    figure.add_legend(drawing, 4 if short else 2)
    figure.save(drawing, path)
