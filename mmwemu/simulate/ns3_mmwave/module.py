"""A user's finished build of the module: its headers and libraries, and nothing else of it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from mmwemu.core.errors import MissingError
from mmwemu.core.files import sha256

VARIABLE = "MMWEMU_NS3_MMWAVE"
MODULES = ("mmwave", "lte", "point-to-point", "applications", "internet", "spectrum", "propagation", "antenna",
           "mobility", "network", "core")  # fmt: skip
_REMEDY = f"set {VARIABLE}, or --ns3-root, to the folder of a finished build of ns3-mmwave (with build/include/ns3)"
_MMWAVE = re.compile(r"lib(ns3[^/]*?)-mmwave(|-[a-z]+)\.so")
_HEADER = "include/ns3/mmwave-helper.h"


@dataclass(frozen=True)
class Module:
    """A build of the module.

    Attributes
    ----------
    include, libraries
        Folders of headers and of libraries.
    prefix, suffix
        What stands before and after a module in the name of its library, as in ``ns3.38`` and ``-optimized``.
    """

    include: Path
    libraries: Path
    prefix: str
    suffix: str

    @property
    def version(self) -> str:
        """The version of ns-3 as the libraries have it."""
        return self.prefix.removeprefix("ns")

    def library(self, name: str) -> Path:
        """Return the library of one of ns-3's modules."""
        return self.libraries / f"lib{self.prefix}-{name}{self.suffix}.so"

    def fingerprint(self) -> str:
        """Return what changes with the build: hashes of the libraries that decide what a driver may call."""
        return " ".join([str(self.libraries), *(sha256(self.library(name)) for name in ("core", "mmwave"))])


def find(root: Path | None) -> Module:
    """Return the build in a folder, by default the one that the environment variable `VARIABLE` names.

    Raises
    ------
    MissingError
        If no folder is named, or there is no finished build in it.
    """
    named = os.environ.get(VARIABLE, "")
    if root is None and not named:
        raise MissingError("no build of ns3-mmwave is named", _REMEDY)
    top = (root or Path(named)).absolute()
    base = next((folder for folder in (top / "build", top) if (folder / _HEADER).is_file()), None)
    if base is None:
        raise MissingError(f"{top} has no {_HEADER}, below build or at its top", _REMEDY)
    folders = [folder for folder in (base / "lib", base / "lib64", base) if folder.is_dir()]
    found = [(folder, match) for folder in folders for path in sorted(folder.iterdir())
             if (match := _MMWAVE.fullmatch(path.name))]  # fmt: skip
    if not found:
        raise MissingError(f"{base} has the headers of ns3-mmwave but no library lib*-mmwave*.so", "finish its build")
    folder, match = found[0]
    module = Module(base / "include", folder, match[1], match[2])
    missing = [name for name in MODULES if not module.library(name).is_file()]
    if missing:
        raise MissingError(f"{module.library(missing[0])} is missing", "finish the build of ns3-mmwave")
    return module
