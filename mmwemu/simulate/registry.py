"""The engines by name, those of other packages included."""

from __future__ import annotations

from mmwemu.core.plugins import PlugIns
from mmwemu.simulate.engine import INTERFACE, EngineKind

OWN = "mmwemu-cell"
"""The name of our own engine."""

_ENGINES = PlugIns("engine", "mmwemu.engines", EngineKind, INTERFACE, (OWN, "ns3-mmwave"))


def names() -> list[str]:
    """Return the names of all registered engines, ours first."""
    return _ENGINES.names()


def load(name: str) -> EngineKind:
    """Load an engine's registration.

    Raises
    ------
    InputError
        As `mmwemu.core.plugins.PlugIns.load`.
    """
    return _ENGINES.load(name)
