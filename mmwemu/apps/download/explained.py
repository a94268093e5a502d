"""How downloads are explained."""

from __future__ import annotations

from mmwemu.apps.download.application import Downloads
from mmwemu.apps.explained import Explained, Extent, Row, check_protocol
from mmwemu.core.errors import InputError


def extent(run: Row, handshake_s: float) -> Extent:
    """Return when a download began: curl counts the set-up of the connection from its own beginning."""
    check_protocol(run)
    connect_s = run["connect_s"]
    known = connect_s is not None and connect_s == connect_s
    return Extent(max(0.0, float(connect_s) - handshake_s) if known else 0.0, float(run["duration_s"]))


def again(asked: Row, run: Row) -> Downloads:
    """Return the download of one file."""
    try:
        if int(run["size_bytes"]) not in asked["sizes_bytes"]:
            raise InputError("manifest.json: asked", f"has no download of {run['size_bytes']} bytes")
        return Downloads((int(run["size_bytes"]),), asked["fill"], float(run["limit_s"]))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError("manifest.json: asked", f"does not say what was downloaded ({error!r})") from None


EXPLAINED = Explained(extent, again, "duration_s")
