"""Run a command as root or as an ordinary user, whoever runs the tests."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mmwemu

_USER = "54321"
# Root's folders are closed to others. In mounts of the command's own, an empty folder is put over each closed one, with
# what Python needs in its place, and the user may open TUN devices.
_OPEN = """
set -e
cd /
hold={folder}/hold
mkdir -p $hold
mknod {folder}/tun c 10 200
chmod 666 {folder}/tun
mount --bind {folder}/tun /dev/net/tun
for closed in {closed}; do
  mount --rbind $closed $hold
  mount -t tmpfs -o mode=755 none $closed
  for needed in {needed}; do
    case $needed in $closed/*) mkdir -p $needed; mount --rbind $hold/${{needed#$closed/}} $needed;; esac
  done
done
cd {folder}
exec setpriv --reuid={user} --regid={user} --clear-groups env HOME={folder} TMPDIR={folder} "$@"
"""


def command(who: str, argv: list[str], folder: Path) -> list[str]:
    """Return the command that runs another one as ``who``, root or user, in a folder that everybody may write to."""
    if who == "root":
        if os.geteuid() == 0:
            return argv
        if shutil.which("sudo") is None or subprocess.run(["sudo", "-n", "true"], check=False).returncode != 0:
            pytest.skip("these tests do not run as root, and there is no sudo without a password")
        return ["sudo", "-n", *argv]
    if os.geteuid() != 0:
        return argv
    for tool in ("unshare", "setpriv"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    places = {Path(sys.prefix), Path(sys.base_prefix), *(Path(path) for path in mmwemu.__path__)}
    needed = {place.resolve() for place in places}
    outer = [place for place in needed if not any(other in place.parents for other in needed)]
    closed = {path for place in outer for path in reversed(place.parents) if not path.stat().st_mode & 0o001}
    tops = [path for path in closed if not any(other in path.parents for other in closed)]
    text = _OPEN.format(
        folder=shlex.quote(str(folder)), user=_USER, closed=" ".join(map(str, tops)), needed=" ".join(map(str, outer))
    )
    return ["unshare", "--mount", "--propagation", "slave", "sh", "-c", text, "sh", *argv]
