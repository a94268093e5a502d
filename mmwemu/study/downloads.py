"""Downloads of several sizes over one or several patterns, repeated."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mmwemu.apps.content import Fill, make_file
from mmwemu.apps.download import Download, download, find_curl
from mmwemu.apps.server import serve
from mmwemu.core.errors import InputError
from mmwemu.core.files import sha256
from mmwemu.core.progress import OnProgress, Progress, ignore
from mmwemu.emulate.check import LinkCheck, check
from mmwemu.emulate.link import LinkSettings, Testbed
from mmwemu.emulate.tun import open_testbed
from mmwemu.pattern import library
from mmwemu.pattern.convert import constant
from mmwemu.pattern.model import Pattern
from mmwemu.results.records import Run
from mmwemu.results.store import Writer

if TYPE_CHECKING:
    import pandas as pd

# Long enough for the last segments and resets of one run to leave before the next.
_DRAIN_RTTS = 4
_DRAIN_LEAST_S = 0.1


@dataclass(frozen=True)
class DownloadPlan:
    """What to download.

    Attributes
    ----------
    sizes_bytes
        File sizes.
    repetitions
        How often each size is fetched over each pattern.
    starts_at_s
        Times in the pattern at which a download starts.
    congestion_control
        TCP congestion control of both ends.
    delay_s
        One-way delay of the core link, each way.
    queue_bytes
        Size of the bottleneck's queue in each direction.
    limit_s
        A download ends here at the latest; that is a result, not an error.
    fill
        Content of the files.
    seed
        Seed of random loss; repetition i uses seed + i.
    """

    sizes_bytes: tuple[int, ...]
    repetitions: int = 1
    starts_at_s: tuple[float, ...] = (0.0,)
    congestion_control: str = "cubic"
    delay_s: float = 0.011
    queue_bytes: int = 1_500_000
    limit_s: float = 40.0
    fill: Fill = "sparse"
    seed: int = 1

    def __post_init__(self) -> None:
        if not self.sizes_bytes or min(self.sizes_bytes) < 1:
            raise InputError("size", "must be at least 1 byte")
        if self.repetitions < 1:
            raise InputError("repetitions", f"is {self.repetitions}; must be at least 1")
        if not math.isfinite(self.limit_s) or self.limit_s <= 0:
            raise InputError("limit", f"is {self.limit_s:g} s; must be above 0")


@dataclass(frozen=True)
class _Job:
    pattern: Pattern
    pattern_name: str
    pattern_sha256: str
    size_bytes: int
    repetition: int
    settings: LinkSettings


def run_downloads(
    patterns: Sequence[str | Path], plan: DownloadPlan, writer: Writer, on_progress: OnProgress = ignore
) -> list[Run]:
    """Run a plan over each pattern (a file or the name of a shipped one) and keep every run in ``writer``.

    Raises
    ------
    InputError
        If a pattern cannot be used.
    MissingError
        If the machine lacks what it takes.
    MmwemuError
        If server or disk fail; runs so far are kept.
    """
    jobs = _jobs(patterns, plan)
    find_curl()
    with open_testbed(jobs[0].settings, writer.folder) as testbed, serve(testbed) as server:
        testbed.set_congestion_control(plan.congestion_control)
        for number, job in enumerate(jobs, 1):
            on_progress(Progress("download", number - 1, len(jobs)))
            url = f"{server.base_url}/{make_file(server.content, job.size_bytes, plan.fill)}"
            _drain(testbed, plan.delay_s)
            testbed.start(job.settings)
            outcome = download(testbed, url, job.size_bytes, plan.limit_s)
            telemetry = testbed.telemetry()
            writer.add(_record(number, job, plan, outcome, check(telemetry), telemetry), telemetry)
        on_progress(Progress("download", len(jobs), len(jobs)))
    return writer.runs


def _jobs(patterns: Sequence[str | Path], plan: DownloadPlan) -> list[_Job]:
    jobs = []
    for pattern_name in patterns:
        file = library.find(str(pattern_name))
        pattern, digest = library.load(str(file)), sha256(file)
        for start_at_s in plan.starts_at_s:
            for size_bytes in plan.sizes_bytes:
                for i in range(1, plan.repetitions + 1):
                    settings = LinkSettings(
                        pattern,
                        delay_s=plan.delay_s,
                        queue_bytes=plan.queue_bytes,
                        start="first-packet",
                        start_at_s=start_at_s,
                        seed=plan.seed + i - 1,
                    )
                    jobs.append(_Job(pattern, file.stem, digest, size_bytes, i, settings))
    return jobs


def _drain(testbed: Testbed, delay_s: float) -> None:
    """Let what the run before left behind (last segments, resets) pass an open link, so that it starts no pattern."""
    testbed.start(LinkSettings(constant(math.inf, 1.0), delay_s=delay_s, start="now"))
    time.sleep(max(_DRAIN_LEAST_S, _DRAIN_RTTS * 2 * delay_s))


def _record(
    number: int, job: _Job, plan: DownloadPlan, outcome: Download, link: LinkCheck, telemetry: pd.DataFrame
) -> Run:
    dropped = {cause: int(telemetry[f"dropped_{cause}_bytes"].sum()) for cause in ("queue", "outage", "loss")}
    ratio = link.delivered_ratio
    return Run(
        run=number,
        application="download",
        pattern=job.pattern_name,
        pattern_sha256=job.pattern_sha256,
        rat=str(job.pattern.meta.get("rat", "")),
        size_bytes=job.size_bytes,
        repetition=job.repetition,
        start_at_s=job.settings.start_at_s,
        congestion_control=plan.congestion_control,
        delay_s=plan.delay_s,
        queue_bytes=plan.queue_bytes,
        limit_s=plan.limit_s,
        seed=job.settings.seed,
        **asdict(outcome),
        valid=link.valid,
        invalid_because="; ".join(link.reasons),
        delivered_ratio=None if math.isnan(ratio) else ratio,
        lateness_p99_s=link.lateness_p99_s,
        dropped_queue_bytes=dropped["queue"],
        dropped_outage_bytes=dropped["outage"],
        dropped_loss_bytes=dropped["loss"],
    )
