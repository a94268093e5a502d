"""See whether a site is whole and keeps to itself."""

from __future__ import annotations

import re
from pathlib import Path

from mmwemu.apps.sites import model
from mmwemu.apps.sites.model import Site
from mmwemu.core.errors import InputError

# A place in a page, a style sheet or a script that names something on a host: an attribute, url(), or a string.
_REFERENCE = re.compile(r"""["'(]\s*(?:https?:)?//([A-Za-z0-9.-]+(?::[0-9]+)?)(/[^\s"')<>]*)?""")
_TEXT = ("html", "css", "js")


def check(folder: Path) -> Site:
    """Read a site and see that every object is there and nothing asks an outside host.

    Raises
    ------
    InputError
        For the first thing that is wrong, with the number of others.
    """
    site = model.load(folder)
    problems = find_problems(site, folder)
    if problems:
        others = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise InputError(str(folder), problems[0] + others)
    return site


def find_problems(site: Site, folder: Path) -> list[str]:
    """List what is wrong with a site: missing objects, other sizes, references to outside hosts or unknown objects."""
    problems = []
    known = {(item.host, "/" + item.path) for item in site.objects} | {(site.hosts[0], "/"), (site.hosts[0], "")}
    for item in site.objects:
        file = folder / item.path
        if not file.is_file():
            problems.append(f"{item.path} is missing")
            continue
        if file.stat().st_size != item.size_bytes:
            problems.append(f"{item.path} has {file.stat().st_size} bytes; the index says {item.size_bytes}")
        if item.kind not in _TEXT:
            continue
        for host, path in _REFERENCE.findall(file.read_text(encoding="utf-8", errors="replace")):
            if host not in site.hosts:
                problems.append(f"{item.path} asks the outside host {host}")
            elif (host, path) not in known:
                problems.append(f"{item.path} asks for //{host}{path}, which the site has not")
    return problems
