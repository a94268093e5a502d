"""The applications by name, those of other packages included."""

from __future__ import annotations

from mmwemu.apps.application import INTERFACE, ApplicationType
from mmwemu.core.plugins import PlugIns

_APPLICATIONS = PlugIns(
    "application",
    "mmwemu.applications",
    ApplicationType,
    INTERFACE,
    ("download", "users", "flow", "stream", "web", "command"),
)


def names() -> list[str]:
    """Return the names of all registered applications, ours first."""
    return _APPLICATIONS.names()


def load(name: str) -> ApplicationType:
    """Load an application.

    Raises
    ------
    InputError
        As `mmwemu.core.plugins.PlugIns.load`.
    """
    return _APPLICATIONS.load(name)
