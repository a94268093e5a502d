"""One replay of an experiment: started, used, and checked."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.convert import constant
from mmwemu.probe.processor_waits import ProcessorWaits, watching
from mmwemu.study.planned import PlannedReplay
from mmwemu.testbed.packets import keeping_packets
from mmwemu.testbed.testbed import Testbed

if TYPE_CHECKING:
    import pandas as pd

# Long enough for the last packets of one run to leave before the next.
_DRAIN_RTTS = 4
_DRAIN_LEAST_S = 0.1

Result = TypeVar("Result")


@dataclass(frozen=True)
class Replayed(Generic[Result]):
    """What came of a replay.

    Attributes
    ----------
    result
        What the user of the link returned.
    columns
        The columns of `mmwemu.results.records.Run` that the replay determines.
    telemetry
        Of all links.
    cell
        Of the clients of a cell; no rows without one.
    waits
        Those of all programs for a processor.
    """

    result: Result
    columns: dict[str, object]
    telemetry: pd.DataFrame
    cell: pd.DataFrame
    waits: ProcessorWaits


def replay(
    testbed: Testbed, planned: PlannedReplay, act: Callable[[], Result], packet_files: Sequence[Path] = ()
) -> Replayed[Result]:
    """Start the pattern of a replay, let ``act`` use the link, and check whether the link did what it should."""
    settings = planned.settings
    _drain(testbed, settings.delay_s)
    with keeping_packets(testbed, packet_files) as logs:
        testbed.start(settings, packets=logs)
        with watching(testbed.applications) as waits:
            result = act()
        telemetry = testbed.telemetry()
        cell = testbed.links[1].client_telemetry()
    check = testbed.check(telemetry)
    columns: dict[str, object] = {
        "replay": planned.number,
        "pattern": planned.pattern.name,
        "pattern_sha256": planned.pattern.sha256,
        "rat": str(planned.pattern.pattern.meta.get("rat", "")),
        "repetition": planned.repetition,
        "start_at_s": settings.start_at_s,
        "seed": settings.seed,
        "scheduler": settings.scheduler,
        "link": settings.profile(),
        "valid": check.valid,
        "invalid_because": "; ".join(check.reasons),
        "delivered_ratio": None if math.isnan(check.delivered_ratio) else check.delivered_ratio,
        "lateness_p99_s": check.lateness_p99_s,
    }
    causes = ("queue", "aqm", "outage", "loss")
    columns |= {f"dropped_{cause}_bytes": _total(telemetry[f"dropped_{cause}_bytes"]) for cause in causes}
    return Replayed(result, columns, telemetry, cell, waits)


def _total(values: pd.Series[float]) -> int | None:
    """Return the sum, None if a value is not known."""
    total = values.sum(skipna=False)
    return None if math.isnan(total) else int(total)


def _drain(testbed: Testbed, delay_s: float) -> None:
    """Let the last packets of the run before pass an open link, so that they do not start the next pattern."""
    testbed.start(LinkSettings(constant(math.inf, 1.0), delay_s=delay_s, start="now"))
    time.sleep(max(_DRAIN_LEAST_S, _DRAIN_RTTS * 2 * delay_s))
