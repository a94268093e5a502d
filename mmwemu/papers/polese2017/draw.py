"""Figure of the paper's table: RAN latency and goodput against the fixed latency, with the proxy and without."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmwemu.core import figure
from mmwemu.core.units import mbps, ms
from mmwemu.papers.found import Found
from mmwemu.papers.polese2017.cases import BUFFERS_MB, CASES, FIXED_MS, SLOWER

if TYPE_CHECKING:
    import pandas as pd

# Column, unit, label, and what a value of the emulated link is in the paper's time.
_ROWS = (("ran_delay_s", ms, "RAN latency [ms]", 1 / SLOWER), ("throughput_bps", mbps, "goodput [Mbit/s]", SLOWER))
_PROXIES = {False: ("C3", "without proxy"), True: ("C0", "milliProxy")}
_STYLES = {
    ("simulation", "newreno"): ("-", "", "NewReno, simulated"),
    ("linux", "newreno"): (":", "o", "Reno of Linux"),
    ("linux", "cubic"): (":", "^", "CUBIC of Linux"),
    ("linux", "bbr"): (":", "s", "BBR of Linux"),
}


@figure.styled
def plot_table(found: Found, path: Path) -> None:
    """Draw the mean of each case, in the paper's time; a column of axes for each buffer.

    Flows that were not valid are left out.

    Raises
    ------
    MmwemuError
        If the figure cannot be written.
    """
    drawing, axes = figure.new(9.0, 5.6, rows=len(_ROWS), columns=len(BUFFERS_MB))
    table = found.table[(found.table["state"] == "all") & found.table["valid"].astype(bool)]
    for (i, (column, unit, label, factor)), (k, buffer_mb) in itertools.product(
        enumerate(_ROWS), enumerate(BUFFERS_MB)
    ):
        one = axes[i][k]
        for (by, sender), has_proxy in itertools.product(_STYLES, _PROXIES):
            points = _means(table[table["by"] == by], column, sender, buffer_mb, has_proxy)
            line, mark, _ = _STYLES[by, sender]
            scale = factor if by == "linux" else 1
            one.plot(
                [fixed_ms for fixed_ms, _ in points], [unit(scale * mean) for _, mean in points], line, marker=mark,
                markersize=4, color=_PROXIES[has_proxy][0], linewidth=1.2,
            )  # fmt: skip
        if column == "ran_delay_s":
            one.set_yscale("log")
            one.yaxis.set_major_formatter("{x:g}")
            one.set_title(f"RLC buffer of {buffer_mb} MB")
        else:
            one.set_ylim(bottom=0)
            one.set_xlabel("fixed latency [ms]")
        one.set_xticks(FIXED_MS)
        if k == 0:
            one.set_ylabel(label)
    _legend(drawing, axes[0][0])
    figure.save(drawing, path)


def _means(table: pd.DataFrame, column: str, sender: str, buffer_mb: int, has_proxy: bool) -> list[tuple[int, float]]:
    """Return fixed latency and mean of each case that was found."""
    asked = (sender, buffer_mb, has_proxy)
    cases = sorted(
        (case for case in CASES if (case.sender, case.buffer_mb, case.has_proxy) == asked),
        key=lambda case: case.fixed_ms,
    )
    values = [(case.fixed_ms, table.loc[table["variant"] == case.name, column].dropna()) for case in cases]
    return [(fixed_ms, float(found.mean())) for fixed_ms, found in values if len(found)]


def _legend(drawing: Any, axes: Any) -> None:
    for color, label in _PROXIES.values():
        axes.plot([], [], color=color, label=label)
    for line, mark, label in _STYLES.values():
        axes.plot([], [], line, marker=mark, markersize=4, color=figure.GREY, label=label)
    drawing.legend(loc="outside lower center", ncols=3)
