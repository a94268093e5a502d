"""Temporary folders that a killed run may have left.

Namespaces, devices and the programs in them end with the process that made them, whatever ends it. Left may be only the
temporary folders of servers, which are known by their names: ``mmwemu-``, what for, and what `tempfile` adds.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from pathlib import Path

_MARK = re.compile(r"mmwemu-[a-z]+-[a-z0-9_]{8}")
_YOUNGEST_S = 60.0


def find(folder: Path | None = None, *, youngest_s: float = _YOUNGEST_S) -> list[Path]:
    """Return our temporary folders that no process uses.

    Parameters
    ----------
    folder
        Where to look; None for the system's folder for temporary files.
    youngest_s
        Younger ones may just have been made for a process that does not use them yet, s.
    """
    folder = folder or Path(tempfile.gettempdir())
    before_s = time.time() - youngest_s
    found = []
    for path in sorted(path for path in folder.iterdir() if _MARK.fullmatch(path.name)):
        status = path.lstat()
        if path.is_dir() and not path.is_symlink() and status.st_uid == os.geteuid() and status.st_mtime <= before_s:
            found.append(path)
    used = _used_paths() if found else ""
    return [path for path in found if str(path) not in used]


def _used_paths() -> str:
    """Return the command lines, working folders and open files of all processes we may look at."""
    words = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words.append((process / "cmdline").read_bytes().decode(errors="replace"))
            words += [str(link.readlink()) for link in (process / "cwd", *(process / "fd").iterdir())]
        except OSError:
            continue  # it has ended, or is another user's
    return "\n".join(words)
