"""How far this machine is from the one of a stored baseline: the same work, measured there and here."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mmwemu.apps.download.application import Downloads
from mmwemu.check.steering import REFERENCES
from mmwemu.core import provenance
from mmwemu.report.statistics import average
from mmwemu.study.plan import ReplayPlan
from mmwemu.study.planned import Part, PlannedExperiment

METRIC = "goodput_bps"
_SIZE_BYTES = 500_000
_LIMIT_S = 20.0
_TRIES = 15


@dataclass(frozen=True)
class Difference:
    """How far two machines are apart, as logarithms of ratios: the farther end of the interval.

    Attributes
    ----------
    link
        Of the goodput of reference downloads; infinite without enough of them.
    processor
        Of the time that a fixed computation takes.
    """

    link: float
    processor: float

    @property
    def allowance(self) -> float:
        """By how much a metric may differ between the machines although nothing else does."""
        return self.link + self.processor

    def __str__(self) -> str:
        if math.isinf(self.link):
            return "there are too few reference downloads to tell how far the machines differ"
        link, processor = (f"{100 * math.expm1(each):.1f} %" for each in (self.link, self.processor))
        return f"reference downloads differ by at most {link}, the processor by {processor}"


def reference(like: PlannedExperiment) -> PlannedExperiment:
    """Return the reference workload: small downloads over the first pattern of an experiment, on a link as it has."""
    one = like.plan.variations[0]
    plan = ReplayPlan(**one.profile(), repetitions=REFERENCES, seed=one.seed, backend=one.backend, tc_mode=one.tc_mode)
    return PlannedExperiment((Part(Downloads((_SIZE_BYTES,), limit_s=_LIMIT_S)),), like.patterns[:1], plan)


def difference(now: Sequence[float], then: Sequence[float], cpu_now_s: float, cpu_then_s: float) -> Difference:
    """Return how far two machines are apart.

    Parameters
    ----------
    now, then
        Goodputs of the reference downloads [n], in the order of their repetitions.
    cpu_now_s, cpu_then_s
        As of `processor_s`.
    """
    ratios = [math.log(one / other) for one, other in zip(now, then, strict=False) if one > 0 and other > 0]
    found = average(ratios, "median")  # a pause of a busy machine in one download says little of the others
    link = max(abs(found.low), abs(found.high)) if found.has_interval else math.inf
    return Difference(link, abs(math.log(cpu_now_s / cpu_then_s)))


def processor_s() -> float:
    """Return the CPU time of a fixed computation, s: the least of several, which other programs disturb little."""
    return min(_compute_s() for _ in range(_TRIES))


def description() -> str:
    """Return the machine in one line: processor, cores and kernel."""
    system = provenance.system()
    return f"{_model()}, {system['cores']} cores, Linux {system['kernel']}"


def _compute_s() -> float:
    begin_s = time.thread_time()
    block, total = bytes(1 << 20), 0
    for _ in range(4):
        total += hashlib.sha256(block).digest()[0]
    for i in range(50_000):
        total += i * i
    return time.thread_time() - begin_s


def _model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else str(provenance.system()["machine"])
