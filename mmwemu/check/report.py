"""What a check came to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from mmwemu.check.judging import Line, Verdict
from mmwemu.core.errors import InvalidRunError, MmwemuError

Inconclusive = Literal["pass", "fail", "inconclusive"]


@dataclass(frozen=True)
class Report:
    """What a check came to.

    Attributes
    ----------
    study
        Name of the study.
    verdict, reason
        Of all lines together; why no more was run.
    lines
        The verdict on each threshold for each group.
    notes
        What a reader of the verdict has to know: what the baseline was made on, runs that do not count.
    runs, failed, invalid, cpu_bound
        Number of runs, and of these that failed, had an invalid link, or were CPU-bound.
    elapsed_s, budget_s
        Time taken and allowed, s.
    folder
        The results folder.
    exit_code
        Of the command.
    """

    study: str
    verdict: Verdict
    reason: str
    lines: Sequence[Line] = ()
    notes: Sequence[str] = ()
    runs: int = 0
    failed: int = 0
    invalid: int = 0
    cpu_bound: int = 0
    elapsed_s: float = 0.0
    budget_s: float = math.nan
    folder: Path | None = None
    exit_code: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        values = asdict(self)
        for line in values["lines"]:
            line.pop("more")
        return {**values, "folder": None if self.folder is None else str(self.folder)}

    def with_code(self, inconclusive: Inconclusive) -> Report:
        """Return the report with the exit code of its verdict; ``inconclusive`` says what one counts as."""
        counts_as = inconclusive if self.verdict == "inconclusive" else self.verdict
        codes = {"pass": 0, "fail": MmwemuError.exit_code, "inconclusive": InvalidRunError.exit_code}
        return replace(self, exit_code=codes[counts_as])


def words(line: Line) -> tuple[str, str, str]:
    """Return value, interval and bound of a line for people."""
    of = {"": "", "ratio": " of baseline", "difference": " over baseline"}[line.relation]
    has_low = line.low > (0.0 if line.relation == "ratio" else -math.inf)
    if math.isinf(line.high):
        interval = f"from {short(line.low)}" if has_low else "-"
    else:
        interval = f"{short(line.low)} - {short(line.high)}" if has_low else f"up to {short(line.high)}"
    return short(line.value) + (of if line.value == line.value else ""), interval, line.threshold


def short(value: float) -> str:
    """Return a number with four significant digits, ``-`` for NaN."""
    if math.isnan(value):
        return "-"
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"
