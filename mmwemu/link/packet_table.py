"""Recorded packets as a table, and as a Parquet file."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mmwemu.link.packet_headers import transport_fields
from mmwemu.link.packets import DIRECTIONS, KINDS, RECORD, times_s
from mmwemu.link.telemetry import CAUSES

if TYPE_CHECKING:
    import pyarrow as pa

# In an IPv4 header; the client is the source in the uplink and the destination in the downlink.
_SOURCE, _DESTINATION, _END = 12, 16, 20


def to_table(records: NDArray[Any], core_delay_s: float, link: int = 1, clients: Sequence[str] = ()) -> pa.Table:
    """Turn records [n_packet] into a table with a row each.

    Columns: direction, number (in its direction, from 1, in the order of arrival at the bottleneck), kind (packet,
    copy, damaged), size_bytes; sent_s, arrival_s (at the bottleneck), departure_s (from it), delivery_s, all since the
    epoch; queueing_delay_s (from arrival to departure), propagation_delay_s, lateness_s; drop (queue, aqm, loss,
    outage, device); marked; link (0: the core link); client (from 1, null for a packet of no client); and the fields
    of `mmwemu.link.packet_headers.transport_fields`. Null means that the event never happened, or that a packet has no
    such field, or that its header was not recorded.

    Parameters
    ----------
    records
        Of dtype `RECORD` or `RECORD_WITH_HEADER`.
    core_delay_s
        Delay of the core link that is part of this link, s.
    link
        Number of the link.
    clients
        Addresses of the clients. Several clients are told apart by the packets' headers; a single one needs none.
    """
    import pyarrow as pa

    ending = records["ending"].astype(np.int8)
    cause = np.where(ending >= len(KINDS), ending - len(KINDS), -1)
    kind = np.where(ending < len(KINDS), ending, 0)
    number = records["number"].astype(np.int64)
    client = _clients(records, clients)
    columns = {
        "direction": _words(DIRECTIONS, records["direction"]),
        "number": pa.array(number, mask=number == 0),
        "kind": _words(KINDS, kind),
        "size_bytes": pa.array(records["size_bytes"].astype(np.int32)),
        **{name: pa.array(times, mask=np.isnan(times)) for name, times in times_s(records, core_delay_s).items()},
        "drop": _words(CAUSES, cause),
        "marked": pa.array(records["marked"] != 0),
        "link": pa.array(np.full(len(records), link, np.int16)),
        "client": pa.array(client, mask=client == 0),
        **{name: pa.array(values, mask=values < 0) for name, values in transport_fields(records).items()},
    }
    return pa.table(columns)


def _clients(records: NDArray[Any], clients: Sequence[str]) -> NDArray[np.int16]:
    """Return whose each packet is, 0 for no client's."""
    if "header" not in (records.dtype.names or ()):
        return np.full(len(records), 1 if len(clients) == 1 else 0, np.int16)
    uplink = (records["direction"] != 0)[:, np.newaxis]
    header = records["header"]
    addresses = np.where(uplink, header[:, _SOURCE:_DESTINATION], header[:, _DESTINATION:_END])
    keys = np.ascontiguousarray(addresses).view(">u4").ravel()
    client = np.zeros(len(records), np.int16)
    for i, address in enumerate(clients, 1):
        client[keys == int(ipaddress.IPv4Address(address))] = i
    return client


def _words(words: tuple[str, ...], codes: NDArray[Any]) -> pa.DictionaryArray:
    """Return words by their places, null for those below 0."""
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int8), mask=codes < 0), list(words))


def write_parquet(path: Path, tables: Iterable[pa.Table]) -> None:
    """Write tables of `to_table` to one Parquet file."""
    import pyarrow.parquet as pq

    empty = to_table(np.empty(0, RECORD), 0.0)
    schema = empty.schema.with_metadata({b"format": b"1"})
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for table in tables:
            writer.write_table(table.cast(schema))
