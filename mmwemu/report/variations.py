"""Names for runs whose settings were varied."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from mmwemu.core.units import format_size, ms
from mmwemu.link.profile import LinkProfile

if TYPE_CHECKING:
    import pandas as pd

_SETTINGS = ("congestion_control", *(field.name for field in fields(LinkProfile)))


def named_by_variation(runs: pd.DataFrame) -> pd.DataFrame:
    """Return runs with the settings that differ between them added to the names of their patterns.

    ``s1-long-nlos.mmwave`` becomes ``s1-long-nlos.mmwave, bbr, 5 ms delay`` where congestion control and delay vary, so
    that tables and figures tell the runs apart as they tell patterns apart.
    """
    varied = [name for name in _SETTINGS if name in runs and runs[name].nunique(dropna=False) > 1]
    if not varied:
        return runs
    names = [
        ", ".join([str(row["pattern"]), *(text for name in varied if (text := _word(name, row[name])))])
        for row in runs[["pattern", *varied]].to_dict("records")
    ]
    return runs.assign(pattern=names)


def _word(name: str, value: Any) -> str:
    """Return a setting in words, empty for one that is not set."""
    if value is None or value != value:
        return ""
    words = name.removesuffix("_s").removesuffix("_bytes").replace("_", " ")
    if name in ("congestion_control", "aqm"):
        return str(value)
    if name.endswith("_s"):
        return f"{ms(float(value)):g} ms {words}"
    return f"{format_size(int(value))} {words}" if name.endswith("_bytes") else f"{words} {value:g}"
