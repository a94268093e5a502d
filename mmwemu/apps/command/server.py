"""A server of the user's that is started before the first run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Any

from mmwemu.testbed.place import Place

# A server that opens no socket of its own, as one that connects elsewhere, is given this long.
_LISTENING_LIMIT_S = 3.0
# Waits for a socket that was not there at its start.
_WATCH = """
import sys, time
def sockets():
    found = set()
    for name in ("tcp", "tcp6", "udp", "udp6"):
        try:
            with open(f"/proc/net/{name}") as table:
                rows = [line.split() for line in table][1:]
        except OSError:
            continue
        found |= {(name, row[1]) for row in rows if name.startswith("udp") or row[3] == "0A"}
    return found
before = sockets()
print("ready", flush=True)
end_s = time.monotonic() + float(sys.argv[1])
while sockets() <= before and time.monotonic() < end_s:
    time.sleep(0.01)
"""


def start_server(place: Place, argv: Sequence[str], log: IO[bytes], folder: str | None = None) -> subprocess.Popen[Any]:
    """Start a server and wait until it listens, has ended, or does neither for some seconds.

    It runs in ``folder``, or in the current one.
    """
    limit = f"{_LISTENING_LIMIT_S:g}"
    watch = place.popen([sys.executable, "-I", "-S", "-c", _WATCH, limit], stdout=subprocess.PIPE)
    assert watch.stdout is not None
    with watch.stdout:
        watch.stdout.readline()
    server = place.popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=folder)
    while watch.poll() is None and server.poll() is None:
        with suppress(subprocess.TimeoutExpired):
            watch.wait(0.05)
    watch.kill()
    watch.wait()
    return server
