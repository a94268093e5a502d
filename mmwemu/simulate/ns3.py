"""Engine ``mmwemu-cell``, mmwemu's own program on the libraries of ns-3."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mmwemu.core import paths, process
from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.core.progress import OnProgress, Progress, ignore
from mmwemu.core.temporary import temporary_folder
from mmwemu.scenario.model import Rat, Scenario
from mmwemu.simulate.config import config_text, scenario_hash
from mmwemu.simulate.output import read_columns, read_meta
from mmwemu.trace.model import OPTIONAL, Trace

PROGRAM = "mmwemu-cell"
_USAGE = 2
_UDP_HEADER_BYTES = 28


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
            _run(program, folder, scenario.name, on_progress)
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
        "header_bytes": reported.get("header_bytes", _UDP_HEADER_BYTES),
        "outage": asdict(scenario.outage),
    }
    meta |= {key: reported[key] for key in ("frame", "transport") if key in reported}
    return meta


def _run(program: Path, folder: Path, name: str, on_progress: OnProgress) -> None:
    argv = [str(program), "cell.txt", "trace.csv", "meta.json"]
    # One library has unresolved symbols, so it loads with lazy binding only.
    environment = {key: value for key, value in os.environ.items() if key != "LD_BIND_NOW"}
    messages: list[str] = []
    with process.start(
        argv,
        tied=True,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stderr is not None
        try:
            for raw in child.stderr:
                line = raw.decode(errors="replace").strip()
                progress = parse_progress(line)
                if progress is not None:
                    on_progress(progress)
                elif line:
                    messages.append(line)
        except BaseException:
            child.kill()
            raise
    if child.returncode != 0:
        raise _failure(child.returncode, name, messages)


def parse_progress(line: str) -> Progress | None:
    """Return the progress in a line ``progress <done_s> <total_s>``, or None for any other line."""
    words = line.split()
    if len(words) != 3 or words[0] != "progress":
        return None
    try:
        return Progress("simulate", float(words[1]), float(words[2]))
    except ValueError:
        return None


def _failure(code: int, name: str, messages: list[str]) -> MmwemuError:
    own = [line.removeprefix(f"{PROGRAM}: ") for line in messages if line.startswith(f"{PROGRAM}: ")]
    message = own[-1] if own else (messages[0] if messages else "no message")
    if code == _USAGE:
        return InputError(f"scenario {name}", message)
    ended = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"failed with exit code {code}"
    return MmwemuError(f"{PROGRAM} {ended}: {message}")
