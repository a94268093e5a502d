"""Sites on one host, from a folder that a browser saved or wget mirrored."""

from __future__ import annotations

import mimetypes
import os
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote, unquote

from mmwemu.apps.web.sites import references
from mmwemu.apps.web.sites.model import MANIFEST, MOST_FILES, PRESETS, Kind, Site, SiteObject, url_of
from mmwemu.core.bounds import MOST_PAGE_BYTES
from mmwemu.core.errors import InputError
from mmwemu.core.files import within
from mmwemu.core.text import printable, read_text

_PAGES = (".html", ".htm", ".xhtml")
_INDEXES = ("index.html", "index.htm")
# The library's built-in table, not the machine's, with missing types added.
_TYPES = mimetypes.MimeTypes()
for _type, _ending in (
    ("application/xhtml+xml", ".xhtml"),
    ("font/woff2", ".woff2"),
    ("font/woff", ".woff"),
    ("font/ttf", ".ttf"),
    ("image/webp", ".webp"),
    ("image/avif", ".avif"),
    ("text/javascript", ".js"),
    ("text/javascript", ".mjs"),
):
    _TYPES.add_type(_type, _ending)
_KINDS: tuple[tuple[str, Kind], ...] = (
    ("text/html", "html"),
    ("application/xhtml", "html"),
    ("text/css", "css"),
    ("text/javascript", "js"),
    ("application/javascript", "js"),
    ("application/x-javascript", "js"),
    ("image/", "image"),
)


def read_saved(folder: Path) -> Site:
    """Return a site with every file below a folder as an object of one host, at the file's path.

    Raises
    ------
    InputError
        If it is not a folder, has a link that leads out of it, or has no page, or several without a clear first one.
    """
    if not folder.is_dir():
        raise InputError(str(folder), f"is neither a folder nor one of {', '.join(PRESETS)}")
    paths = _files(folder)
    host = f"www.{site_name(folder.resolve().name)}.test"
    objects = [_object(folder, path, host) for path in paths]
    page = _page(folder, objects)
    others = [item for item in objects if item is not page]
    return Site(site_name(folder.resolve().name), 0, (host,), (page, *others), "saved")


def site_name(text: str) -> str:
    """Return a name that can be part of a host name."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40].strip("-") or "site"


def kind_of(content_type: str) -> Kind:
    """Return the kind of object of a media type."""
    return next((kind for start, kind in _KINDS if content_type.lower().startswith(start)), "other")


def content_type(path: str) -> str:
    """Return the media type of a saved file, guessed from its name; empty if unknown, so that the browser guesses.

    Browsers save scripts as ``x.js.download``; wget keeps the query: ``x.css?v=3``.
    """
    name = path.rsplit("/", 1)[-1].split("?", 1)[0].removesuffix(".download")
    return _TYPES.guess_type(f"file:///{quote(os.fsencode(name))}")[0] or ""


def asked(item: SiteObject, folder: Path) -> list[str]:
    """Return the addresses that a page or a style sheet of a site refers to; none for other kinds."""
    if item.kind not in ("html", "css"):
        return []
    find = references.in_page if item.kind == "html" else references.in_style
    text = read_text(within(folder, item.path), MOST_PAGE_BYTES, errors="replace")
    return find(text, f"http://{item.host}{item.url}")


class Answers:
    """The objects that the server sends, by address: by path and query, else by path."""

    def __init__(self, objects: Sequence[SiteObject]) -> None:
        self._exact: dict[tuple[str, str], SiteObject] = {}
        self._by_path: dict[tuple[str, str], SiteObject] = {}
        for item in objects:
            path = reply_path(item)
            self._exact.setdefault((item.host, path), item)
            self._by_path.setdefault((item.host, path.split("?", 1)[0]), item)

    def find(self, url: str) -> SiteObject | None:
        """Return the object that an address gets; None for 404 and for what is no address."""
        parts = references.split(url)
        if parts is None or re.search(r"%(?![0-9A-Fa-f]{2})", parts.path):
            return None  # the server refuses such a path
        path, host = unquote(parts.path, errors="surrogateescape"), parts.hostname or ""
        asked_for = f"{path}?{parts.query}" if parts.query else path
        return self._exact.get((host, asked_for)) or self._by_path.get((host, path))


def reply_path(item: SiteObject) -> str:
    """Return the server's key for an object: its path decoded, its query unchanged."""
    path, mark, query = (item.url or f"/{item.path}").partition("?")
    return unquote(path, errors="surrogateescape") + mark + query


def _files(folder: Path) -> list[str]:
    found: list[str] = []
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in folders:
            within(folder, os.path.relpath(os.path.join(root, name), folder))  # noqa: PTH118
        found += [os.path.relpath(os.path.join(root, name), folder) for name in sorted(names)]  # noqa: PTH118
        if len(found) > MOST_FILES:
            raise InputError(str(folder), f"has more than {MOST_FILES} files; give the folder of one page")
    return [path for path in found if path != MANIFEST and within(folder, path).is_file()]


def _object(folder: Path, path: str, host: str) -> SiteObject:
    media = content_type(path)
    headers = {"content-type": media} if media else {}
    return SiteObject(path, kind_of(media), host, (folder / path).stat().st_size, url_of(path), headers)


def _page(folder: Path, objects: Sequence[SiteObject]) -> SiteObject:
    """Return the page: the index, else the only page of the top folder, else the only one not referred to."""
    pages = [item for item in objects if item.path.lower().endswith(_PAGES)]
    top = [item for item in pages if "/" not in item.path]
    for chosen in ([item for item in top if item.path in _INDEXES][:1], top, pages):
        if len(chosen) == 1:
            return chosen[0]
    if not pages:
        raise InputError(
            str(folder),
            f"is not a site: it has neither an index {MANIFEST} nor a page such as index.html; "
            "make one with: mmwemu site make",
        )
    frames = {url.partition("#")[0].partition("?")[0] for item in pages for url in asked(item, folder)}
    first = [item for item in top or pages if f"http://{item.host}{item.url}" not in frames]
    if len(first) == 1:
        return first[0]
    names = ", ".join(printable(item.path) for item in (first or top or pages)[:4])
    raise InputError(str(folder), f"has several pages ({names}); keep one folder for each, or call one index.html")
