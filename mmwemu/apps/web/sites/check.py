"""Check of a site: all objects present, no references to outside hosts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mmwemu.apps.web.sites import model, references, saved
from mmwemu.apps.web.sites.model import Site
from mmwemu.core.bounds import MOST_PAGE_BYTES
from mmwemu.core.errors import InputError
from mmwemu.core.files import within
from mmwemu.core.text import printable, read_text

# A reference to a host in a page, a style sheet or a script: an attribute, url(), or a string.
_REFERENCE = re.compile(r"""["'(]\s*(?:https?:)?//([A-Za-z0-9.-]+(?::[0-9]+)?)(/[^\s"')<>]*)?""")
_TEXT = ("html", "css", "js")


@dataclass(frozen=True)
class Checked:
    """A usable site, and the requests that fail in every load of it.

    Attributes
    ----------
    missing
        Requested but absent objects, each with the page or style sheet that asks for it; the server answers 404.
    outside
        Number of objects requested from each outside host; these requests fail at once, without a packet.
    """

    site: Site
    missing: tuple[tuple[str, str], ...] = ()
    outside: Mapping[str, int] = field(default_factory=dict)


def check(folder: Path) -> Checked:
    """Return a checked site; every object must exist, and a made site must not refer to outside hosts.

    Raises
    ------
    InputError
        With the first problem and the number of others, or if the folder has no page.
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
    """Return the problems of a site: missing objects, links out of it, wrong sizes, references to what it lacks.

    References are checked in made sites only: a recorded site holds everything that the browser requested.
    """
    problems = []
    address = f"http://{site.hosts[0]}{site.page_url}"
    if site.origin != "made" and saved.Answers(site.objects).find(address) is not site.index:
        problems.append(f"the page's address {site.page_url} does not lead to {site.index.path}; mend its url")
    known = {(item.host, "/" + item.path) for item in site.objects} | {(site.hosts[0], "/"), (site.hosts[0], "")}
    for item in site.objects:
        try:
            file = within(folder, item.path)
        except InputError as error:
            problems.append(f"{item.path} {error.problem}")
            continue
        if not file.is_file():
            problems.append(f"{item.path} is missing")
            continue
        if file.stat().st_size != item.size_bytes:
            problems.append(f"{item.path} has {file.stat().st_size} bytes; the index says {item.size_bytes}")
        if item.kind not in _TEXT or site.origin != "made":
            continue
        for host, path in dict.fromkeys(_REFERENCE.findall(read_text(file, MOST_PAGE_BYTES, errors="replace"))):
            if host not in site.hosts:
                problems.append(f"{item.path} asks the outside host {host}")
            elif (host, path) not in known:
                problems.append(f"{item.path} asks for //{host}{path}, which the site lacks")
    return problems


def _check_saved(site: Site, folder: Path) -> Checked:
    missing: dict[str, str] = {}
    outside: Counter[str] = Counter()
    answers = saved.Answers(site.objects)
    for item in site.objects:
        for url in saved.asked(item, folder):
            parts = references.split(url)
            if parts is None:
                continue
            if parts.scheme == "file" or parts.hostname not in site.hosts:
                outside[parts.hostname or "file:"] += 1
            elif answers.find(url) is None:
                missing.setdefault(parts.path + (f"?{parts.query}" if parts.query else ""), printable(item.path))
    return Checked(site, tuple(missing.items()), dict(outside.most_common()))
