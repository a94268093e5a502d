"""Interface of an engine."""

from __future__ import annotations

from typing import Protocol

from mmwemu.core.progress import OnProgress, ignore
from mmwemu.scenario.model import Rat, Scenario
from mmwemu.trace.model import Trace


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
