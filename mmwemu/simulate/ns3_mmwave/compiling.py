"""The driver, compiled once for each build of the module and kept in the user's cache folder."""

from __future__ import annotations

import hashlib
from pathlib import Path

from mmwemu.core import paths, process
from mmwemu.core.errors import MissingError
from mmwemu.core.files import whole_file
from mmwemu.core.progress import OnProgress, Progress
from mmwemu.simulate.ns3_mmwave.module import MODULES, Module

_SOURCES = "simulate/ns3_mmwave/driver"
_OPTIONS = ("-std=c++17", "-O2")


def driver(module: Module, on_progress: OnProgress) -> Path:
    """Return the driver for a build of the module, compiled unless it is in the cache.

    Raises
    ------
    MissingError
        If there is no compiler, or the driver does not compile against this version of the module.
    MmwemuError
        If the cache cannot be written.
    """
    folder = paths.part(_SOURCES, "the driver for ns3-mmwave")
    sources = sorted(path for path in folder.iterdir() if path.suffix in (".cpp", ".h"))
    content = b"".join(path.read_bytes() for path in sources)
    identity = hashlib.sha256(content + " ".join([*_OPTIONS, module.fingerprint()]).encode()).hexdigest()
    program = paths.cache_folder() / "ns3-mmwave" / f"driver-{identity[:16]}"
    if not program.is_file():
        program.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(program) as draft:
            _compile(module, [path for path in sources if path.suffix == ".cpp"], draft, on_progress)
            draft.chmod(0o755)
    return program


def _compile(module: Module, sources: list[Path], program: Path, on_progress: OnProgress) -> None:
    compiler = process.find_tool("g++", "sudo apt-get install g++")
    on_progress(Progress("compile the driver", 0, 1))
    libraries = [f"-l{module.prefix}-{name}{module.suffix}" for name in MODULES]
    done = process.run(
        [compiler, *_OPTIONS, f"-I{module.include}", *map(str, sources), "-o", str(program), f"-L{module.libraries}",
         f"-Wl,-rpath,{module.libraries}", f"-Wl,-rpath-link,{module.libraries}", *libraries]
    )  # fmt: skip
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").splitlines()
        first = next((line for line in lines if "error" in line), lines[0] if lines else "no message")
        raise MissingError(
            f"the driver does not compile against ns3-mmwave of ns-3 {module.version}: {first}",
            "it is written for the module's versions on ns-3.36 and later",
        )
    on_progress(Progress("compile the driver", 1, 1))
