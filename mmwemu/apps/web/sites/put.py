"""Put a site where a server can give it."""

from __future__ import annotations

import shutil
from pathlib import Path

from mmwemu.apps.shared.webserver.hosts import Reply, VirtualHost
from mmwemu.apps.web.sites.model import Site
from mmwemu.apps.web.sites.saved import reply_path


def put(site: Site, source: Path, folder: Path) -> list[VirtualHost]:
    """Copy a site into a new folder and say how its hosts answer.

    Sites of our making are answered from their files. Of others, names and addresses may be anything: their files get
    numbers, and a table says which address is answered with which.
    """
    if site.origin == "made":
        shutil.copytree(source, folder)
        return [VirtualHost(site.hosts, folder)]
    folder.mkdir()
    replies: dict[str, list[Reply]] = {host: [] for host in site.hosts}
    for number, item in enumerate(site.objects):
        shutil.copyfile(source / item.path, folder / str(number))
        replies[item.host].append(Reply(reply_path(item), str(number), item.headers))
    return [VirtualHost((host,), folder, tuple(replies[host])) for host in site.hosts]
