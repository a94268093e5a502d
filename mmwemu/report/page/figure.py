"""A figure: one definition in Vega-Lite for the page and for files."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmwemu.core.files import whole_file
from mmwemu.report.page.theme import config

if TYPE_CHECKING:
    import pandas as pd

_PNG_SCALE = 2.0


@dataclass(frozen=True)
class Figure:
    """A figure.

    Attributes
    ----------
    name
        Of its files.
    title
        What it shows.
    text
        What there is to see, for those who do not see it.
    spec
        Vega-Lite, which refers to its data by name.
    data
        The tables that it draws, by name; the first is the main one.
    note
        What the reader should know, such as that points were left out.
    """

    name: str
    title: str
    text: str
    spec: Mapping[str, Any]
    data: Mapping[str, pd.DataFrame] = field(repr=False)
    note: str = ""

    def with_data(self) -> dict[str, Any]:
        """Return the definition with its data and the light look, as a file shows it."""
        datasets = {name: rows(table) for name, table in self.data.items()}
        return {**self.spec, "datasets": datasets, "config": config("light"), "padding": 12}

    def pdf(self) -> bytes:
        """Return the figure as PDF."""
        import vl_convert

        found: bytes = vl_convert.vegalite_to_pdf(self.with_data())
        return found

    def save(self, folder: Path) -> list[Path]:
        """Write PNG, PDF, SVG and the data as CSV into a folder, and return the files.

        Raises
        ------
        MmwemuError
            If one cannot be written.
        """
        import vl_convert

        whole = self.with_data()
        svg = vl_convert.vegalite_to_svg(whole)
        contents = {
            "svg": svg.encode(),
            "png": vl_convert.svg_to_png(svg, scale=_PNG_SCALE),
            "pdf": vl_convert.svg_to_pdf(svg),
        }
        files = []
        for ending, content in contents.items():
            files.append(folder / f"{self.name}.{ending}")
            with whole_file(files[-1]) as draft:
                draft.write_bytes(content)
        for i, (name, table) in enumerate(self.data.items()):
            files.append(folder / (f"{self.name}.csv" if i == 0 else f"{self.name}.{name}.csv"))
            with whole_file(files[-1]) as draft:
                table.to_csv(draft, index=False)
        return files


def rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as values of JSON."""
    found = columns(table)
    return [dict(zip(found, values, strict=True)) for values in zip(*found.values(), strict=True)]


def columns(table: pd.DataFrame) -> dict[str, list[Any]]:
    """Return the columns of a table as values of JSON: numbers with six digits, null for what is missing."""
    return {str(name): [plain(value) for value in table[name].tolist()] for name in table.columns}


def plain(value: Any) -> Any:
    """Return a value for JSON."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        short = float(f"{value:.6g}")
        return int(short) if short.is_integer() and abs(short) < 2**53 else short
    if value != value:  # pandas' missing values
        return None
    return str(value)


def script(value: Any) -> str:
    """Return a value as JSON that can stand in a script element of HTML, whatever texts it has."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
