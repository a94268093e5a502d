"""Values of metrics by what they are of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from mmwemu.check.turns import Place, Turn, Version
from mmwemu.link.profile import LinkProfile
from mmwemu.results.records import Run

# Columns of every run that are settings rather than results.
_SETTINGS = {one.name for one in fields(LinkProfile)} | {
    "run", "replay", "experiment", "client", "clients", "offset_s", "repetition", "start_at_s", "limit_s", "seed",
    "core_rate_bps", "core_loss", "access_delay_s", "initial_window", "pacing_bps", "window_bytes",
    "used_initial_window", "used_pacing_bps", "used_receive_buffer_bytes", "used_send_buffer_bytes",
}  # fmt: skip
_COMMON = {one.name for one in fields(Run)}


@dataclass(frozen=True)
class Group:
    """An application at a place, with its record; a place has several in a mix."""

    place: Place
    part: int
    record: type[Run]
    label: str


Values = dict[int, dict[str, float]]
"""The values of all metrics, by repetition and name; a metric without value is missing."""


@dataclass
class Samples:
    """What the valid runs measured, means over the clients of a replay.

    Attributes
    ----------
    values
        Of each version and group.
    failed
        The first failed run of each version: what is told of it.
    reporting
        The groups of which a run ended by itself, so that its metrics are known.
    counts
        Number of runs that were made, failed, had an invalid link, or were CPU-bound.
    """

    values: dict[Version, dict[Group, Values]] = field(
        default_factory=lambda: {"head": {}, "base": {}, "reference": {}}
    )
    failed: dict[Version, str] = field(default_factory=dict)
    reporting: set[Group] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("runs", "failed", "invalid", "cpu_bound"), 0))

    def add(self, turn: Turn, runs: Sequence[Run]) -> None:
        """Add the runs of a replay."""
        parts = turn.replay.experiment.parts
        for i in range(len(parts)):
            mine = list(runs[i :: len(parts)])
            self._count(turn, mine)
            usable = [run for run in mine if run.valid and run.status != "failed"]
            if len(usable) < len(mine):
                continue
            group = groups_of(turn)[i]
            if all(run.status == "ok" for run in usable):
                self.reporting.add(group)
            rows = [numbers_of(run.row()) for run in usable]
            self.values[turn.version].setdefault(group, {})[turn.replay.repetition] = _means(rows)

    def _count(self, turn: Turn, runs: Sequence[Run]) -> None:
        for run in runs:
            failed = run.status == "failed"
            if failed and run.valid:
                where = "" if turn.version == "head" else f" of {turn.version}"
                self.failed.setdefault(turn.version, f"run {run.run}{where}, {turn.place.label}: {run.error}")
            self.counts["runs"] += 1
            self.counts["failed"] += failed
            self.counts["invalid"] += not run.valid
            self.counts["cpu_bound"] += run.cpu_bound

    def metrics(self, group: Group, version: Version = "head") -> set[str]:
        """Return the metrics of which a group has a value."""
        return {name for row in self.values[version].get(group, {}).values() for name in row}


def groups_of(turn: Turn) -> list[Group]:
    """Return the groups at a place, one for each part."""
    parts = turn.replay.experiment.parts
    labels = [turn.place.label] if len(parts) == 1 else [
        f"{turn.place.label}: {part.application.name}, part {i}" for i, part in enumerate(parts, 1)
    ]  # fmt: skip
    return [Group(turn.place, i, part.application.record, label)
            for i, (part, label) in enumerate(zip(parts, labels, strict=True))]  # fmt: skip


def numbers_of(row: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers among the columns of a run that are results."""
    return {
        name: float(value)
        for name, value in row.items()
        if name not in _SETTINGS
        and isinstance(value, (int, float))
        and not isinstance(value, bool)
        and math.isfinite(value)
    }


def known_metrics(record: type[Run]) -> set[str] | None:
    """Return the columns of an application's record that can be numbers, None if its runs name their metrics."""
    own = [one for one in fields(record) if one.name not in _COMMON]
    if any("Mapping" in str(one.type) for one in own):
        return None
    kinds = {one.name: str(one.type) for one in fields(record) if one.name not in _SETTINGS}
    return {name for name, kind in kinds.items() if "float" in kind or "int" in kind}


def _means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each metric over the clients that all have it."""
    common = set.intersection(*(set(row) for row in rows)) if rows else set()
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0] if name in common} if rows else {}
