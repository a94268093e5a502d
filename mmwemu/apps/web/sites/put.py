"""Copies of sites for a web server."""

from __future__ import annotations

import shutil
from pathlib import Path

from mmwemu.apps.shared.webserver.hosts import Reply, VirtualHost
from mmwemu.apps.web.sites.model import Site
from mmwemu.apps.web.sites.saved import reply_path
from mmwemu.core.files import within


def put(site: Site, source: Path, folder: Path) -> list[VirtualHost]:
    """Copy a site into a new folder and return its virtual hosts.

    Only the files of the index are copied. Made sites are served from files by path. Paths of other sites may be unsafe
    as file names: their files get numbers as names, and a table maps addresses to files.

    Raises
    ------
    InputError
        If a file is a link that leads out of the site.
    """
    folder.mkdir()
    if site.origin == "made":
        for item in site.objects:
            copy = folder / item.path
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(within(source, item.path), copy)
        return [VirtualHost(site.hosts, folder)]
    replies: dict[str, list[Reply]] = {host: [] for host in site.hosts}
    for number, item in enumerate(site.objects):
        shutil.copyfile(within(source, item.path), folder / str(number))
        replies[item.host].append(Reply(reply_path(item), str(number), item.headers))
    return [VirtualHost((host,), folder, tuple(replies[host])) for host in site.hosts]
