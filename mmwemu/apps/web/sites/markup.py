"""Tags of a page and the parts of a style sheet, read in linear time: pure functions over text."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_NAME = re.compile(r"[A-Za-z][^\s/>]*")
_ATTRIBUTE = re.compile(r"[\s/]*+([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(\"[^\"]*\"|'[^']*'|[^\s>\"'][^\s>]*+|(?=>)))?")
_TAG_END = re.compile(r"[\s/]*+>")
# What stands between these tags is text, whatever it looks like.
_RAW = ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")


@dataclass(frozen=True)
class Tag:
    """A tag of a page.

    Attributes
    ----------
    name
        In lower case.
    is_end
        Whether it is an end tag.
    attributes
        Values by name in lower case, the first of each name, with references to characters resolved.
    text
        What stands between the start and end tags of an element whose content is text, such as a style sheet.
    """

    name: str
    is_end: bool = False
    attributes: dict[str, str] = field(default_factory=dict)
    text: str = ""


def tags(text: str) -> Iterator[Tag]:
    """Yield the tags of a page in order; a tag or comment that does not end is left out with all behind it.

    Text that does not end, such as a style sheet's, goes on to the end of the page, as in browsers.
    """
    at = 0
    while (at := text.find("<", at)) >= 0:
        if text.startswith("<!--", at):
            at = _behind(text, "-->", at + 2)
        elif text[at + 1 : at + 2] in ("!", "?"):
            at = _behind(text, ">", at + 2)
        elif found := _NAME.match(text, at + 2 if text.startswith("</", at) else at + 1):
            name, is_end = found[0].lower(), text[at + 1] == "/"
            attributes, at = _attributes(text, found.end())
            if at < 0:
                return
            content = ""
            if name in _RAW and not is_end:
                closing = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(text, at)
                end = closing.start() if closing else len(text)
                content, at = text[at:end], end
            yield Tag(name, is_end, attributes, content)
        else:
            at += 1
        if at < 0:
            return


def _behind(text: str, end: str, start: int) -> int:
    """Return the position behind the next ``end``, or -1."""
    found = text.find(end, start)
    return -1 if found < 0 else found + len(end)


def _attributes(text: str, at: int) -> tuple[dict[str, str], int]:
    """Return the attributes from a position on and the position behind the tag, -1 if it does not end."""
    found: dict[str, str] = {}
    while not (end := _TAG_END.match(text, at)):
        attribute = _ATTRIBUTE.match(text, at)
        if attribute is None or attribute.end() == len(text):
            return found, -1
        value = attribute[2] or ""
        if value[:1] in ("'", '"'):
            value = value[1:-1]
        found.setdefault(attribute[1].lower(), _unescape(value))
        at = attribute.end()
    return found, end.end()


def _unescape(value: str) -> str:
    try:
        return html.unescape(value)
    except ValueError:  # a reference to a character by a number of thousands of digits
        return value


def without_comments(style: str) -> str:
    """Return a style sheet without comments; one that does not end goes on to the end."""
    parts, at = [], 0
    while (start := style.find("/*", at)) >= 0:
        parts.append(style[at:start])
        at = style.find("*/", start + 2)
        if at < 0:
            return "".join(parts)
        at += 2
    return "".join([*parts, style[at:]])
