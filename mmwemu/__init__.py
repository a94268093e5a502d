"""What does a 5G mmWave link do to my application?

The names below are all that a notebook needs; docs/reference/python.md describes them. They are imported when they are
first used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the module typing would be a third of the time until the command line handles signals
if TYPE_CHECKING:
    from typing import Any

    from mmwemu.apps.command.application import Command as Command
    from mmwemu.apps.download.application import Downloads as Downloads
    from mmwemu.apps.flow.application import Flows as Flows
    from mmwemu.apps.stream.application import Streams as Streams
    from mmwemu.apps.web.application import Pages as Pages
    from mmwemu.notebook.results import compare_rats as compare_rats
    from mmwemu.notebook.results import query_results as query_results
    from mmwemu.notebook.results import read_results as read_results
    from mmwemu.notebook.running import build_pattern as build_pattern
    from mmwemu.notebook.running import load_pattern as load_pattern
    from mmwemu.notebook.running import load_scenario as load_scenario
    from mmwemu.notebook.running import open_link as open_link
    from mmwemu.notebook.running import run as run
    from mmwemu.notebook.running import simulate_cell as simulate_cell

_HOMES = {
    "load_scenario": "mmwemu.notebook.running",
    "simulate_cell": "mmwemu.notebook.running",
    "build_pattern": "mmwemu.notebook.running",
    "load_pattern": "mmwemu.notebook.running",
    "open_link": "mmwemu.notebook.running",
    "run": "mmwemu.notebook.running",
    "read_results": "mmwemu.notebook.results",
    "query_results": "mmwemu.notebook.results",
    "compare_rats": "mmwemu.notebook.results",
    "Downloads": "mmwemu.apps.download.application",
    "Flows": "mmwemu.apps.flow.application",
    "Pages": "mmwemu.apps.web.application",
    "Streams": "mmwemu.apps.stream.application",
    "Command": "mmwemu.apps.command.application",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mmwemu' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
