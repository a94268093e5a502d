"""The look of the page's figures, light and dark: configurations of Vega-Lite."""

from __future__ import annotations

from typing import Any, Literal

Theme = Literal["light", "dark"]

# The first two are those of the radio access technologies in mmwemu.core.figure; all after Okabe and Ito 2008, made
# darker on white and lighter on black, so that they differ in lightness too.
_SERIES = {
    "light": ("#2868a8", "#e07b39", "#00795a", "#a84a86", "#8a6d00", "#3b3f46", "#3aa0d8", "#b3262e"),
    "dark": ("#6cb6ff", "#f0a35e", "#3fc79a", "#e08fc0", "#e3cf57", "#c9ced6", "#a5dcff", "#ff8b85"),
}
_INK = {"light": "#1f2933", "dark": "#e6e9ee"}
_QUIET = {"light": "#5b6673", "dark": "#a7b0bc"}
_GRID = {"light": "#e3e6ea", "dark": "#343b46"}
_PAPER = {"light": "#ffffff", "dark": "#1b2027"}
_FONT = "system-ui, 'Liberation Sans', 'DejaVu Sans', sans-serif"


def config(theme: Theme) -> dict[str, Any]:
    """Return the configuration of figures in a theme."""
    ink, quiet, grid = _INK[theme], _QUIET[theme], _GRID[theme]
    axis = {
        "labelColor": quiet, "titleColor": ink, "gridColor": grid, "domainColor": quiet, "tickColor": quiet,
        "titleFontWeight": "normal", "titleFontSize": 12, "labelFontSize": 11, "labelLimit": 150,
    }  # fmt: skip
    return {
        "background": _PAPER[theme],
        "font": _FONT,
        "view": {"stroke": None},
        "axis": axis,
        "axisY": {"domain": False, "ticks": False},
        "legend": {"labelColor": ink, "titleColor": ink, "orient": "top", "labelFontSize": 12, "symbolSize": 90,
                   "titleFontWeight": "normal", "title": None, "labelLimit": 220, "offset": 8},
        "title": {"color": ink, "anchor": "start", "fontSize": 12, "fontWeight": 600, "offset": 6},
        "range": {"category": list(_SERIES[theme])},
        "mark": {"color": _SERIES[theme][0]},
        "rule": {"color": ink},
        "text": {"color": ink, "fontSize": 11},
        "style": {
            "quiet": {"stroke": quiet, "fill": quiet, "color": quiet},
            "obstacle": {"fill": grid, "stroke": quiet},
            "pale": {"fill": quiet, "fillOpacity": 0.22, "stroke": None},
            "ink": {"stroke": ink, "color": ink, "fill": ink},
        },
    }  # fmt: skip
