"""Names for runs whose settings were varied."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from mmwemu.core.units import format_size, mbps, ms
from mmwemu.link.profile import LinkProfile
from mmwemu.results.records import Run

if TYPE_CHECKING:
    import pandas as pd

_TESTBED = (
    "clients",
    "scheduler",
    "edge",
    "core_rate_bps",
    "core_loss",
    "access_delay_s",
    "edge_proxy",
    "edge_congestion_control",
    "backend",
    "tc_mode",
)
_SENDER = ("congestion_control", "initial_window", "pacing_bps", "window_bytes")
_SETTINGS = (*_SENDER, *(field.name for field in fields(LinkProfile)), *_TESTBED)


def named_by_variation(runs: pd.DataFrame) -> pd.DataFrame:
    """Return runs with the settings that differ between them added to the names of their patterns.

    ``s1-long-nlos.mmwave`` becomes ``s1-long-nlos.mmwave, bbr, 5 ms delay`` where congestion control and delay vary, so
    that tables and figures tell the runs apart as they tell patterns apart. Where experiments of one study differ by
    the limit, or by an option of the application that is a word, such as the player, that is added, too.
    """
    varied = [name for name in (*_SETTINGS, *_own(runs)) if name in runs and runs[name].nunique(dropna=False) > 1]
    if not varied:
        return runs
    names = [
        ", ".join([str(row["pattern"]), *(text for name in varied if (text := _word(name, row[name])))])
        for row in runs[["pattern", *varied]].to_dict("records")
    ]
    return runs.assign(pattern=names)


def _own(runs: pd.DataFrame) -> list[str]:
    """Return the limit and the application's own columns of words that are the same within each experiment."""
    if "experiment" not in runs or runs["experiment"].nunique() < 2:
        return []
    common = {field.name for field in fields(Run)}
    by_experiment = runs.groupby("experiment")
    columns = [str(name) for name in runs]
    words = [
        name for name in columns if name not in common and runs[name].map(lambda value: isinstance(value, str)).all()
    ]
    return [name for name in ("limit_s", *words) if name in runs and (by_experiment[name].nunique() == 1).all()]


def _word(name: str, value: Any) -> str:
    """Return a setting in words, empty for one that is not set."""
    if value is None or value != value or value is False:
        return ""
    if value is True:
        return name
    words = name.removesuffix("_s").removesuffix("_bytes").replace("_", " ")
    if isinstance(value, str):
        return f"{value} at the edge" if value and name.startswith("edge_") else value
    if name == "clients":
        return f"{value} clients" if value > 1 else "1 client"
    if name == "pacing_bps":
        return f"paced at {mbps(float(value)):g} Mbit/s"
    if name == "core_rate_bps":
        return f"core {mbps(float(value)):g} Mbit/s"
    if name == "limit_s":
        return f"{value:g} s limit"
    if name.endswith("_s"):
        return f"{ms(float(value)):g} ms {words}"
    return f"{format_size(int(value))} {words}" if name.endswith("_bytes") else f"{words} {value:g}"
