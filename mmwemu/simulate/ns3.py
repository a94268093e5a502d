"""Engine ``mmwemu-cell``, mmwemu's own program on the libraries of ns-3."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from mmwemu.core import paths
from mmwemu.core.errors import InputError, MissingError
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.core.requirements import own_program
from mmwemu.core.temporary import temporary_folder
from mmwemu.rays.model import Rays
from mmwemu.scenario.model import Rat, Scenario
from mmwemu.scenario.random_boxes import placed
from mmwemu.scenario.reach import lte_problem
from mmwemu.simulate.channel_file import ChannelHeader, check
from mmwemu.simulate.config import channel_hash, config_text, rays_text, scenario_hash
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
    channel_in
        File to take the mmWave channel from, which must be of the same scenario.
    channel_out
        File to write the mmWave channel to.
    """

    def __init__(
        self,
        program: Path | None = None,
        rays: Rays | None = None,
        channel_in: Path | None = None,
        channel_out: Path | None = None,
    ) -> None:
        self._program = program
        self._rays = rays
        self._channel_in, self._channel_out = channel_in, channel_out

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
        problem = lte_problem(scenario) if rat == "lte" else None
        if problem is not None:
            raise InputError(f"scenario {scenario.name}: radio.lte.path_loss", problem)
        channel = self._check_channel(placed(scenario, seed), rat)
        program = self._program or _installed()
        with temporary_folder("cell") as folder:
            files = self._prepare(folder, placed(scenario, seed))
            (folder / "cell.txt").write_text(config_text(scenario, rat, seed, files), encoding="ascii")
            argv = [str(program), "cell.txt", "trace.csv", "meta.json"]
            run(PROGRAM, argv, folder, scenario.name, on_progress)
            reported = read_meta(folder / "meta.json")
            meta = _meta(scenario, rat, seed, self._rays, reported)
            if channel is not None:
                meta["channel_seed"] = channel.seed
            if len(scenario.ues) < 2:
                return (_read_trace(folder / "trace.csv", meta),)
            count = len(scenario.ues)
            numbers = range(1, count + 1)
            return tuple(_read_trace(folder / f"trace.ue{ue}.csv", meta | {"ue": ue, "ues": count}) for ue in numbers)

    def _check_channel(self, scenario: Scenario, rat: Rat) -> ChannelHeader | None:
        if self._channel_in is None and self._channel_out is None:
            return None
        if self._channel_in and self._channel_out:
            raise InputError("--channel-out", "is given beside --channel-in; a run reads a channel or writes one")
        option = "--channel-in" if self._channel_in else "--channel-out"
        if rat != "mmwave":
            raise InputError(option, f"is for --rat mmwave; the {rat} cell has a channel of its own")
        if len(scenario.ues) > 1:
            raise InputError(option, f"holds the channel of one UE; scenario {scenario.name} has {len(scenario.ues)}")
        return check(self._channel_in, scenario, self._rays) if self._channel_in else None

    def _prepare(self, folder: Path, scenario: Scenario) -> dict[str, str]:
        """Put further files into the folder of a run, and return their names by record."""
        files: dict[str, str] = {}
        if self._rays is not None:
            (folder / _RAYS).write_text(rays_text(self._rays), encoding="ascii")
            files["rays"] = _RAYS
        for record, path in (("channel_in", self._channel_in), ("channel_out", self._channel_out)):
            if path is not None:
                # The program's records are separated by blanks, which the name of the file may have.
                (folder / record).symlink_to(path.absolute())
                files |= {record: record, "channel_hash": channel_hash(scenario, self._rays)}
        return files


def _installed() -> Path:
    try:
        return paths.program(PROGRAM)
    except MissingError as error:
        raise MissingError(
            f"{PROGRAM} was not built with this installation",
            "simulate on x86-64 Linux, for which ns-3's libraries exist, and bring the trace or pattern here; "
            "shipped patterns need no simulator",
        ) from error


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
