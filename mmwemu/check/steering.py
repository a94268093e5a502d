"""What is run next in a check, and when it ends."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mmwemu.check.judging import FAIL_ERROR, Line, applicable, judge
from mmwemu.check.samples import Group, Samples, Values
from mmwemu.check.thresholds import Threshold
from mmwemu.check.turns import Place, Turn
from mmwemu.core.text import digits
from mmwemu.results.records import Run
from mmwemu.study.estimate import Forecast
from mmwemu.study.planned import PlannedReplay

REFERENCES = 10
"""Repetitions of the reference workload."""


@dataclass
class Steering:
    """Runs the undecided places alone, as long as their next decision falls within the budget.

    Attributes
    ----------
    turns
        All replays that may be run.
    pairs
        The thresholds and groups that may have to be judged; none to run everything that fits.
    budget_s
        Nothing but the first replay is begun that would probably end later than this.
    baseline
        Stored values of groups; None to compare with the runs of base.
    allowance
        Returns by how much this machine may differ from that of the baseline, by the samples so far.
    clock
        Returns the time, s.
    samples
        What was measured.
    ended
        Why no more is run, empty as long as something may be.
    is_spent
        Whether something was not run for want of time.
    """

    turns: Sequence[Turn]
    pairs: Sequence[tuple[Threshold, Group]]
    budget_s: float
    baseline: Mapping[Group, Values] | None = None
    allowance: Callable[[Samples], float] = lambda _: 0.0
    clock: Callable[[], float] = time.monotonic
    samples: Samples = field(default_factory=Samples)
    ended: str = ""
    is_spent: bool = False

    def __post_init__(self) -> None:
        self._begin_s = self._start_s = self.clock()
        self._forecast = Forecast([turn.replay for turn in self.turns])
        self._by_number = {turn.replay.number: turn for turn in self.turns}
        self._at_place: dict[Place, dict[str, PlannedReplay]] = {}
        for turn in self.turns:
            self._at_place.setdefault(turn.place, {}).setdefault(turn.version, turn.replay)
        self._planned = Counter(turn.place for turn in self.turns if turn.version == "head")
        self._took_s: dict[tuple[Place, str], list[float]] = {}
        self._decided: dict[tuple[Threshold, Group], Line] = {}
        self._repetition = 0
        self._admitted: set[Place] = set()

    @property
    def elapsed_s(self) -> float:
        """Time since the check began, s."""
        return self.clock() - self._begin_s

    def lines(self) -> list[Line]:
        """Return the verdicts by what was measured so far.

        Raises
        ------
        InputError
            If no run has a metric.
        """
        return [line for _, line in self._judged()]

    def wants(self, this: PlannedReplay) -> bool:
        """Return whether a replay is to be run."""
        turn = self._by_number[this.number]
        if this.repetition != self._repetition and not self.ended:
            self._repetition = this.repetition
            self._admit(turn)
        wanted = not self.ended and (
            this.repetition <= REFERENCES if turn.version == "reference" else turn.place in self._admitted
        )
        if wanted and self._took_s and self.elapsed_s + self._cost_s(turn.place, turn.version) > self.budget_s:
            self.is_spent = True
            if self.samples.counts["runs"] == 1:
                self.ended = f"the budget of {digits(self.budget_s)} s is too short for two runs"
            wanted = False
        self._start_s = self.clock()
        return wanted

    def note(self, this: PlannedReplay, runs: Sequence[Run]) -> None:
        """Take the runs of a replay into account."""
        turn, took_s = self._by_number[this.number], self.clock() - self._start_s
        self._forecast.note(this, took_s)
        self._took_s.setdefault((turn.place, turn.version), []).append(took_s)
        self.samples.add(turn, runs)
        if failed := next(iter(self.samples.failed.values()), ""):
            self.ended = f"a run failed: {failed}"

    def _judged(self) -> list[tuple[Group, Line]]:
        base = self.samples.values["base"] if self.baseline is None else self.baseline
        allowance = self.allowance(self.samples) if self.baseline is not None else 0.0
        error = FAIL_ERROR / max(1, len(self.pairs))
        head = self.samples.values["head"]
        found = []
        for one, group in applicable(self.pairs, self.samples, base):
            mine, other = head.get(group, {}), base.get(group, {})
            line = judge(one, group, mine, other, fail_error=error, allowance=allowance)
            if line.verdict != "inconclusive":  # it stands, whatever later runs at the place would say
                line = self._decided.setdefault((one, group), line)
            line = self._decided.get((one, group), line)
            found.append((group, self._limited(line, group, len(other.keys() - mine.keys()))))
        return found

    def _limited(self, line: Line, group: Group, left_in_baseline: int) -> Line:
        """Return a line that knows whether there can be as many more values as it needs."""
        if line.more is None:
            return line
        if line.more > self._planned[group.place] - max(0, self._repetition - 1):
            return replace(
                line, more=None, reason=f"{line.reason}; all {self._planned[group.place]} repetitions are run"
            )
        if line.relation and self.baseline is not None and line.more > left_in_baseline:
            return replace(line, more=None, reason=f"{line.reason}; the baseline has no more repetitions")
        return line

    def _admit(self, turn: Turn) -> None:
        """Choose the places of this repetition: undecided ones, the nearest to a decision first, within the budget."""
        if self._repetition == 1 or not self.pairs:
            self._admitted = set(self._at_place)
            return
        undecided: dict[Place, int] = {}
        judged = self._judged()
        for group, line in judged:
            if line.verdict == "inconclusive" and line.more is not None:
                place = group.place
                undecided[place] = min(line.more, undecided.get(place, line.more))
        if not undecided:
            is_all = all(line.verdict != "inconclusive" for _, line in judged)
            self.ended = "all is decided" if is_all else "more runs decide no more"
            return
        left_s = self.budget_s - self.elapsed_s
        self._admitted = set()
        for place, more in sorted(undecided.items(), key=lambda item: item[1] * self._pair_s(item[0])):
            left_s -= more * self._pair_s(place)
            if left_s < 0:
                break
            self._admitted.add(place)
        if not self._admitted:
            self.ended = f"the next decision would fall after the budget of {digits(self.budget_s)} s"

    def _pair_s(self, place: Place) -> float:
        return sum(self._cost_s(place, version) for version in self._at_place[place])

    def _cost_s(self, place: Place, version: str) -> float:
        """Return the time of a replay, s: that of those before there; else the forecast, at most that of all others."""
        took = self._took_s.get((place, version))
        if took:
            return sum(took) / len(took)
        others = [each for some in self._took_s.values() for each in some]
        return min(self._forecast.of(self._at_place[place][version]), sum(others) / max(1, len(others)))
