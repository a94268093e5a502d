"""Engine ``mmwemu-cell``, mmwemu's own program on the libraries of ns-3."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from mmwemu.core import paths
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.core.requirements import own_program
from mmwemu.core.temporary import temporary_folder
from mmwemu.scenario.model import Rat, Scenario
from mmwemu.simulate.config import config_text, scenario_hash
from mmwemu.simulate.engine import INTERFACE, EngineKind
from mmwemu.simulate.output import read_columns, read_meta
from mmwemu.simulate.program import run
from mmwemu.trace.model import OPTIONAL, Trace

PROGRAM = "mmwemu-cell"
HEADER_BYTES = 28
"""IPv4 and UDP headers of each packet."""


class Ns3Engine:
    """Runs ``mmwemu-cell`` and reads its trace.

    Parameters
    ----------
    program
        Path of the program; by default the one installed with the package.
    """

    def __init__(self, program: Path | None = None) -> None:
        self._program = program

    def simulate(self, scenario: Scenario, rat: Rat, seed: int, on_progress: OnProgress = ignore) -> Trace:
        """Simulate; see `mmwemu.simulate.engine.Engine`.

        Raises
        ------
        InputError
            If the program refuses the scenario.
        MissingError
            If the program is not installed.
        MmwemuError
            If the program fails.
        """
        program = self._program or paths.program(PROGRAM)
        with temporary_folder("cell") as folder:
            (folder / "cell.txt").write_text(config_text(scenario, rat, seed), encoding="ascii")
            argv = [str(program), "cell.txt", "trace.csv", "meta.json"]
            run(PROGRAM, argv, folder, scenario.name, on_progress)
            columns = read_columns(folder / "trace.csv")
            reported = read_meta(folder / "meta.json")
        optional = {name: columns.pop(name) for name in OPTIONAL if name in columns}
        return Trace(**columns, meta=_meta(scenario, rat, seed, reported), optional=optional)


def _meta(scenario: Scenario, rat: Rat, seed: int, reported: dict[str, Any]) -> dict[str, Any]:
    meta = {
        "scenario": scenario.name,
        "scenario_hash": scenario_hash(scenario, rat),
        "rat": rat,
        "engine": PROGRAM,
        "engine_version": reported.get("version"),
        "ns3_version": reported.get("ns3_version"),
        "seed": seed,
        "payload_bytes": scenario.traffic.payload_bytes,
        "header_bytes": HEADER_BYTES,
        "outage": asdict(scenario.outage),
    }
    if "frame" in reported:
        meta["frame"] = reported["frame"]
    return meta


ENGINE = EngineKind(
    name=PROGRAM,
    help="our own program on the libraries of ns-3",
    make=lambda _: Ns3Engine(),
    rats=("mmwave", "lte"),
    requirements=lambda: [own_program(PROGRAM, "simulate")],
    interface=INTERFACE,
)
