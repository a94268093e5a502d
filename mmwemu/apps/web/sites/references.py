"""References in pages and style sheets to other objects: pure functions over text."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from urllib.parse import SplitResult, urljoin, urlsplit

from mmwemu.apps.web.sites.markup import tags, without_comments
from mmwemu.core.bounds import MOST_URL

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
# An address without quotes has no bracket and no quote (CSS Syntax Level 3, section 4.3.6).
_CSS = re.compile(
    r"""url\(\s*+(?:"([^"]*+)"|'([^']*+)'|([^()"'\s]++))\s*+\)|@import\s++(?:"([^"]*+)"|'([^']*+)')""", re.IGNORECASE
)


def in_page(text: str, url: str) -> list[str]:
    """Return the addresses that a browser loads with a page at ``url``, in order, each once; scripts are not parsed.

    Data and other addresses that need no network are left out, as are those of more than `MOST_URL` characters.
    """
    base, found = url, dict[str, None]()
    for name, reference in _in_tags(text):
        if name == "base":
            base = join(base, reference) or base
        elif address := join(base, reference):
            found[address] = None
    return list(found)


def in_style(text: str, url: str) -> list[str]:
    """Return the addresses that a browser may load with a style sheet at ``url``."""
    return list(dict.fromkeys(filter(None, (join(url, reference) for reference in _style(text)))))


def split(url: str) -> SplitResult | None:
    """Return the parts of an address whose host and port can be told, None for what is no address."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises for what is no number
    except ValueError:  # such as brackets that are not an address
        return None
    return parts


@functools.lru_cache(1024)
def join(base: str, reference: str) -> str:
    """Return the address that a reference in a page means; empty if it needs no network or is none."""
    reference = reference.strip()
    if not reference or len(reference) > MOST_URL:
        return ""
    try:
        url = urljoin(base, reference)
    except ValueError:
        return ""
    return url if re.match(r"(https?|file):", url) and len(url) <= MOST_URL and split(url) else ""


def _style(text: str) -> Iterator[str]:
    for groups in _CSS.findall(without_comments(text)):
        yield next(filter(None, groups), "")


def _in_tags(text: str) -> Iterator[tuple[str, str]]:
    """Yield the references of a page, each with the name of its tag."""
    inert = 0
    for tag in tags(text):
        if tag.name in _INERT:
            inert = max(0, inert - 1) if tag.is_end else inert + 1
        if inert or tag.is_end:
            continue
        values = tag.attributes
        if tag.name == "base":
            yield "base", values.get("href", "")
        if tag.name == "link" and _LINKS & set(values.get("rel", "").lower().split()):
            yield "link", values.get("href", "")
        if tag.name == "input" and values.get("type", "").lower() == "image":
            yield "input", values.get("src", "")
        for name in _ATTRIBUTES.get(tag.name, ()):
            if name == "srcset":
                for candidate in re.split(r",\s+|,(?=https?:|//)", values.get(name, "")):
                    yield tag.name, candidate.strip().split(" ")[0]
            else:
                yield tag.name, values.get(name, "")
        for style in (values.get("style", ""), tag.text if tag.name == "style" else ""):
            for reference in _style(style):
                yield tag.name, reference
