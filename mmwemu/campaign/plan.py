"""The simulations of a campaign."""

from __future__ import annotations

import fnmatch
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mmwemu.core.bounds import MOST_SIMULATIONS
from mmwemu.core.errors import InputError
from mmwemu.scenario import read
from mmwemu.scenario.changes import Changes
from mmwemu.scenario.model import Rat, Scenario

_WILD = "*?["


@dataclass(frozen=True)
class Simulation:
    """One simulation; equal ones give the same traces.

    Attributes
    ----------
    scenario, rat, seed
        As for `mmwemu.simulate.engine.Engine.simulate`.
    engine
        Name of the engine.
    root
        Folder of a build, for an engine that needs one.
    """

    scenario: Scenario
    rat: Rat
    seed: int
    engine: str
    root: Path | None = None

    @property
    def name(self) -> str:
        """Scenario, RAT and seed in one word."""
        return f"{self.scenario.name}.{self.rat}.seed-{self.seed}"

    def traces(self, folder: Path) -> list[Path]:
        """Return the path of each UE's trace in the folder of a campaign."""
        count = len(self.scenario.ues)
        endings = [f".ue{ue}" for ue in range(1, count + 1)] if count > 1 else [""]
        return [folder / "traces" / f"{self.name}{ending}.parquet" for ending in endings]


def find_scenarios(names: Sequence[str]) -> list[Scenario]:
    """Return scenarios by file or shipped name; a name with ``*``, ``?`` or ``[`` stands for all that it fits.

    Raises
    ------
    InputError
        If a scenario cannot be read, a name fits none, or two scenarios have the same name.
    """
    found = []
    for name in names:
        wild = any(one in name for one in _WILD) and not Path(name).exists()
        fitting = fnmatch.filter(read.shipped(), name) if wild else [name]
        if not fitting:
            raise InputError(name, f"fits no shipped scenario; there are: {', '.join(read.shipped())}")
        found += [read.load(one) for one in fitting]
    for i, one in enumerate(found):
        if one.name in [other.name for other in found[:i]]:
            raise InputError(f"scenario {one.name}", "is asked for twice")
    return found


def make_plan(
    scenarios: Sequence[Scenario],
    rats: Sequence[Rat],
    seeds: Sequence[int],
    engine: str,
    root: Path | None = None,
    changes: Changes | None = None,
) -> list[Simulation]:
    """Return a simulation of each scenario, changed where asked, with each RAT and seed.

    Raises
    ------
    InputError
        If there are more than `MOST_SIMULATIONS`, a scenario has several UEs and a RAT one, or a change has no effect.
    """
    for scenario in scenarios:
        if len(scenario.ues) > 1 and "lte" in rats:
            raise InputError(f"scenario {scenario.name}: ues", "LTE has one UE; several need --rat mmwave")
    changes = changes or Changes()
    count = len(scenarios) * len(rats) * len(seeds)
    if count > MOST_SIMULATIONS:
        raise InputError("campaign", f"has {count} simulations; may have at most {MOST_SIMULATIONS}")
    return [
        Simulation(changes.apply(scenario, rat), rat, seed, engine, root)
        for scenario, rat, seed in itertools.product(scenarios, rats, seeds)
    ]
