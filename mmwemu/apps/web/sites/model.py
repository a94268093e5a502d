"""Site dataclasses and the site manifest; docs/formats/site.md describes the format."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import quote

from mmwemu.core.bounds import LARGEST_BYTES, LARGEST_SEED
from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.names import is_inner_path
from mmwemu.core.tables import Table
from mmwemu.core.text import parse_json, read_text, shown

FORMAT = 1
MANIFEST = "site.json"
INDEX = "index.html"
MOST_FILES = 5000
_MOST_HOSTS = 200
_LARGEST_PORT = 65_535

Kind = Literal["html", "css", "js", "image", "other"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Origin = Literal["made", "saved", "recorded"]

# Headers of a recorded response that matter to later loads; all others are dropped.
HEADERS = (
    "access-control-allow-credentials",
    "access-control-allow-origin",
    "cache-control",
    "content-encoding",
    "content-type",
    "link",
    "location",
    "timing-allow-origin",
)

_LABEL = r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
_HEADER = re.compile(r"[ -~]{0,8000}")
_URL = re.compile(r"/[!\"$-~]{0,8000}")
_MOST_HOST = 253
_HOST = re.compile(rf"{_LABEL}(\.{_LABEL})*")


def is_host(text: str) -> bool:
    """Return whether a text can be a host of a site: a name, or an IPv4 address."""
    return len(text) <= _MOST_HOST and _HOST.fullmatch(text) is not None


def is_url(text: str) -> bool:
    """Return whether a text can be the path and query of an object's address."""
    return _URL.fullmatch(text) is not None


def url_of(path: str) -> str:
    """Return the address of a file on its host; names that are not UTF-8 keep their bytes."""
    return "/" + quote(os.fsencode(path))


@dataclass(frozen=True)
class SiteSpec:
    """Specification of a site to make.

    Attributes
    ----------
    name
        Name of the site, also part of its host names, which end in ``.test``.
    objects
        Number of objects, including the page itself.
    size_bytes
        Bytes of all objects together, without HTTP headers.
    hosts
        Number of host names that serve the objects.
    seed
        Seed of sizes and content.
    """

    name: str
    objects: int
    size_bytes: int
    hosts: int = 4
    seed: int = 1

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?", self.name):
            raise InputError(f"site: name {self.name!r}", "must be lower-case letters, digits and inner dashes")
        if self.size_bytes < 1:
            raise InputError("site: bytes", f"is {self.size_bytes}; must be at least 1")
        if not 1 <= self.objects <= 2000:
            raise InputError("site: objects", f"is {self.objects}; must be from 1 to 2000")
        if not 1 <= self.hosts <= 50:
            raise InputError("site: hosts", f"is {self.hosts}; must be from 1 to 50")
        if self.size_bytes > 1_000_000_000:
            raise InputError("site: bytes", f"is {self.size_bytes}; must be at most 1 GB")


# Objects and bytes of the five sites in Hurtig 2019, table of web sites; content and host counts are assumptions.
PRESETS = {
    spec.name: spec
    for spec in (
        SiteSpec("google", 10, 1_100_000, hosts=2),
        SiteSpec("amazon", 130, 3_000_000, hosts=5),
        SiteSpec("tripadvisor", 48, 6_500_000, hosts=4),
        SiteSpec("huffpost", 114, 4_900_000, hosts=6),
        SiteSpec("cnn", 148, 10_000_000, hosts=8),
    )
}


@dataclass(frozen=True)
class SiteObject:
    """One file of a site: its path below the site's folder, and the host name that serves it.

    Attributes
    ----------
    url
        Path and query of its address, percent-encoded; if empty, its path in the folder.
    headers
        The `HEADERS` in its response, names in lower case; with a ``location``, it is a redirect.
    """

    path: str
    kind: Kind
    host: str
    size_bytes: int
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Site:
    """A site on disk; the first host is the page's own, the first object the page.

    Attributes
    ----------
    origin
        ``made`` by mmwemu, ``saved`` from a browser, or ``recorded`` through a proxy.
    ports
        Hosts with a port of their own, such as ``localhost:3000``, and whether that port uses TLS.
    """

    name: str
    seed: int
    hosts: tuple[str, ...]
    objects: tuple[SiteObject, ...]
    origin: Origin = "made"
    ports: Mapping[str, bool] = field(default_factory=dict)

    @property
    def size_bytes(self) -> int:
        """Bytes of all objects."""
        return sum(item.size_bytes for item in self.objects)

    @property
    def index(self) -> SiteObject:
        """The page."""
        return self.objects[0]

    @property
    def page_url(self) -> str:
        """Path and query of the page's address."""
        if self.origin == "made" and self.index.path == INDEX:
            return "/"
        return self.index.url or url_of(self.index.path)

    def count(self) -> dict[Kind, int]:
        """Return the number of objects of each kind."""
        counts = Counter(item.kind for item in self.objects)
        return {kind: counts[kind] for kind in KINDS}


def save(site: Site, folder: Path) -> None:
    """Write the manifest into the site's folder, without default values."""
    values: dict[str, Any] = {"format": FORMAT, **asdict(site)}
    if site.origin == "made":
        del values["origin"]
    if not site.ports:
        del values["ports"]
    for item in values["objects"]:
        for name in ("url", "headers"):
            if not item[name]:
                del item[name]
    with whole_file(folder / MANIFEST) as draft:
        draft.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")


def load(folder: Path) -> Site:
    """Return the site that the manifest in a folder describes.

    Raises
    ------
    InputError
        If there is none, or one of its fields cannot be used.
    """
    file = folder / MANIFEST
    values = parse_json(read_text(file), str(file))
    if not isinstance(values, dict):
        raise InputError(str(file), "must be a JSON object")
    table = Table(str(file), values)
    table.format(FORMAT)
    name, seed, hosts = table.name("name"), table.integer("seed", least=0, most=LARGEST_SEED), table.get("hosts")
    if not isinstance(hosts, list) or not all(isinstance(h, str) and is_host(h) for h in hosts):
        raise table.refuse("hosts", "must be a list of host names in lower case")
    if not 1 <= len(hosts) <= _MOST_HOSTS or len(set(hosts)) < len(hosts):
        raise table.refuse("hosts", f"must be 1 to {_MOST_HOSTS} host names, each once")
    origin: Any = table.text("origin", "made", choices=get_args(Origin))
    ports = table.get("ports", {})
    if not isinstance(ports, dict) or not all(_is_port(at, hosts) and isinstance(ports[at], bool) for at in ports):
        raise table.refuse("ports", "must be an object of hosts with ports, such as localhost:3000, each true or false")
    tables = table.tables("objects")
    if len(tables) > MOST_FILES:
        raise table.refuse("objects", f"has {len(tables)} of them; must have at most {MOST_FILES}")
    objects = [_object(item, hosts) for item in tables]
    if not objects or objects[0].kind != "html" or objects[0].host != hosts[0]:
        raise table.refuse("objects", "must begin with the page: of kind html, on the first host")
    table.finish()
    return Site(name, seed, tuple(hosts), tuple(objects), origin, ports)


def _is_port(text: str, hosts: list[str]) -> bool:
    host, _, port = text.rpartition(":")
    return host in hosts and re.fullmatch(r"[1-9][0-9]{0,4}", port) is not None and int(port) <= _LARGEST_PORT


def _object(table: Table, hosts: list[str]) -> SiteObject:
    path = table.text("path")
    if not is_inner_path(path):
        raise table.refuse("path", f"is {shown(path)}; must be the path of a file below the site's folder")
    kind: Any = table.text("kind", choices=KINDS)
    host, size_bytes = table.text("host", choices=hosts), table.integer("size_bytes", least=0, most=LARGEST_BYTES)
    url, headers = table.text("url", ""), table.get("headers", {})
    if url and not is_url(url):
        raise table.refuse("url", f"is {shown(url)}; must be a path from / on, percent-encoded")
    if not isinstance(headers, dict) or not all(
        name in HEADERS and isinstance(value, str) and _HEADER.fullmatch(value) for name, value in headers.items()
    ):
        raise table.refuse("headers", f"must be an object of one-line strings; known are {', '.join(HEADERS)}")
    table.finish()
    return SiteObject(path, kind, host, size_bytes, url, headers)
