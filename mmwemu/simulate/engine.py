"""What a simulator of cells does."""

from __future__ import annotations

from typing import Protocol

from mmwemu.core.progress import OnProgress, ignore
from mmwemu.scenario.model import Rat, Scenario
from mmwemu.trace.model import Trace


class Engine(Protocol):
    """Simulates one UE in one cell."""

    def simulate(self, scenario: Scenario, rat: Rat, seed: int, on_progress: OnProgress = ignore) -> Trace:
        """Give the trace of the downlink, one row a millisecond, over the whole scenario.

        Parameters
        ----------
        scenario
            What to simulate.
        rat
            The radio access technology: ``mmwave`` or ``lte``.
        seed
            From 0 to 2**32 - 1; the same seed gives the same trace.
        on_progress
            Told how far it is; ``done`` and ``total`` are simulated time, s.

        Raises
        ------
        MmwemuError
            If the scenario cannot be simulated, or the simulation fails.
        """
        ...
