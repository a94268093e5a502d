"""Requirements of a driven browser."""

from __future__ import annotations

from mmwemu.apps.shared.browser.modules import BROWSERS, SETUP, is_installed
from mmwemu.core.requirements import Requirement, requirement, tool

_NEEDED_FOR = "run web, run stream"


def examine() -> list[Requirement]:
    """Return the requirements: Node, a browser and the modules."""
    modules = requirement("web modules", _NEEDED_FOR, "installed" if is_installed() else None, SETUP)
    return [tool("node", _NEEDED_FOR, "nodejs npm"), _browser(), modules]


def _browser() -> Requirement:
    for name in BROWSERS:
        found = tool(name, _NEEDED_FOR, name)
        if found.found:
            return found
    return tool(BROWSERS[0], _NEEDED_FOR, f"{BROWSERS[0]} (or {BROWSERS[1]})")
