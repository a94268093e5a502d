"""Figures of the paper: parts of the way, the two sweeps, and blockages over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mmwemu.core import figure
from mmwemu.core.units import mbps, ms
from mmwemu.model.lossy import LossyPath, cubic_bps, reno_bps
from mmwemu.papers.chen2020.patterns import AT_ONCE, BLOCKED_S, DELAY_S, LOSSES, PACKETS_AT_ONCE
from mmwemu.papers.found import Found
from mmwemu.pattern.model import Floats
from mmwemu.pattern.synthesis.blockages import OBSTACLES, STARTS_S
from mmwemu.report.link_figures import of_direction
from mmwemu.report.statistics import average_or_range
from mmwemu.results import store

if TYPE_CHECKING:
    import pandas as pd

_COLOURS = {"cubic": figure.BLUE, "reno": figure.ORANGE, "bbr": figure.RED}
_NAMES = {"cubic": "CUBIC", "reno": "Reno", "bbr": "BBR"}
_SPLIT_COLOUR, _SPLIT = "#2f855a", "CUBIC, split at the edge"
_PARTS = {"whole": "whole way", "core": "wired part alone", "access": "wireless part alone"}
_PAPER = {"whole": 30.0, "core": 300.0, "access": 800.0}
"""Mbit/s of section 4.2 and figure 5: about 30, above 300, above 800."""

_WIRED_RTT_S, _WIRED_LOSS, _WIRELESS_LOSS = 0.08, 1e-4, 0.01
_BINS = 10


def _path(subpath: str, wired_rtt_s: Any, wireless_loss: Any, wired_loss: float = _WIRED_LOSS) -> LossyPath:
    """Return what a flow over a part of the way meets."""
    if subpath == "core":
        return LossyPath(wired_rtt_s, wired_loss)
    if subpath == "access":
        return LossyPath(2 * DELAY_S, wireless_loss)
    return LossyPath(wired_rtt_s + 2 * DELAY_S, 1 - (1 - wireless_loss) * (1 - wired_loss))


def _good(found: Found, edge_proxy: str = "") -> pd.DataFrame:
    """Return the runs that count, with a proxy at the edge or without."""
    runs = found.runs[found.runs["edge_proxy"] == edge_proxy]
    return runs[runs["valid"].astype(bool) & (runs["status"] == "ok")].dropna(subset=["goodput_bps"])


@figure.styled
def plot_parts(found: Found, path: Path) -> None:
    """Draw the goodput of each part of the way at the paper's own setting.

    Bars are of flows over packets lost one by one, and lost as by netem; lines are the closed forms and the paper.

    Raises
    ------
    MmwemuError
        If the figure cannot be written.
    """
    runs, split = _good(found), _good(found, "split")
    typical = runs[np.isclose(runs["delay_s"], _WIRED_RTT_S / 2)]
    each = typical[(typical["pattern"] == "loss-1") & np.isclose(typical["core_loss"], _WIRED_LOSS)]
    at_once = typical[typical["pattern"] == AT_ONCE]
    bars = [(_NAMES[cc], each[each["congestion_control"] == cc], _COLOURS[cc], "") for cc in _COLOURS]
    rare = at_once[at_once["congestion_control"] == "cubic"]
    bars.append((f"CUBIC, 1 of {PACKETS_AT_ONCE} losses", rare, _COLOURS["cubic"], "//"))
    bars.append(
        (_SPLIT, split[(split["pattern"] == "loss-1") & (split["congestion_control"] == "cubic")], _SPLIT_COLOUR, "")
    )
    drawing, axes = figure.new(7.5, 4.4)
    width = 0.8 / len(bars)
    for i, (label, rows, colour, hatch) in enumerate(bars):
        values = [mbps(rows.loc[rows["subpath"] == part, "goodput_bps"].mean()) for part in _PARTS]
        at = np.arange(len(_PARTS)) + (i - (len(bars) - 1) / 2) * width
        axes.bar(
            at, values, 0.9 * width, color="white" if hatch else colour, edgecolor=colour, hatch=hatch, label=label
        )
    for i, part in enumerate(_PARTS):
        span = (i - 0.42, i + 0.42)
        form = mbps(float(reno_bps(_path(part, _WIRED_RTT_S, _WIRELESS_LOSS))))
        axes.plot(span, (form, form), "--", color=figure.GREY, label=None if i else "Reno, closed form")
        axes.plot(span, (_PAPER[part],) * 2, "-", color="black", label=None if i else "paper (about, or above)")
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xticks(range(len(_PARTS)), list(_PARTS.values()))
    axes.set_ylabel("goodput [Mbit/s]")
    axes.set_title("Wired: 80 ms, 0.01 % loss; wireless: 1 ms, 1 % loss")
    drawing.legend(loc="outside lower center", ncols=3)
    figure.save(drawing, path)


@figure.styled
def plot_delays(found: Found, path: Path) -> None:
    """Draw the goodput of the whole way and of the wired part alone over the wired round trip.

    Raises
    ------
    MmwemuError
        If the figure cannot be written.
    """
    runs = _good(found)
    chosen = runs[(runs["pattern"] == "loss-1") & np.isclose(runs["core_loss"], _WIRED_LOSS)]
    chosen = chosen.assign(x=ms(2 * chosen["delay_s"].to_numpy(float)))
    rtts_s = np.geomspace(1e-3, 0.3, 50)
    forms = {part: _forms(_path(part, rtts_s, _WIRELESS_LOSS)) for part in ("whole", "core")}
    papers = {part: (ms(_WIRED_RTT_S), _PAPER[part]) for part in forms}
    _sweep(chosen, ms(rtts_s), forms, papers, "wired round trip [ms]", path)


@figure.styled
def plot_losses(found: Found, path: Path) -> None:
    """Draw the goodput of the whole way and of the wireless part alone over the wireless loss.

    Raises
    ------
    MmwemuError
        If the figure cannot be written.
    """
    import pandas as pd

    proxied = _good(found, "split").query("congestion_control == 'cubic'").assign(congestion_control="split")
    runs = pd.concat([_good(found), proxied])
    at = runs["subpath"].eq("access") | np.isclose(runs["delay_s"], _WIRED_RTT_S / 2)
    chosen = runs[runs["pattern"].isin(list(LOSSES)) & at & np.isclose(runs["core_loss"], _WIRED_LOSS)]
    chosen = chosen.assign(x=100 * chosen["pattern"].map(LOSSES).astype(float))
    losses = np.geomspace(1e-3, 0.1, 50)
    forms = {part: _forms(_path(part, _WIRED_RTT_S, losses)) for part in ("whole", "access")}
    papers = {part: (100 * _WIRELESS_LOSS, _PAPER[part]) for part in forms}
    _sweep(chosen, 100 * losses, forms, papers, "wireless loss [%]", path)


def _forms(path: LossyPath) -> dict[str, Floats]:
    return {"reno": mbps(reno_bps(path)), "cubic": mbps(cubic_bps(path))}


def _sweep(
    runs: pd.DataFrame,
    xs: Floats,
    forms: Mapping[str, Mapping[str, Floats]],
    papers: Mapping[str, tuple[float, float]],
    label: str,
    path: Path,
) -> None:
    """Draw a panel for each part of the way: runs by their column ``x``, closed forms at ``xs``, the paper's point."""
    drawing, panels = figure.new(8.0, 3.8, columns=len(forms), sharey=True)
    for axes, part in zip(panels, forms, strict=True):
        for cc, values in forms[part].items():
            axes.plot(xs, values, "--" if cc == "reno" else ":", color=_COLOURS[cc], linewidth=1.2)
        ours = runs[runs["subpath"] == part]
        for cc, colour in (_COLOURS | {"split": _SPLIT_COLOUR}).items():
            rows = ours[ours["congestion_control"] == cc]
            points = [(x, *_mean(same["goodput_bps"].tolist())) for x, same in rows.groupby("x")]
            if points:
                x, middle, low, high = np.array(points).T
                axes.errorbar(x, middle, yerr=[middle - low, high - middle], color=colour, marker="o", markersize=4,
                              linewidth=1.4, capsize=2)  # fmt: skip
        axes.plot(*papers[part], "k*", markersize=9)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.set_xlabel(label)
        axes.set_title(_PARTS[part])
    panels[0].set_ylabel("goodput [Mbit/s]")
    for cc, colour in _COLOURS.items():
        panels[0].plot([], [], color=colour, marker="o", markersize=4, label=_NAMES[cc])
    if "split" in set(runs["congestion_control"]):
        panels[0].plot([], [], color=_SPLIT_COLOUR, marker="o", markersize=4, label=_SPLIT)
    for cc, style in (("reno", "--"), ("cubic", ":")):
        panels[0].plot([], [], style, color=_COLOURS[cc], label=f"{_NAMES[cc]}, closed form")
    panels[0].plot([], [], "k*", markersize=9, label="paper")
    drawing.legend(loc="outside right upper")
    figure.save(drawing, path)


def _mean(values_bps: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean with the ends of its interval, or below five values with the extremes, Mbit/s."""
    one = average_or_range(values_bps)
    return mbps(one.value), mbps(one.low), mbps(one.high)


@figure.styled
def plot_blockages(found: Found, path: Path) -> None:
    """Draw the delivered rate over time of the bare link and behind each obstacle, 100 ms means.

    Raises
    ------
    InputError
        If the telemetry of the study cannot be read.
    MmwemuError
        If the figure cannot be written.
    """
    telemetry = store.load_table(found.results, "link")
    runs = _good(found)
    names = ["bare", *OBSTACLES]
    runs = runs[(runs["start_at_s"] == 0) & runs["pattern"].isin(names)]
    drawing, panels = figure.new(7.0, 1.7 * len(names), rows=len(names), sharex=True)
    for axes, name in zip(panels, names, strict=True):
        for start_s in STARTS_S if name != "bare" else ():
            axes.axvspan(start_s, start_s + BLOCKED_S, color="#eef0f3", zorder=0)
        for cc, colour in _COLOURS.items():
            of = runs[(runs["pattern"] == name) & (runs["congestion_control"] == cc)].head(1)
            for run in of["run"]:
                bins = of_direction(telemetry[telemetry["run"] == run], "downlink")
                tenths = bins.groupby(bins.index // _BINS)
                values = mbps(tenths["delivered_bytes"].sum().to_numpy(float) * 8 / 0.1)
                axes.step(tenths["time_s"].first(), values, where="post", color=colour, linewidth=1.2)
        axes.set_ylim(bottom=0)
        axes.set_title(name.replace("-", " "))
        axes.set_ylabel("Mbit/s")
    for cc in dict.fromkeys(runs["congestion_control"]):
        panels[0].plot([], [], color=_COLOURS[cc], label=_NAMES[cc])
    panels[-1].set_xlabel("time [s]")
    panels[-1].set_xlim(0, 20)
    figure.add_legend(drawing, 3)
    figure.save(drawing, path)
