"""Subpaths: the parts of the way between client and server on which a flow can run alone."""

from __future__ import annotations

from typing import Literal

from mmwemu.core.errors import InputError
from mmwemu.testbed.place import Place
from mmwemu.testbed.testbed import Testbed
from mmwemu.testbed.topology import CORE

Subpath = Literal["whole", "access", "core"]
"""``whole``: between client and server; ``access``: between client and edge; ``core``: between edge and server."""


def ends(testbed: Testbed, client: Place, subpath: Subpath) -> tuple[Place, Place]:
    """Return the ends of a subpath: that on the client's side, and that on the server's.

    Raises
    ------
    InputError
        If the subpath ends at an edge, and there is none.
    """
    if subpath == "whole":
        return client, testbed.server
    if testbed.edge is None:
        raise InputError("subpath", f"is {subpath}, which ends at an edge; add --edge")
    return (client, testbed.edge) if subpath == "access" else (testbed.edge, testbed.server)


def link_of(subpath: object) -> int:
    """Return the number of the link that a figure of a flow shows: the first access link, or the core link."""
    return CORE if subpath == "core" else 1
