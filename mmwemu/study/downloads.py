"""Downloads of several sizes over one or several patterns, repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mmwemu.apps.content import Fill, make_file
from mmwemu.apps.download import download, find_curl
from mmwemu.apps.server import serve
from mmwemu.core.errors import InputError
from mmwemu.core.progress import OnProgress, Progress, ignore
from mmwemu.emulate.backend import open_testbed
from mmwemu.results.records import DownloadRun
from mmwemu.results.store import Writer
from mmwemu.study.replay import ReplayPlan, repetitions, replay


@dataclass(frozen=True)
class DownloadPlan(ReplayPlan):
    """What to download: files of ``sizes_bytes``, with content as ``fill`` says."""

    sizes_bytes: tuple[int, ...] = (2_000_000, 20_000_000)
    fill: Fill = "sparse"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.sizes_bytes or min(self.sizes_bytes) < 1:
            raise InputError("size", "must be at least 1 byte")


def run_downloads(
    patterns: Sequence[str | Path], plan: DownloadPlan, writer: Writer, on_progress: OnProgress = ignore
) -> list[DownloadRun]:
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
    todo = repetitions(patterns, plan, plan.sizes_bytes)
    find_curl()
    done: list[DownloadRun] = []
    first = todo[0].settings
    with open_testbed(first, writer.folder, plan.backend, plan.tc_mode) as testbed, serve(testbed) as server:
        testbed.set_congestion_control(plan.congestion_control)
        for run in todo:
            on_progress(Progress("download", run.number - 1, len(todo)))
            url = f"{server.base_url}/{make_file(server.content, run.case, plan.fill)}"
            act = partial(download, testbed, url, run.case, plan.limit_s)
            outcome, columns, telemetry = replay(testbed, run, act)
            columns |= {"congestion_control": plan.congestion_control, "limit_s": plan.limit_s, **asdict(outcome)}
            row: Any = {"application": "download", "size_bytes": run.case, **columns}
            done.append(DownloadRun(**row))
            writer.add(done[-1], telemetry)
        on_progress(Progress("download", len(todo), len(todo)))
    return done
