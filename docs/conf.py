"""How Sphinx makes a site of these pages; scripts/docs runs it."""

import re
from importlib import metadata
from typing import Any

project = "mmwemu"
author = "The mmwemu developers"
release = metadata.version("mmwemu")

extensions = ["myst_nb"]
exclude_patterns = ["examples/**"]
nitpicky = True
# Headings have anchors as on a forge, so that links to them are right in both places.
myst_heading_anchors = 4
# The notebook is shown as it was run and kept; a test runs it.
nb_execution_mode = "off"
html_theme = "furo"
html_title = "mmwemu"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
templates_path: list[str] = []

linkcheck_timeout = 20
linkcheck_retries = 2
# Examples of commands, not pages to read.
linkcheck_ignore = [r"https://(www\.)?example\.org", r"http://\$MMWEMU_SERVER"]


def _without_links_to_sources(_: Any, __: str, source: list[str]) -> None:
    """Keep only the text of links to files of the repository that are no pages, since the site does not have them."""
    source[0] = re.sub(r"\[([^\]]+)\]\(\.\./\.\./[^)]+\)", r"\1", source[0])


def setup(app: Any) -> None:
    """Register what is above."""
    app.connect("source-read", _without_links_to_sources)
