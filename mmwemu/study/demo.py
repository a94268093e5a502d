"""The main job in one call: a scenario simulated for both RATs, turned into patterns, downloads over both, a page."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any, get_args

from mmwemu.apps.application import Application
from mmwemu.apps.download.application import Downloads
from mmwemu.apps.download.summary import goodput_groups, plot_goodput
from mmwemu.core import figure
from mmwemu.core.errors import MmwemuError
from mmwemu.core.progress import OnProgress, Progress, ignore
from mmwemu.pattern import convert
from mmwemu.pattern.formats import native
from mmwemu.report import figures
from mmwemu.report.page.render import save
from mmwemu.report.summary import Group, Results
from mmwemu.results import store
from mmwemu.results.collection import open_folder
from mmwemu.results.records import Run
from mmwemu.scenario import draw, read
from mmwemu.scenario.model import Rat, Scenario
from mmwemu.simulate.ns3 import Ns3Engine
from mmwemu.study.conduct import conduct
from mmwemu.study.experiment import run_application
from mmwemu.study.plan import ReplayPlan
from mmwemu.study.reporting.page import make_page
from mmwemu.testbed.testbed import open_testbed
from mmwemu.trace import parquet
from mmwemu.trace.model import Trace

RATS: tuple[Rat, ...] = get_args(Rat)
_RETRIES = 2


@dataclass(frozen=True)
class Demo:
    """The outcome of the main job, and where it is kept; ``folders`` are all results folders, the downloads' first."""

    folder: Path
    goodput: list[Group]
    plots: list[Path]
    runs: list[Run]
    folders: list[Path]
    page: Path


def run_demo(
    scenario_name: str,
    plan: ReplayPlan,
    downloads: Downloads,
    folder: Path,
    command: Sequence[str],
    more: Sequence[Application[Any]] = (),
    on_progress: OnProgress = ignore,
) -> Demo:
    """Simulate, convert, download, draw; everything goes into the results folder ``folder``, a report page too.

    The plan's seed is that of the simulations too. ``more`` are further applications, each run once over both patterns
    with a results folder of its own beside.

    Raises
    ------
    MmwemuError
        As the parts raise it; what was made so far stays in the in-progress folder.
    """
    scenario = read.load(scenario_name)
    with open_testbed(plan.setup):  # what it lacks is told before the simulations
        pass
    asked = {"scenario": scenario.name, **asdict(plan), **asdict(downloads)}
    with store.create(store.Experiment("demo", list(command), asked), folder) as writer:
        traces = simulate_both(scenario, plan.seed, on_progress)
        files = []
        for rat, trace in traces.items():
            parquet.save(trace, writer.folder / f"{rat}.trace.parquet")
            files.append(writer.folder / f"{scenario.name}.{rat}.csv")
            native.save(convert.convert(trace, convert.Conversion()), files[-1])
        runs: list[Run] = run_application(files, plan, downloads, writer, on_progress, _RETRIES)
        goodput = goodput_groups(Results(store.to_frame(runs), writer.tables))
        plots = [path.name for path in _draw(scenario, traces, files, goodput, writer.folder, on_progress)]
    folders = [folder]
    patterns = [folder / file.name for file in files]
    for application in more:
        folders.append(folder.with_name(f"{folder.name}-{application.name}"))
        once = replace(plan, repetitions=1)
        runs += conduct(
            application, patterns, once, folders[-1], command, retries=_RETRIES, on_progress=on_progress
        ).runs
    page = folder / "report.html"
    save(make_page([open_folder(each) for each in folders], command, on_progress=on_progress), page)
    return Demo(folder, goodput, [folder / "plots" / name for name in plots], runs, folders, page)


def simulate_both(scenario: Scenario, seed: int, on_progress: OnProgress = ignore) -> dict[Rat, Trace]:
    """Simulate a scenario for each RAT, side by side since each takes one core; when one ends badly, all end."""
    stop = Event()

    def one(rat: Rat) -> Trace:
        def tell(event: Progress) -> None:
            if stop.is_set():
                raise MmwemuError(f"the simulation of {rat} was stopped")
            on_progress(Progress(f"simulate {rat}", event.done, event.total))

        return Ns3Engine().simulate(scenario, rat, seed, tell)

    with ThreadPoolExecutor(len(RATS)) as pool:
        try:
            return dict(zip(RATS, pool.map(one, RATS), strict=True))
        except BaseException:
            stop.set()
            raise


def _draw(
    scenario: Scenario,
    traces: dict[Rat, Trace],
    files: Sequence[Path],
    goodput: Sequence[Group],
    folder: Path,
    on_progress: OnProgress,
) -> list[Path]:
    plots = folder / "plots"
    plots.mkdir()
    made = [plots / "map.png"]
    on_progress(Progress("draw", 0, 1))
    draw.plot(scenario, made[0])
    for rat, trace in traces.items():
        made.append(plots / f"trace-{rat}.png")
        figures.plot_trace(trace, made[-1], f"{scenario.title}: {figure.RAT_LABELS[rat]}")
    made += [plots / "patterns.png", plots / "goodput.png"]
    patterns = {rat: native.load(file) for rat, file in zip(traces, files, strict=True)}
    figures.plot_patterns(patterns, made[-2], f"Patterns of {scenario.name}")
    plot_goodput(goodput, made[-1], f"Downloads over {scenario.name}, mean and each run")
    on_progress(Progress("draw", 1, 1))
    return made
