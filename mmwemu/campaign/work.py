"""What a worker does, in this process or on another machine."""

from __future__ import annotations

from dataclasses import dataclass

from mmwemu.campaign.plan import Simulation
from mmwemu.core.errors import MmwemuError
from mmwemu.simulate import registry
from mmwemu.simulate.engine import simulate_each
from mmwemu.trace import parquet


@dataclass(frozen=True)
class Answer:
    """The traces of a simulation as the contents of their files, or what kept them from being made.

    Attributes
    ----------
    contents
        The file of each UE, none if the simulation failed.
    problem
        One line, empty if the simulation succeeded.
    exit_code
        As of `MmwemuError`.
    """

    contents: tuple[bytes, ...] = ()
    problem: str = ""
    exit_code: int = 0


def simulate(simulation: Simulation) -> Answer:
    """Simulate; an error is part of the answer, since errors of ours cannot be sent from one process to another."""
    try:
        engine = registry.load(simulation.engine).make(simulation.root)
        traces = simulate_each(engine, simulation.scenario, simulation.rat, simulation.seed)
        return Answer(tuple(parquet.dumps(trace) for trace in traces))
    except MmwemuError as error:
        return Answer(problem=str(error), exit_code=error.exit_code)
    except OSError as error:
        return Answer(problem=f"{error.filename or 'a worker'}: {error.strerror or error}", exit_code=1)
