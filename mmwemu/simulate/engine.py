"""Interface of an engine, and its registration by an entry point of the group ``mmwemu.engines``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from mmwemu.core.errors import InputError
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.core.requirements import Requirement
from mmwemu.scenario.model import Rat, Scenario
from mmwemu.trace.model import Trace

INTERFACE = 1
"""Version of the interface in this module."""


class Engine(Protocol):
    """A program that simulates one UE in a radio cell."""

    def simulate(self, scenario: Scenario, rat: Rat, seed: int, on_progress: OnProgress = ignore) -> Trace:
        """Return the trace of the downlink over the whole scenario, one row per millisecond.

        Parameters
        ----------
        scenario
            The scenario to simulate.
        rat
            The radio access technology: ``mmwave`` or ``lte``.
        seed
            From 0 to 2**32 - 1; the same seed gives the same trace.
        on_progress
            Receives the progress; ``done`` and ``total`` are simulated time, s.

        Raises
        ------
        MmwemuError
            If the scenario cannot be simulated, or the simulation fails.
        """
        ...


@runtime_checkable
class EngineOfSeveral(Engine, Protocol):
    """An engine that simulates any number of UEs in one cell."""

    def simulate_ues(
        self, scenario: Scenario, rat: Rat, seed: int, on_progress: OnProgress = ignore
    ) -> tuple[Trace, ...]:
        """Return the trace of each UE; see `Engine.simulate`."""
        ...


def simulate_each(
    engine: Engine, scenario: Scenario, rat: Rat, seed: int, on_progress: OnProgress = ignore
) -> tuple[Trace, ...]:
    """Return the trace of each UE of a scenario, by any engine; see `Engine.simulate`.

    Raises
    ------
    InputError
        If the scenario has several UEs and the engine cannot simulate them.
    MmwemuError
        If the scenario cannot be simulated, or the simulation fails.
    """
    if len(scenario.ues) < 2:
        return (engine.simulate(scenario, rat, seed, on_progress),)
    if not isinstance(engine, EngineOfSeveral):
        raise InputError(f"scenario {scenario.name}: ues", f"are {len(scenario.ues)}; this engine simulates one")
    return engine.simulate_ues(scenario, rat, seed, on_progress)


@dataclass(frozen=True)
class EngineKind:
    """An engine that can be chosen by name.

    Attributes
    ----------
    name, help
        Its name on the command line, and what it is, for people.
    make
        Returns the engine; takes the folder of a build, None where none was given, for engines that are a user's own.
    rats
        The RATs that it simulates.
    requirements
        Returns what it needs on a machine, for ``mmwemu doctor``.
    interface
        The version of the interface that it was written for.
    """

    name: str
    help: str
    make: Callable[[Path | None], Engine]
    rats: tuple[Rat, ...]
    requirements: Callable[[], list[Requirement]]
    interface: int
