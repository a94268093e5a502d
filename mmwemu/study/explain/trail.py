"""A path of events that is walked backwards in time, and its intervals."""

from __future__ import annotations

from collections.abc import Iterable

from mmwemu.study.explain.causes import Cause, Interval
from mmwemu.study.explain.outages import Outages


class Trail:
    """Intervals without gaps, from an end back to where the walk is, and not beyond ``least_s``.

    Parameters
    ----------
    end_s
        Where the walk begins, s.
    least_s
        Where it ends, s.

    Attributes
    ----------
    at_s
        Where the walk is, s.
    """

    def __init__(self, end_s: float, least_s: float) -> None:
        self.at_s = end_s
        self._least_s = least_s
        self._path: list[tuple[float, float, Cause | None]] = []

    @property
    def done(self) -> bool:
        """Whether the walk is at its end."""
        return self.at_s <= self._least_s

    def back_to(self, time_s: float, cause: Cause | None, outages: Outages | None = None) -> None:
        """Add the time from ``time_s`` to here; that within ``outages`` is an outage's; that of None gets a `name`."""
        time_s = max(time_s, self._least_s)
        if time_s >= self.at_s:
            return
        for begin_s, end_s, silent in outages.split(time_s, self.at_s) if outages else [(time_s, self.at_s, False)]:
            self._add(begin_s, end_s, "outage" if silent else cause)
        self.at_s = time_s

    def name(self, cause: Cause) -> None:
        """Assign a cause to the time that has none yet."""
        self._path = [(begin_s, end_s, own or cause) for begin_s, end_s, own in self._path]

    def extend(self, parts: Iterable[Interval], later_s: float, outages: Outages) -> None:
        """Add intervals, the last one first, each so much later; a timeout within ``outages`` is an outage's."""
        for each in parts:
            self.back_to(each.begin_s + later_s, each.cause, outages if each.cause == "timeout" else None)

    def backwards(self) -> list[Interval]:
        """Return the intervals, the last one first."""
        return [Interval(begin_s, end_s, cause) for begin_s, end_s, cause in self._path if cause is not None]

    def _add(self, begin_s: float, end_s: float, cause: Cause | None) -> None:
        if self._path and self._path[-1][2] == cause:
            self._path[-1] = (begin_s, self._path[-1][1], cause)
        else:
            self._path.append((begin_s, end_s, cause))
