"""Provenance of a result: versions of software and system."""

from __future__ import annotations

import os
import platform
from importlib import metadata


def version() -> str:
    """Return the version of mmwemu."""
    return metadata.version("mmwemu")


def system() -> dict[str, object]:
    """Return a description of this machine."""
    return {
        "mmwemu": version(),
        "python": platform.python_version(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
    }
