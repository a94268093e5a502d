"""The state of the TCP connections of a cell, client by client."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from mmwemu.link.schedule import NS_PER_S
from mmwemu.probe.tcp import COLUMNS, INTERVAL_S, TcpSamples, row_of, sampling
from mmwemu.testbed.topology import CellTestbed

if TYPE_CHECKING:
    import pandas as pd


@contextmanager
def sampling_cell_tcp(testbed: CellTestbed, interval_s: float = INTERVAL_S) -> Iterator[TcpSamples]:
    """Sample the connections of all clients, the edge and the server until left; see `cell_frame`.

    Raises
    ------
    MmwemuError
        If the kernel does not tell.
    """
    ends = {f"client {i}": partial(testbed.popen, "client", client=i) for i in range(1, testbed.topology.clients + 1)}
    if testbed.edge_address is not None:
        ends["edge"] = partial(testbed.popen, "edge")
    with sampling(ends | {"server": partial(testbed.popen, "server")}, interval_s) as samples:
        yield samples


def cell_frame(testbed: CellTestbed, samples: TcpSamples) -> pd.DataFrame:
    """Give the samples taken since the links started.

    Returns
    -------
    A row for each sample and connection with the columns of `TcpSamples.since`, where ``role`` is client, edge or
    server, and two more: ``client``, the number of the one whose connection it is, null for one of edge and server;
    ``link``, the access link that it passes, 0 for the core link only. ``time_s`` counts from the start of that link.
    """
    import pandas as pd

    numbers = {address: i for i, address in enumerate(testbed.client_addresses, 1)}
    epochs_ns = {link: testbed.epoch_ns(link) for link in testbed.link_numbers}
    beyond = 0 if 0 in epochs_ns else 1
    rows = []
    for end, time_ns, connection in samples.each():
        hosts = [name.rpartition(":")[0] for name in connection[:2]]
        client = next((numbers[host] for host in hosts if host in numbers), None)
        link = beyond if client is None else 1 if testbed.topology.shared else client
        epoch_ns = epochs_ns[link]
        if epoch_ns is not None and time_ns >= epoch_ns:
            row = row_of((time_ns - epoch_ns) / NS_PER_S, end.partition(" ")[0], connection)
            rows.append([*row, link, client])
    frame = pd.DataFrame(rows, columns=[*COLUMNS, "link", "client"]).astype({"link": "int16", "client": "Int16"})
    return frame.sort_values("time_s", ignore_index=True, kind="stable")
