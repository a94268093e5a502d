"""What produced a result: versions of software and system."""

from __future__ import annotations

import os
import platform
from importlib import metadata


def version() -> str:
    """Give the version of mmwemu."""
    return metadata.version("mmwemu")


def system() -> dict[str, object]:
    """Describe the machine a measurement was made on."""
    return {
        "mmwemu": version(),
        "python": platform.python_version(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
    }
