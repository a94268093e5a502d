"""The split proxy: ends each TCP connection at the edge and carries its data on, unseen by client and server."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from mmwemu.core import process
from mmwemu.testbed.proxies.interception import find_tools, intercept
from mmwemu.testbed.proxies.proxy import Edge, ProgramProxy
from mmwemu.testbed.relay import start_relay


@contextmanager
def open_split(edge: Edge) -> Iterator[ProgramProxy]:
    """Start the split proxy; see `mmwemu.testbed.proxies.proxy.Maker`."""
    find_tools()
    with tempfile.TemporaryFile() as log:
        relay, port = start_relay(edge.place.popen, "transparent", "0.0.0.0", log)
        try:
            intercept(edge, port)
            yield ProgramProxy("mmwemu-relay", relay, log)
        finally:
            process.end(relay)
