"""Common style and saving of all figures."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.text import printable

BLUE, ORANGE, RED, GREY = "#2868a8", "#e07b39", "#b3262e", "#6b7280"
RAT_COLOURS = {"mmwave": BLUE, "lte": ORANGE}
RAT_LABELS = {"mmwave": "5G mmWave", "lte": "4G LTE"}
FORMATS = (".png", ".pdf", ".svg")
_MOST_SHOWN = 120

# Where the home folder cannot be written, matplotlib takes a temporary one and would say so on stderr.
logging.getLogger("matplotlib").setLevel(logging.ERROR)

_STYLE: Any = {
    "font.size": 10,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e5e7eb",
    "axes.edgecolor": "#9ca3af",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "figure.dpi": 150,
    "svg.hashsalt": "mmwemu",
    "text.parse_math": False,  # titles and labels are plain text, and may hold a $
}


Drawing = TypeVar("Drawing", bound=Callable[..., Any])


def styled(function: Drawing) -> Drawing:
    """Let a function that calls `new` draw in the common style; whoever calls it keeps their own settings."""

    @functools.wraps(function)
    def drawn(*args: Any, **options: Any) -> Any:
        import matplotlib as mpl

        with mpl.rc_context(_STYLE):
            return function(*args, **options)

    return cast(Drawing, drawn)


def new(
    width_in: float = 7.0, height_in: float = 3.5, rows: int = 1, columns: int = 1, **options: Any
) -> tuple[Any, Any]:
    """Return a new matplotlib figure and its axes, within a function that is `styled`; no display is needed."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    assert mpl.rcParams["text.parse_math"] is False, "who draws needs @figure.styled"
    figure = Figure(figsize=(width_in, height_in), layout="constrained")
    return figure, figure.subplots(rows, columns, **options)


def check_path(path: Path) -> None:
    """Refuse a file name that does not end in a supported picture format.

    Raises
    ------
    InputError
        If the ending is not one of `FORMATS`.
    """
    if path.suffix.lower() not in FORMATS:
        raise InputError(str(path), f"is not a picture file; the name must end in {', '.join(FORMATS)}")


def add_legend(figure: Any, columns: int) -> None:
    """Add a legend of all axes above a figure; none where nothing was drawn, as when all runs failed."""
    if any(axes.get_legend_handles_labels()[1] for axes in figure.axes):
        figure.legend(loc="outside upper right", ncols=columns)


def save(figure: Any, path: Path) -> None:
    """Write a figure in the format of the path's ending.

    Raises
    ------
    InputError
        If the ending is unknown.
    MmwemuError
        If the file cannot be written; no partial file remains.
    """
    check_path(path)
    _clean_texts(figure)
    with whole_file(path) as draft:
        figure.savefig(draft)


def _clean_texts(figure: Any) -> None:
    """Escape what a text cannot show, such as control characters and those that the font lacks, and cut long ones."""
    from matplotlib.font_manager import findfont, get_font
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        shown = text.get_text()
        if shown.isascii() and shown.replace("\n", "").isprintable() and len(shown) <= _MOST_SHOWN:
            continue
        known = get_font(findfont(text.get_fontproperties())).get_charmap()
        lines = (
            "".join(one if ord(one) in known else one.encode("unicode_escape").decode() for one in printable(line))
            for line in shown.split("\n")
        )
        text.set_text("\n".join(f"{line[:_MOST_SHOWN]}..." if len(line) > _MOST_SHOWN else line for line in lines))
