"""Web pages loaded over one or several patterns, repeated."""

from __future__ import annotations

import math
import random
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from mmwemu.apps.certificate import find_openssl
from mmwemu.apps.server import Server, VirtualHost, serve
from mmwemu.apps.sites.check import check
from mmwemu.apps.sites.make import make_site
from mmwemu.apps.sites.model import PRESETS, Site
from mmwemu.apps.web.load import DEVICE, Protocol, Visit, check_device, load
from mmwemu.apps.web.modules import Tools, find_tools
from mmwemu.apps.web.result import Load
from mmwemu.core.errors import InputError
from mmwemu.core.progress import OnProgress, Progress, ignore
from mmwemu.emulate.backend import open_testbed
from mmwemu.emulate.link import LinkSettings, Testbed
from mmwemu.pattern.convert import constant
from mmwemu.results.records import WebRun
from mmwemu.results.store import Writer
from mmwemu.study.replay import Repetition, ReplayPlan, repetitions, replay

# A load that takes at most so much longer than over a link without limit says more of the computer than of the link.
_CPU_BOUND_RATIO = 1.1


@dataclass(frozen=True)
class WebPlan(ReplayPlan):
    """What to load.

    Attributes
    ----------
    sites
        Folders of sites, or names of presets.
    start_between_s
        Draw the start of each repetition uniformly from here to there, the same for every site and pattern, instead of
        ``starts_at_s``.
    protocol, device
        As in `mmwemu.apps.web.load.Visit`.
    keep
        Keep film strip, HAR and trace of every load in the results folder.
    """

    sites: tuple[str, ...] = ("google",)
    start_between_s: tuple[float, float] | None = None
    protocol: Protocol = "h2"
    device: str = DEVICE
    keep: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.sites:
            raise InputError("site", "has no value; at least one is needed")
        if self.start_between_s is not None:
            low, high = self.start_between_s
            if not 0 <= low <= high < math.inf:
                raise InputError("start-random", f"is {low:g}-{high:g} s; must rise from 0 or more")


def run_pages(
    patterns: Sequence[str | Path], plan: WebPlan, writer: Writer, on_progress: OnProgress = ignore
) -> list[WebRun]:
    """Run a plan over each pattern (a file or the name of a shipped one) and keep every run in ``writer``.

    Raises
    ------
    InputError
        If a pattern or a site cannot be used.
    MissingError
        If the machine lacks what it takes.
    MmwemuError
        If server or disk fail; runs so far are kept. A browser that breaks is a run that failed.
    """
    todo = [_drawn(run, plan) for run in repetitions(patterns, plan, plan.sites)]
    tools = find_tools()
    find_openssl()
    check_device(tools, plan.device)
    done: list[WebRun] = []
    first = todo[0].settings
    with _sites(plan.sites) as sites, open_testbed(first, writer.folder, plan.backend, plan.tc_mode) as testbed:
        hosts = [VirtualHost(site.hosts, folder) for site, folder in sites.values()]
        with serve(testbed, hosts) as server:
            testbed.set_congestion_control(plan.congestion_control)
            controls: dict[str, Load] = {}
            for run in todo:
                on_progress(Progress("web", run.number - 1, len(todo)))
                site = sites[run.case][0]
                visit = _visit(site, server, plan)
                if run.case not in controls:
                    controls[run.case] = load_control(testbed, tools, visit, plan.delay_s)
                kept = writer.folder / "pages" / f"{run.number:05}" if plan.keep else None
                outcome, columns, telemetry = replay(testbed, run, partial(load, testbed, tools, visit, kept))
                done.append(_row(plan, site, outcome, controls[run.case], columns))
                writer.add(done[-1], telemetry)
        on_progress(Progress("web", len(todo), len(todo)))
    return done


def load_control(testbed: Testbed, tools: Tools, visit: Visit, delay_s: float) -> Load:
    """Load a page over a link with the same delay and no limit of its rate: what this computer can do.

    The first of two loads, which also warms caches of files, is thrown away.
    """
    settings = LinkSettings(constant(math.inf, 1.0), delay_s=delay_s, start="now")
    testbed.start(settings)
    load(testbed, tools, visit)
    return load(testbed, tools, visit)


def is_cpu_bound(outcome: Load, control: Load) -> bool:
    """Say whether a load took hardly longer than the control load, so that the computer decided."""
    if outcome.status != "ok" or outcome.on_load_s is None or control.on_load_s is None:
        return False
    return outcome.on_load_s <= _CPU_BOUND_RATIO * control.on_load_s


def _drawn(run: Repetition[str], plan: WebPlan) -> Repetition[str]:
    if plan.start_between_s is None:
        return run
    start_at_s = round(random.Random(f"{plan.seed} {run.repetition}").uniform(*plan.start_between_s), 3)
    return replace(run, settings=replace(run.settings, start_at_s=start_at_s))


@contextmanager
def _sites(names: Sequence[str]) -> Iterator[dict[str, tuple[Site, Path]]]:
    """Give the sites by name as asked: copies that the server can read, for as long as the experiment lasts."""
    with tempfile.TemporaryDirectory(prefix="mmwemu-sites-") as root:
        found: dict[str, tuple[Site, Path]] = {}
        taken: dict[str, str] = {}
        for name in dict.fromkeys(names):
            folder = Path(root) / str(len(found))
            if name in PRESETS and not Path(name).is_dir():
                site = make_site(PRESETS[name], folder)
            else:
                site = check(Path(name))
                shutil.copytree(name, folder)
            for host in site.hosts:
                if host in taken:
                    raise InputError(name, f"has the host {host}, as {taken[host]} has; give one of them another name")
                taken[host] = name
            found[name] = (site, folder)
        yield found


def _visit(site: Site, server: Server, plan: WebPlan) -> Visit:
    key = server.certificates.public_key_sha256 if server.certificates else ""
    return Visit(site, key, plan.protocol, plan.device, plan.limit_s)


def _row(plan: WebPlan, site: Site, outcome: Load, control: Load, columns: dict[str, object]) -> WebRun:
    measured = asdict(outcome)
    del measured["frames"]
    row: Any = {
        "application": "web",
        "site": site.name,
        "objects": len(site.objects),
        "site_bytes": site.size_bytes,
        "protocol": plan.protocol,
        "device": plan.device,
        "congestion_control": plan.congestion_control,
        "limit_s": plan.limit_s,
        **columns,
        **measured,
        "control_on_load_s": control.on_load_s,
        "control_speed_index_s": control.speed_index_s,
        "cpu_bound": is_cpu_bound(outcome, control),
    }
    return WebRun(**row)
