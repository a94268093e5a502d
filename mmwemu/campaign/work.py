"""What a worker does, in this process or on another machine."""

from __future__ import annotations

from dataclasses import dataclass

from mmwemu.campaign.plan import Simulation
from mmwemu.core.errors import MmwemuError
from mmwemu.simulate import registry
from mmwemu.trace import parquet


@dataclass(frozen=True)
class Answer:
    """The trace of a simulation as the content of its file, or what kept it from being made.

    Attributes
    ----------
    content
        The file, empty if there is none.
    problem
        One line, empty if the simulation succeeded.
    exit_code
        As of `MmwemuError`.
    """

    content: bytes = b""
    problem: str = ""
    exit_code: int = 0


def simulate(simulation: Simulation) -> Answer:
    """Simulate; an error is part of the answer, since errors of ours cannot be sent from one process to another."""
    try:
        engine = registry.load(simulation.engine).make(simulation.root)
        trace = engine.simulate(simulation.scenario, simulation.rat, simulation.seed)
        return Answer(parquet.dumps(trace))
    except MmwemuError as error:
        return Answer(problem=str(error), exit_code=error.exit_code)
    except OSError as error:
        return Answer(problem=f"{error.filename or 'a worker'}: {error.strerror or error}", exit_code=1)
