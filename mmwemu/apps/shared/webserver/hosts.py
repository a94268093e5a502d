"""Virtual hosts of a web server: host names, and replies by address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PORT = 80
TLS_PORT = 443


@dataclass(frozen=True)
class Reply:
    """Reply to requests for one address.

    Attributes
    ----------
    path
        Path of the address, decoded, and its query unchanged, if any. An address with an unknown query gets the first
        reply of its path.
    file
        File below the root, of letters and digits.
    headers
        Headers of the reply, names in lower case; with ``location``, it is a redirect.
    """

    path: str
    file: str
    headers: Mapping[str, str]


@dataclass(frozen=True)
class VirtualHost:
    """Host names that a server serves over HTTP, and over TLS with HTTP/1.1 and HTTP/2, and their folder of files.

    Attributes
    ----------
    replies
        Replies by address; if empty, paths are those of the files.
    http3
        Serve over HTTP/3 too, which needs another server.
    """

    names: tuple[str, ...]
    root: Path
    replies: tuple[Reply, ...] = ()
    http3: bool = False
