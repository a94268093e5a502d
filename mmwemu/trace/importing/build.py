"""A trace from received transport blocks, and deliveries if there are any: pure functions over arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.bounds import MOST_BINS
from mmwemu.core.errors import InputError
from mmwemu.trace.importing.deliveries import PDCP_HEADER_BYTES, Deliveries
from mmwemu.trace.importing.rx_packets import RxPackets
from mmwemu.trace.model import Floats, Trace

BIN_S = 0.001


@dataclass(frozen=True)
class Imported:
    """What a trace is made from.

    Attributes
    ----------
    packets
        Transport blocks, both directions.
    ue
        The UE whose trace is made, as `RxPackets.ue` has it.
    duration_s
        Length of the trace, s; None for the time of the last block.
    payload_bytes, header_bytes
        Transport payload of a packet and its headers of IP and transport; the payload is measured where deliveries are.
    downlink, uplink
        Packets that were delivered, None where unknown.
    """

    packets: RxPackets
    ue: int
    duration_s: float | None = None
    payload_bytes: int = 1400
    header_bytes: int = 28
    downlink: Deliveries | None = None
    uplink: Deliveries | None = None


def to_trace(given: Imported) -> Trace:
    """Return the trace; docs/formats/ns3-mmwave.md says how each column is found.

    Raises
    ------
    InputError
        If the trace has too few or too many bins, or a packet is smaller than its headers.
    """
    symbols = _symbols_of_slot(given.packets)
    packets = given.packets.of(given.packets.ue == given.ue)
    n = _bins(float(packets.time_s.max()), given.duration_s)
    down, up = packets.of(packets.is_downlink), packets.of(~packets.is_downlink)
    payload_bytes, mean_delay_s = given.payload_bytes, np.full(n, np.nan)
    share = payload_bytes / (payload_bytes + given.header_bytes)
    throughput_bps = _block_bits(down, n) / BIN_S * share
    if given.downlink is not None:
        payload_bytes, throughput_bps = _delivered(given.downlink, given.header_bytes, n)
        mean_delay_s = _means(given.downlink.time_s, given.downlink.delay_s, n)
    uplink_bps = _block_bits(up, n) / BIN_S * share
    if given.uplink is not None:
        uplink_bps = _delivered(given.uplink, given.header_bytes, n)[1]
    unknown = np.full(n, np.nan)
    return Trace(
        time_s=np.arange(n, dtype=np.float64) * BIN_S,
        los=unknown,
        sinr_db=_sinr_db(down, n),
        mcs=_last(down, n),
        phy_rate_bps=_phy_rate_bps(down, symbols, n),
        throughput_bps=throughput_bps,
        rlc_queue_bytes=unknown,
        delay_s=unknown,
        drops=unknown,
        meta={"rat": "mmwave", "payload_bytes": payload_bytes, "header_bytes": given.header_bytes},
        optional={
            "ran_delay_s": mean_delay_s,
            "uplink_phy_rate_bps": _phy_rate_bps(up, symbols, n),
            "uplink_throughput_bps": uplink_bps,
        },
    )


def _bins(last_s: float, duration_s: float | None) -> int:
    n = math.floor(last_s / BIN_S) + 1 if duration_s is None else round(duration_s / BIN_S)
    if not 2 <= n <= MOST_BINS:
        raise InputError("trace", f"would have {n} rows of 1 ms; must have from 2 to {MOST_BINS}")
    return n


def _places(time_s: Floats, n: int) -> NDArray[np.intp]:
    """Return the bin of each time; n, which the callers leave out, for what is later."""
    # Times have six digits in these files, so that 0.3 may be read as a little less.
    return np.minimum(np.floor(time_s / BIN_S + 1e-6), n).astype(np.intp)


def _sums(time_s: Floats, values: Floats, n: int) -> Floats:
    sums: Floats = np.bincount(_places(time_s, n), weights=values, minlength=n + 1)[:n].astype(np.float64)
    return sums


def _means(time_s: Floats, values: Floats, n: int) -> Floats:
    counts = _sums(time_s, np.ones(len(values)), n)
    means: Floats = np.divide(_sums(time_s, values, n), counts, out=np.full(n, np.nan), where=counts > 0)
    return means


def _block_bits(blocks: RxPackets, n: int) -> Floats:
    """Return the bits of the blocks that were decoded [n]."""
    return _sums(blocks.time_s, 8 * blocks.size_bytes * ~blocks.is_corrupt, n)


def _sinr_db(blocks: RxPackets, n: int) -> Floats:
    """Return the mean SINR [n], dB, of the power ratios; NaN where no block came or the ratio is 0."""
    known = blocks.of(~np.isnan(blocks.sinr_db))
    ratios = _means(known.time_s, 10 ** (np.minimum(known.sinr_db, 1000) / 10), n)
    return 10 * np.log10(ratios, out=np.full(n, np.nan), where=ratios > 0)


def _last(blocks: RxPackets, n: int) -> Floats:
    """Return the MCS of the last block of each bin [n], NaN where there is none."""
    order = np.argsort(blocks.time_s, kind="stable")
    mcs = np.full(n + 1, np.nan)
    mcs[_places(blocks.time_s[order], n)] = blocks.mcs[order]
    return mcs[:n]


def _symbols_of_slot(packets: RxPackets) -> float:
    """Return the most symbols that the blocks of one direction had in a slot: what a slot has for data."""
    return max(float(np.bincount(packets.slot[way], weights=packets.symbols[way], minlength=1).max())
               for way in (packets.is_downlink, ~packets.is_downlink))  # fmt: skip


def _phy_rate_bps(blocks: RxPackets, symbols_of_slot: float, n: int) -> Floats:
    """Return the rate if all symbols for data had gone as those did that were used [n], bit/s; NaN without a block."""
    used = _sums(blocks.time_s, blocks.symbols, n)
    per_symbol = np.divide(_block_bits(blocks, n), used, out=np.full(n, np.nan), where=used > 0)
    rate_bps: Floats = per_symbol * symbols_of_slot / blocks.slot_s
    return rate_bps


def _delivered(packets: Deliveries, header_bytes: int, n: int) -> tuple[int, Floats]:
    """Return the mean payload of a packet, bytes, and the rate of payload [n], bit/s."""
    payload = packets.size_bytes - PDCP_HEADER_BYTES - header_bytes
    if payload.min() < 0:
        least = f"{PDCP_HEADER_BYTES} bytes of PDCP and {header_bytes} of IP and transport"
        smallest = f"{packets.size_bytes.min():g} bytes"
        raise InputError("deliveries", f"have a packet of {smallest}; headers alone are {least}")
    return max(1, round(float(payload.mean()))), _sums(packets.time_s, 8 * payload, n) / BIN_S
