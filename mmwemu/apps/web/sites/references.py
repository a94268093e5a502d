"""References in pages and style sheets to other objects: pure functions over text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import urljoin

# Link types that a browser loads with the page.
_LINKS = {"stylesheet", "icon", "preload", "modulepreload"}
_ATTRIBUTES = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "source": ("src", "srcset"),
    "iframe": ("src",),
    "frame": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "video": ("src", "poster"),
    "audio": ("src",),
    "track": ("src",),
    "body": ("background",),
}
# Browsers with scripts do not load the content of these.
_INERT = ("noscript", "template")
_CSS = re.compile(r"""url\(\s*(?:"([^"]*)"|'([^']*)'|([^)"'\s]+))\s*\)|@import\s+(?:"([^"]*)"|'([^']*)')""")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def in_page(text: str, url: str) -> list[str]:
    """Return the addresses that a browser loads with a page at ``url``, in order, each once; scripts are not parsed.

    Data and other addresses that need no network are left out.
    """
    parser = _Page(url)
    parser.feed(text)
    parser.close()
    return _loaded(parser.found)


def in_style(text: str, url: str) -> list[str]:
    """Return the addresses that a browser may load with a style sheet at ``url``."""
    return _loaded([urljoin(url, reference) for reference in _style(text)])


def _style(text: str) -> list[str]:
    return [next(filter(None, groups), "") for groups in _CSS.findall(_COMMENT.sub("", text))]


def _loaded(urls: list[str]) -> list[str]:
    return [url for url in dict.fromkeys(urls) if re.match(r"(https?|file):", url)]


class _Page(HTMLParser):
    def __init__(self, url: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._base = url
        self._inert = 0
        self._in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _INERT:
            self._inert += 1
        if self._inert:
            return
        values = {name: value or "" for name, value in attrs}
        self._in_style = tag == "style"
        if tag == "base" and values.get("href"):
            self._base = urljoin(self._base, values["href"])
        if tag == "link" and _LINKS & set(values.get("rel", "").lower().split()):
            self._add(values.get("href", ""))
        if tag == "input" and values.get("type", "").lower() == "image":
            self._add(values.get("src", ""))
        for name in _ATTRIBUTES.get(tag, ()):
            if name == "srcset":
                for candidate in re.split(r",\s+|,(?=https?:|//)", values.get(name, "")):
                    self._add(candidate.strip().split(" ")[0])
            else:
                self._add(values.get(name, ""))
        for reference in _style(values.get("style", "")):
            self._add(reference)

    def handle_endtag(self, tag: str) -> None:
        self._in_style = False
        if tag in _INERT and self._inert:
            self._inert -= 1

    def handle_data(self, data: str) -> None:
        if self._in_style and not self._inert:
            for reference in _style(data):
                self._add(reference)

    def _add(self, reference: str) -> None:
        if reference.strip():
            try:
                self.found.append(urljoin(self._base, reference.strip()))
            except ValueError:  # such as brackets that are not an address
                return
