"""Proxies at the edge by name."""

from __future__ import annotations

from collections.abc import Mapping

from mmwemu.testbed.proxies.haproxy import open_haproxy
from mmwemu.testbed.proxies.proxy import Maker
from mmwemu.testbed.proxies.split import open_split

MAKERS: Mapping[str, Maker] = {"split": open_split, "haproxy": open_haproxy}
"""What starts each proxy that is a program."""

MILLIPROXY = "milliproxy"
"""The proxy that is part of the emulator of an access link."""


def names() -> list[str]:
    """Return the names of all proxies."""
    return [*MAKERS, MILLIPROXY]
