"""The engine: our driver, compiled against a user's build of the module, and the traces that both write."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from mmwemu.core.errors import InputError, MissingError, MmwemuError
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.core.requirements import Requirement, requirement
from mmwemu.core.temporary import temporary_folder
from mmwemu.scenario.model import Rat, Scenario
from mmwemu.simulate.config import scenario_hash
from mmwemu.simulate.engine import INTERFACE, EngineKind
from mmwemu.simulate.ns3_mmwave import compiling, module, settings
from mmwemu.simulate.program import run
from mmwemu.trace.importing import build, rx_packets, table
from mmwemu.trace.model import Trace

NAME = "ns3-mmwave"
_HEADER_BYTES = 28
_BINS = table.Form(numbers=("time", "los", "bytes", "delay", "drops", "queue"))


class Ns3MmwaveEngine:
    """Runs a user's build of the module.

    Parameters
    ----------
    root
        Folder of the build; None for that of the environment variable `module.VARIABLE`.
    """

    def __init__(self, root: Path | None = None) -> None:
        self._root = root

    def simulate(self, scenario: Scenario, rat: Rat, seed: int, on_progress: OnProgress = ignore) -> Trace:
        """Simulate; see `mmwemu.simulate.engine.Engine`.

        Raises
        ------
        InputError
            If the scenario asks for what the module cannot do.
        MissingError
            If there is no finished build, or it is of a version that the driver does not fit.
        MmwemuError
            If the module fails.
        """
        if rat != "mmwave":
            raise InputError("--rat", f"is {rat}; engine {NAME} simulates mmwave alone")
        text = settings.settings_text(scenario, seed)
        found = module.find(self._root)
        driver = compiling.driver(found, on_progress)
        with temporary_folder("mmwave") as folder:
            (folder / "settings.txt").write_text(text, encoding="ascii")
            run("driver", [str(driver), "settings.txt", "bins.txt"], folder, scenario.name, on_progress)
            trace = _read(folder, scenario)
        meta = {
            "scenario": scenario.name,
            "scenario_hash": scenario_hash(scenario, rat),
            "rat": rat,
            "engine": NAME,
            "engine_version": driver.name,
            "ns3_version": found.version,
            "seed": seed,
            "payload_bytes": scenario.traffic.payload_bytes,
            "header_bytes": _HEADER_BYTES,
            "outage": asdict(scenario.outage),
            "frame": f"numerology{settings.numerology(scenario)}",
        }
        return replace(trace, meta=meta)


def _read(folder: Path, scenario: Scenario) -> Trace:
    """Return the trace of the module's own rows and of the driver's, one a millisecond."""
    try:
        packets = rx_packets.load([folder / "RxPacketTrace.txt"])
        bins = table.read(folder / "bins.txt", _BINS).numbers
    except InputError as error:
        raise MmwemuError(
            f"the module's trace cannot be read: {error.where.rpartition('/')[2]}: {error.problem}"
        ) from None
    ue = rx_packets.find_ue(packets, None, "RxPacketTrace.txt")
    given = build.Imported(packets, ue, scenario.duration_s, scenario.traffic.payload_bytes, _HEADER_BYTES)
    trace = build.to_trace(given)
    if len(bins["time"]) != len(trace.time_s):
        raise MmwemuError(f"the driver wrote {len(bins['time'])} rows where {len(trace.time_s)} are due")
    return replace(
        trace,
        los=bins["los"],
        throughput_bps=8 * bins["bytes"] / build.BIN_S,
        rlc_queue_bytes=bins["queue"],
        delay_s=bins["delay"],
        drops=bins["drops"],
        optional={
            "ran_delay_s": np.maximum(0.0, bins["delay"] - scenario.core.delay_s),
            "uplink_phy_rate_bps": trace.optional["uplink_phy_rate_bps"],
        },
    )


def _requirements() -> list[Requirement]:
    try:
        found = module.find(None)
    except MissingError as error:
        return [requirement(NAME, "simulate --engine ns3-mmwave", None, error.remedy)]
    return [requirement(NAME, "simulate --engine ns3-mmwave", f"ns-3 {found.version} in {found.libraries}", "")]


ENGINE = EngineKind(
    name=NAME,
    help="the public ns3-mmwave module, in a build of yours",
    make=Ns3MmwaveEngine,
    rats=("mmwave",),
    requirements=_requirements,
    interface=INTERFACE,
)
