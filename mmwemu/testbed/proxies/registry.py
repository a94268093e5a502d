"""Proxies at the edge by name."""

from __future__ import annotations

from collections.abc import Mapping

from mmwemu.testbed.proxies.proxy import Maker
from mmwemu.testbed.proxies.split import open_split

MAKERS: Mapping[str, Maker] = {"split": open_split}
"""What starts each proxy."""
