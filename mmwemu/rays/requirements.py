"""Requirements of tracing rays."""

from __future__ import annotations

import importlib.util
import sys

from mmwemu.core.errors import MissingError
from mmwemu.core.requirements import Requirement, first_line, requirement

_NEEDED_FOR = "rays trace"
_EXTRA = "pip install 'mmwemu[rays]'"
_LLVM = "sudo apt-get install libllvm19"
_OLDEST_LLVM = 17
# In a process of its own, which an unusable library may end.
_PROBE = "import drjit; print(*drjit.detail.llvm_version() if drjit.has_backend(drjit.JitBackend.LLVM) else (0, 0))"


def examine() -> list[Requirement]:
    """Return the requirements: Sionna RT, and the LLVM that it compiles with."""
    if importlib.util.find_spec("sionna") is None or importlib.util.find_spec("drjit") is None:
        return [requirement("sionna-rt", _NEEDED_FOR, None, _EXTRA)]
    from importlib import metadata

    version = metadata.version("sionna-rt")
    return [requirement("sionna-rt", _NEEDED_FOR, version, ""), _llvm()]


def _llvm() -> Requirement:
    done, line = first_line([sys.executable, "-c", _PROBE])
    words = line.split()
    major = int(words[0]) if done and words and words[0].isdigit() else 0
    usable = major >= _OLDEST_LLVM
    remedy = f"{_LLVM}   (libLLVM {_OLDEST_LLVM} or newer; DRJIT_LIBLLVM_PATH names one elsewhere)"
    found = f"version {major}, too old" if major else "not there"
    return requirement("libLLVM", _NEEDED_FOR, ".".join(words) if usable else None, remedy, absent=found)


def require() -> None:
    """Refuse to trace where something is missing.

    Raises
    ------
    MissingError
        With what is missing and what installs it.
    """
    for one in examine():
        if not one.found:
            raise MissingError(f"{one.what} is {one.detail}", one.remedy)
