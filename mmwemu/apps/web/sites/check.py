"""See whether a site is whole and keeps to itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from mmwemu.apps.web.sites import model, saved
from mmwemu.apps.web.sites.model import Site
from mmwemu.core.errors import InputError

# A place in a page, a style sheet or a script that names something on a host: an attribute, url(), or a string.
_REFERENCE = re.compile(r"""["'(]\s*(?:https?:)?//([A-Za-z0-9.-]+(?::[0-9]+)?)(/[^\s"')<>]*)?""")
_TEXT = ("html", "css", "js")


@dataclass(frozen=True)
class Checked:
    """A site that can be loaded, and what will fail in every load of it.

    Attributes
    ----------
    missing
        What pages and style sheets ask for and the site has not, by who asks: it is answered with 404 at once.
    outside
        Other hosts that they ask, and how many objects: these fail at once, without a packet.
    """

    site: Site
    missing: tuple[tuple[str, str], ...] = ()
    outside: Mapping[str, int] = field(default_factory=dict)


def check(folder: Path) -> Checked:
    """Read a site and see that every object is there and, for one of our making, that nothing asks an outside host.

    Raises
    ------
    InputError
        For the first thing that is wrong, with the number of others; or if the folder has no page.
    """
    if not (folder / model.MANIFEST).is_file():
        return _check_saved(saved.read_saved(folder), folder)
    site = model.load(folder)
    problems = find_problems(site, folder)
    if problems:
        others = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise InputError(str(folder), problems[0] + others)
    return Checked(site)


def find_problems(site: Site, folder: Path) -> list[str]:
    """List what is wrong with a site: missing objects, other sizes, references to outside hosts or unknown objects.

    What was recorded is all that a browser asked for, so that references are looked at in sites of our making only.
    """
    problems = []
    known = {(item.host, "/" + item.path) for item in site.objects} | {(site.hosts[0], "/"), (site.hosts[0], "")}
    for item in site.objects:
        file = folder / item.path
        if not file.is_file():
            problems.append(f"{item.path} is missing")
            continue
        if file.stat().st_size != item.size_bytes:
            problems.append(f"{item.path} has {file.stat().st_size} bytes; the index says {item.size_bytes}")
        if item.kind not in _TEXT or site.origin != "made":
            continue
        for host, path in _REFERENCE.findall(file.read_text(encoding="utf-8", errors="replace")):
            if host not in site.hosts:
                problems.append(f"{item.path} asks the outside host {host}")
            elif (host, path) not in known:
                problems.append(f"{item.path} asks for //{host}{path}, which the site has not")
    return problems


def _check_saved(site: Site, folder: Path) -> Checked:
    missing: dict[str, str] = {}
    outside: Counter[str] = Counter()
    for item in site.objects:
        for url in saved.asked(item, folder):
            parts = urlsplit(url)
            if parts.scheme == "file" or parts.hostname not in site.hosts:
                outside[parts.hostname or "file:"] += 1
            elif saved.find_object(site.objects, url) is None:
                missing.setdefault(parts.path + (f"?{parts.query}" if parts.query else ""), saved.printable(item.path))
    return Checked(site, tuple(missing.items()), dict(outside.most_common()))
