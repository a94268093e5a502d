"""Engine ``mmwemu-cell``, mmwemu's own program on the libraries of ns-3."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from mmwemu.core import paths
from mmwemu.core.errors import InputError
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.core.requirements import own_program
from mmwemu.core.temporary import temporary_folder
from mmwemu.rays.model import Rays
from mmwemu.scenario.model import Rat, Scenario
from mmwemu.simulate.config import config_text, rays_text, scenario_hash
from mmwemu.simulate.engine import INTERFACE, EngineKind
from mmwemu.simulate.output import read_columns, read_meta
from mmwemu.simulate.program import run
from mmwemu.trace.model import OPTIONAL, Trace

PROGRAM = "mmwemu-cell"
_USAGE = 2
_UDP_HEADER_BYTES = 28
_RAYS = "rays.txt"


class Ns3Engine:
    """Runs ``mmwemu-cell`` and reads its trace.

    Parameters
    ----------
    program
        Path of the program; by default the one installed with the package.
    rays
        The mmWave channel along the scenario's route, instead of one drawn from statistics; `mmwemu.rays.fit` says
        whether they belong to the scenario.
    """

    def __init__(self, program: Path | None = None, rays: Rays | None = None) -> None:
        self._program = program
        self._rays = rays

    def simulate(self, scenario: Scenario, rat: Rat, seed: int, on_progress: OnProgress = ignore) -> Trace:
        """Simulate a scenario with one UE; see `mmwemu.simulate.engine.Engine`.

        Raises
        ------
        InputError
            If the scenario has several UEs, or the program refuses it.
        MissingError
            If the program is not installed.
        MmwemuError
            If the program fails.
        """
        if len(scenario.ues) > 1:
            problem = f"has {len(scenario.ues)} UEs; simulate_ues returns a trace of each"
            raise InputError(f"scenario {scenario.name}", problem)
        return self.simulate_ues(scenario, rat, seed, on_progress)[0]

    def simulate_ues(
        self, scenario: Scenario, rat: Rat, seed: int, on_progress: OnProgress = ignore
    ) -> tuple[Trace, ...]:
        """Simulate a scenario with any number of UEs; returns a trace of each.

        Raises
        ------
        InputError
            If the program refuses the scenario.
        MissingError
            If the program is not installed.
        MmwemuError
            If the program fails.
        """
        if rat == "lte" and len(scenario.ues) > 1:
            raise InputError(f"scenario {scenario.name}: ues", "LTE has one UE; several need --rat mmwave")
        program = self._program or paths.program(PROGRAM)
        with temporary_folder("cell") as folder:
            rays_file = _RAYS if self._rays is not None else None
            (folder / "cell.txt").write_text(config_text(scenario, rat, seed, rays_file), encoding="ascii")
            if self._rays is not None:
                (folder / _RAYS).write_text(rays_text(self._rays), encoding="ascii")
            argv = [str(program), "cell.txt", "trace.csv", "meta.json"]
            run(PROGRAM, argv, folder, scenario.name, on_progress)
            reported = read_meta(folder / "meta.json")
            meta = _meta(scenario, rat, seed, self._rays, reported)
            if len(scenario.ues) < 2:
                return (_read_trace(folder / "trace.csv", meta),)
            count = len(scenario.ues)
            numbers = range(1, count + 1)
            return tuple(_read_trace(folder / f"trace.ue{ue}.csv", meta | {"ue": ue, "ues": count}) for ue in numbers)


def _read_trace(path: Path, meta: dict[str, Any]) -> Trace:
    columns = read_columns(path)
    optional = {name: columns.pop(name) for name in OPTIONAL if name in columns}
    return Trace(**columns, meta=meta, optional=optional)


def _meta(scenario: Scenario, rat: Rat, seed: int, rays: Rays | None, reported: dict[str, Any]) -> dict[str, Any]:
    meta = {
        "scenario": scenario.name,
        "scenario_hash": scenario_hash(scenario, rat, rays),
        "rat": rat,
        "engine": PROGRAM,
        "engine_version": reported.get("version"),
        "ns3_version": reported.get("ns3_version"),
        "seed": seed,
        "payload_bytes": scenario.traffic.payload_bytes,
        "header_bytes": reported.get("header_bytes", _UDP_HEADER_BYTES),
        "outage": asdict(scenario.outage),
    }
    meta |= {key: reported[key] for key in ("frame", "transport") if key in reported}
    if rays is not None:
        meta["rays"] = rays.source
    return meta


ENGINE = EngineKind(
    name=PROGRAM,
    help="our own program on the libraries of ns-3",
    make=lambda _: Ns3Engine(),
    rats=("mmwave", "lte"),
    requirements=lambda: [own_program(PROGRAM, "simulate")],
    interface=INTERFACE,
)
