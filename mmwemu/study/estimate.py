"""The time that replays take: estimated before, corrected by those that are done."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from mmwemu.apps.application import Estimating
from mmwemu.study.planned import Part, PlannedReplay

# What a replay takes beside its applications: the link drains, programs start, results are written.
OVERHEAD_S = 0.6
_UNKNOWN_S = 40.0


def expected_s(this: PlannedReplay) -> float:
    """Return the time that a replay will take, s, as far as its applications can tell; at most their limits."""
    return OVERHEAD_S + max(
        part.offset_s + _application_s(part, case, this)
        for part, case in zip(this.experiment.parts, this.case, strict=True)
    )


def _application_s(part: Part, case: Any, this: PlannedReplay) -> float:
    application = part.application
    if isinstance(application, Estimating):
        return application.expected_s(case, this.settings, this.plan.clients)
    return float(getattr(application, "limit_s", _UNKNOWN_S))


class Forecast:
    """The remaining time of replays; those that are done correct the estimates of their experiment.

    Attributes
    ----------
    left_s
        Of what is not done, s.
    """

    def __init__(self, todo: Sequence[PlannedReplay]) -> None:
        self._expected = {this.number: expected_s(this) for this in todo}
        self._left: dict[int, float] = defaultdict(float)
        self._done: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])  # expected, taken
        for this in todo:
            self._left[this.experiment_number] += self._expected[this.number]

    @property
    def left_s(self) -> float:
        """The remaining time, s."""
        return sum(max(0.0, left_s) * self._ratio(number) for number, left_s in self._left.items())

    def of(self, this: PlannedReplay) -> float:
        """Return the time that a replay will take, s."""
        return self._expected[this.number] * self._ratio(this.experiment_number)

    def note(self, this: PlannedReplay, took_s: float) -> None:
        """Take into account that a replay is done."""
        expected, done = self._expected[this.number], self._done[this.experiment_number]
        self._left[this.experiment_number] -= expected
        done[0] += expected
        done[1] += took_s

    def _ratio(self, experiment_number: int) -> float:
        expected, taken = self._done[experiment_number]
        return taken / expected if expected else 1.0
