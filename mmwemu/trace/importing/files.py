"""A trace from the files of one simulation that somebody ran with the module."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path

from mmwemu.core.errors import InputError
from mmwemu.scenario import geometry
from mmwemu.scenario.model import Scenario
from mmwemu.trace.importing import build, deliveries, rx_packets
from mmwemu.trace.model import Trace

ENGINE = "ns3-mmwave"


@dataclass(frozen=True)
class Source:
    """The files, and what they do not say.

    Attributes
    ----------
    packets
        RxPacketTrace files of one simulation.
    deliveries, uplink_deliveries
        Statistics of PDCP, None where there are none.
    rnti
        The UE, None for the only one.
    duration_s
        Length of the trace, s; None to end with the last block.
    payload_bytes, header_bytes
        Of a packet; deliveries tell the payload.
    """

    packets: tuple[Path, ...]
    deliveries: Path | None = None
    uplink_deliveries: Path | None = None
    rnti: int | None = None
    duration_s: float | None = None
    payload_bytes: int = 1400
    header_bytes: int = 28


def load(source: Source, scenario: Scenario | None = None) -> Trace:
    """Return the trace of one UE; a scenario adds line of sight, the core's delay and the rule of outages.

    Raises
    ------
    InputError
        With file and line or column, if a file cannot be used.
    """
    where = str(source.packets[0])
    blocks = rx_packets.load(source.packets)
    ue = rx_packets.find_ue(blocks, source.rnti, where)
    found = {
        name: None if path is None else deliveries.load(path, ue % 2**16)
        for name, path in (("downlink", source.deliveries), ("uplink", source.uplink_deliveries))
    }
    try:
        trace = build.to_trace(
            build.Imported(blocks, ue, source.duration_s, source.payload_bytes, source.header_bytes, **found)
        )
    except InputError as error:
        raise InputError(f"{where}: {error.where}", error.problem) from None
    meta = {**trace.meta, "engine": ENGINE}
    if scenario is None:
        return replace(trace, meta=meta)
    return replace(
        trace,
        los=geometry.los(scenario, trace.time_s).astype(float),
        delay_s=trace.optional["ran_delay_s"] + scenario.core.delay_s,
        meta=meta | {"scenario": scenario.name, "outage": asdict(scenario.outage)},
    )
