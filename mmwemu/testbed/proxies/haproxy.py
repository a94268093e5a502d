"""HAProxy as it can be deployed at an edge: in TCP mode, transparent on both sides."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mmwemu.core import process
from mmwemu.core.errors import MissingError, MmwemuError
from mmwemu.testbed.proxies.interception import find_tools, intercept
from mmwemu.testbed.proxies.proxy import Edge, ProgramProxy

_PORT = 61_000  # just above the ports that the kernel gives to connections
_LISTENS = f"00000000:{_PORT:04X} 00000000:0000 0A"
_READY_LIMIT_S = 20.0
_CONFIGURATION = f"""\
global
    maxconn 4000
defaults
    mode tcp
    option splice-auto
    timeout connect 130s
    timeout client 24d
    timeout server 24d
listen edge
    bind 0.0.0.0:{_PORT} transparent
    source 0.0.0.0 usesrc client
    server destination 0.0.0.0
"""


@contextmanager
def open_haproxy(edge: Edge) -> Iterator[ProgramProxy]:
    """Start HAProxy; see `mmwemu.testbed.proxies.proxy.Maker`."""
    find_tools()
    program = process.find_tool("haproxy", "install it: sudo apt-get install haproxy")
    if "+TPROXY" not in process.run([program, "-vv"], timeout_s=_READY_LIMIT_S).stdout.decode(errors="replace"):
        remedy = "install the package haproxy of the system, or use --edge-proxy split"
        raise MissingError(f"{program} was built without TPROXY", remedy)
    with tempfile.TemporaryFile() as configuration, tempfile.TemporaryFile() as log:
        configuration.write(_CONFIGURATION.encode())
        configuration.seek(0)
        argv = [program, "-db", "-f", "/dev/stdin"]
        started = edge.place.popen(argv, stdin=configuration, stdout=log, stderr=log)
        proxy = ProgramProxy("haproxy", started, log)
        try:
            _wait_for(proxy)
            intercept(edge, _PORT)
            yield proxy
        finally:
            process.end(proxy.process)


def _wait_for(proxy: ProgramProxy) -> None:
    """Return once it listens in its network."""
    end_s = time.monotonic() + _READY_LIMIT_S
    sockets = Path(f"/proc/{proxy.process.pid}/net/tcp")
    while not proxy.end() and _LISTENS not in sockets.read_text(encoding="ascii"):
        if time.monotonic() > end_s:
            raise MmwemuError(f"haproxy does not listen within {_READY_LIMIT_S:g} s")
        time.sleep(0.02)
    if problem := proxy.end():
        raise MmwemuError(problem)
