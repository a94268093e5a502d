"""Several clients behind one end of a link: ``python -m mmwemu.testbed.client_networks NUMBER ADDRESS... NETWORK...``.

Run in the network of that end, by ``mmwemu-link networks``, which makes the clients' networks and gives their
descriptors. Says ``ready``; reads messages, ``congestion NAME``, ``windows PACKETS`` with three sizes each of receive
and send buffers, or ``close``, and answers each.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Sequence
from dataclasses import replace

from mmwemu.core.errors import MmwemuError
from mmwemu.testbed import devices


def main(argv: Sequence[str]) -> None:
    """Connect the clients and obey until the messages end."""
    number = int(argv[0])
    addresses, networks = argv[1 : 1 + number], [int(fd) for fd in argv[1 + number :]]
    endpoints = [
        devices.Endpoint(f"client{i}", address, fd)
        for i, (address, fd) in enumerate(zip(addresses, networks, strict=True), 1)
    ]
    for endpoint in endpoints:
        devices.connect(endpoint)
    print("ready", *networks, flush=True)
    metrics = devices.Metrics()
    for line in sys.stdin:
        verb, *words = line.split()
        if verb == "close":
            return
        if verb == "congestion":
            metrics = replace(metrics, congestion_control=words[0])
        else:
            metrics = replace(metrics, initial_window=int(words[0]))
        buffers = (" ".join(words[1:4]), " ".join(words[4:])) if verb == "windows" else None
        print(_set(endpoints, metrics, buffers), flush=True)


def _set(endpoints: Sequence[devices.Endpoint], metrics: devices.Metrics, buffers: tuple[str, str] | None) -> str:
    try:
        for endpoint in endpoints:
            devices.set_metrics(endpoint, metrics)
            if buffers is not None:
                devices.set_buffers(endpoint, *buffers)
    except (MmwemuError, OSError) as error:
        return f"error {error}"
    return "ok"


if __name__ == "__main__":
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    main(sys.argv[1:])
