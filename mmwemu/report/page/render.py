"""The page as one HTML file that needs no network."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from mmwemu.core import paths, provenance
from mmwemu.core.files import whole_file
from mmwemu.report.page.document import Page, RunCourse
from mmwemu.report.page.figure import Figure, columns, script
from mmwemu.report.page.theme import config

_FOLDER = "report/page"


def render(page: Page) -> str:
    """Return the page as HTML; whatever texts the records have, they stay texts.

    Raises
    ------
    MissingError
        If this installation lacks the page's template.
    """
    import jinja2

    folder = paths.part(_FOLDER, "the template of the report")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    template = environment.get_template("page.html.jinja")
    return template.render(
        page=page,
        version=provenance.version(),
        css=(folder / "page.css").read_text(encoding="utf-8"),
        js=(folder / "page.js").read_text(encoding="utf-8"),
        library=_library(),
        data=script(_data(page)),
    )


@cache
def _library() -> str:
    """Return Vega as a script, which takes a second to make."""
    import vl_convert

    found: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    # In a script element, only these end it or hide its end.
    return found.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def save(page: Page, path: Path) -> None:
    """Write the page.

    Raises
    ------
    MissingError
        As `render`.
    MmwemuError
        If it cannot be written; no partial file remains.
    """
    with whole_file(path) as draft:
        draft.write_text(render(page), encoding="utf-8")


def _data(page: Page) -> dict[str, Any]:
    """Return what the script of the page works on."""
    specs: dict[str, int] = {}
    figures = {figure.name: _embedded(figure, specs) for figure in page.figures()}
    runs = page.runs
    return {
        "themes": {theme: config(theme) for theme in ("light", "dark")},
        "specs": [json.loads(spec) for spec in specs],
        "figures": figures,
        "courses": {course.key: _course(course) for course in page.courses},
        "runs": {
            "columns": [[each.name, each.title, each.is_number, each.application] for each in runs.columns],
            "values": runs.values,
        },
    }


def _embedded(figure: Figure, specs: dict[str, int]) -> dict[str, Any]:
    """Return a figure for the page; equal definitions are kept once."""
    spec = json.dumps(figure.spec, sort_keys=True)
    number = specs.setdefault(spec, len(specs))
    data: Mapping[str, Any] = {name: columns(table) for name, table in figure.data.items()}
    return {"spec": number, "title": figure.title, "text": figure.text, "note": figure.note, "data": data}


def _course(course: RunCourse) -> dict[str, Any]:
    return {
        "group": course.group,
        "standing": course.standing,
        "lines": list(course.lines),
        "figure": course.figure.name,
        "film": [list(each) for each in course.film],
    }


def data_uri(content: bytes, kind: str) -> str:
    """Return a file as an address that holds it."""
    return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
