"""The simulations of a paper: its plain cells, and those of its variants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mmwemu.campaign.plan import Simulation, find_scenarios, make_plan
from mmwemu.papers.variant import Variant
from mmwemu.scenario.model import Rat
from mmwemu.trace import parquet
from mmwemu.trace.model import Trace

_ENGINE = "mmwemu-cell"


@dataclass(frozen=True)
class Cell:
    """One simulation of a paper.

    Attributes
    ----------
    scenario
        Name of the scenario before a variant changed it.
    variant
        Name of the variant; empty for a plain cell.
    simulation
        What is simulated; the name of its scenario has that of the variant, too.
    folder
        Of the campaign that it belongs to.
    """

    scenario: str
    variant: str
    simulation: Simulation
    folder: Path

    def load(self) -> Trace:
        """Return the trace, that of the first UE.

        Raises
        ------
        InputError
            If it cannot be read.
        """
        return parquet.load(self.simulation.traces(self.folder)[0])


def plain_cells(scenarios: Sequence[str], rats: Sequence[Rat], seeds: Sequence[int], folder: Path) -> list[Cell]:
    """Return the cells of scenarios, by name or file, as they are, with each RAT and seed.

    Raises
    ------
    InputError
        As `mmwemu.campaign.plan.find_scenarios` and `make_plan`.
    """
    plan = make_plan(find_scenarios(scenarios), rats, seeds, _ENGINE)
    return [Cell(simulation.scenario.name, "", simulation, folder) for simulation in plan]


def variant_cells(variants: Sequence[Variant], first: str, seeds: Sequence[int], folder: Path) -> Iterator[Cell]:
    """Yield the cells of variants that are simulated, seed by seed; ``first`` is the scenario of those without one.

    Raises
    ------
    InputError
        If a scenario cannot be read, or a change has no effect in it.
    """
    for variant in variants:
        if variant.changes is None:
            continue
        (plain,) = find_scenarios([variant.scenario or first])
        changed = variant.changes.apply(plain, "mmwave")
        named = replace(changed, name=f"{plain.name}-{variant.name}")
        for simulation in make_plan([named], ("mmwave",), seeds, _ENGINE):
            yield Cell(plain.name, variant.name, simulation, folder)
