"""Proxies at the edge by name."""

from __future__ import annotations

from collections.abc import Mapping

from mmwemu.testbed.proxies.haproxy import open_haproxy
from mmwemu.testbed.proxies.proxy import Maker
from mmwemu.testbed.proxies.split import open_split

MAKERS: Mapping[str, Maker] = {"split": open_split, "haproxy": open_haproxy}
"""What starts each proxy."""
