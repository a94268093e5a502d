"""What a server answers to: host names, and which address of theirs with which file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PORT = 80
TLS_PORT = 443


@dataclass(frozen=True)
class Reply:
    """How one address is answered.

    Attributes
    ----------
    path
        Path of the address, decoded, and its query as it is, if it has one. An address with another query that is not
        in the table is answered like the first of its path.
    file
        File below the root, of letters and digits.
    headers
        Headers of the answer, names in lower case; with ``location`` it leads elsewhere.
    """

    path: str
    file: str
    headers: Mapping[str, str]


@dataclass(frozen=True)
class VirtualHost:
    """Names that a server answers to over HTTP, and over TLS with HTTP/1.1 and HTTP/2, and its folder of files.

    Attributes
    ----------
    replies
        What is answered; without, paths are those of the files.
    http3
        Answer over HTTP/3 too, which takes another server.
    """

    names: tuple[str, ...]
    root: Path
    replies: tuple[Reply, ...] = ()
    http3: bool = False
