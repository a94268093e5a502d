"""From a scenario to results: simulated, turned into patterns, run."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mmwemu.core.errors import InputError
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.link.profile import LinkProfile
from mmwemu.notebook.results import ResultsFolder, read_results

if TYPE_CHECKING:
    from mmwemu.apps.application import Application
    from mmwemu.pattern.model import Pattern
    from mmwemu.scenario.model import Rat, Scenario
    from mmwemu.testbed.testbed import Testbed
    from mmwemu.trace.model import Trace


def load_scenario(name_or_path: str | Path) -> Scenario:
    """Return a radio scenario, from a TOML file or by the name of a shipped one such as ``s1-long-nlos``.

    Raises
    ------
    InputError
        If there is no such scenario, or the file is malformed; the message names file and key.
    """
    from mmwemu.scenario import read

    return read.load(str(name_or_path))


def simulate_cell(scenario: Scenario | str, rat: Rat, seed: int = 1, on_progress: OnProgress = ignore) -> Trace:
    """Simulate a scenario's cell and return the trace of its user equipment.

    Parameters
    ----------
    scenario
        A scenario, or what `load_scenario` takes.
    rat
        ``mmwave`` or ``lte``.
    seed
        The same seed gives the same trace, bit by bit.
    on_progress
        Called with the progress.

    Raises
    ------
    InputError
        If the scenario cannot be simulated.
    MissingError
        If the simulator is not part of this installation.
    """
    from mmwemu.simulate.ns3 import Ns3Engine

    asked = load_scenario(scenario) if isinstance(scenario, str) else scenario
    return Ns3Engine().simulate(asked, rat, seed, on_progress)


def build_pattern(trace: Trace | Path, method: str = "segments", **parameters: float) -> Pattern:
    """Return the pattern that a trace makes.

    Parameters
    ----------
    trace
        A trace, or its Parquet file.
    method
        ``segments``: one step for each interval with or without line of sight, as in Hurtig 2019, section 4.3;
        ``window``: the mean of each window; ``quantile``: a quantile of its bins; ``changepoints``: the fewest steps
        within an error; ``phy``: the mean of each window of what the MAC could give.
    parameters
        Those of the method, such as ``window_s``; others have their default.

    Raises
    ------
    InputError
        If the trace cannot be read or lacks values, or the method has no such parameter.
    """
    from mmwemu.pattern.conversion import registry
    from mmwemu.pattern.convert import Conversion, convert
    from mmwemu.trace import parquet

    found = parquet.load(trace) if isinstance(trace, Path) else trace
    return convert(found, Conversion(registry.named(method, **parameters)))


def load_pattern(name_or_path: str | Path) -> Pattern:
    """Return a pattern, from a file or by the name of a shipped one such as ``s1-long-nlos.mmwave``.

    Raises
    ------
    InputError
        If there is no such pattern, or the file is malformed; the message names file, line and field.
    """
    from mmwemu.pattern import library

    return library.load(str(name_or_path))


@contextmanager
def open_link(
    pattern: Pattern | str | Path,
    profile: LinkProfile | str | None = None,
    *,
    clients: int = 1,
    start: Literal["now", "first-packet"] = "first-packet",
    congestion_control: str | None = None,
) -> Iterator[Testbed]:
    """Yield a testbed whose link replays a pattern; on leaving, everything that runs in it is killed.

    ``testbed.client.popen([...])`` and ``testbed.server.popen([...])`` start programs, which find each other by the
    variables ``MMWEMU_CLIENT`` and ``MMWEMU_SERVER``. ``testbed.telemetry()`` returns what the link did, a row for each
    10 ms and direction; ``testbed.check(testbed.telemetry())`` tells whether it did what the pattern says.

    Parameters
    ----------
    pattern
        A pattern, or what `load_pattern` takes.
    profile
        Delay, queue and AQM of the link: a `LinkProfile`, the name of a shipped one, or a TOML file; None for the
        default values.
    clients
        Number of clients that share the link: ``testbed.clients``.
    start
        The pattern's time starts now, or at the first packet that opens a connection or carries data.
    congestion_control
        TCP congestion control of all places; None leaves the kernel's.

    Raises
    ------
    InputError
        If pattern or profile cannot be used.
    MissingError
        If this machine lacks what a link needs; the message says how to get it.
    """
    from mmwemu.link.settings import LinkSettings
    from mmwemu.testbed.setup import Setup
    from mmwemu.testbed.testbed import open_testbed
    from mmwemu.testbed.topology import Topology

    asked = load_pattern(pattern) if isinstance(pattern, (str, Path)) else pattern
    settings = LinkSettings(asked, start=start, **_profile(profile).profile())
    with open_testbed(Setup(Topology(clients))) as testbed:
        if congestion_control:
            testbed.set_congestion_control(congestion_control)
        testbed.start(settings)
        yield testbed


def run(
    application: Application[Any],
    patterns: Pattern | str | Path | Sequence[Pattern | str | Path] | Mapping[str, Pattern],
    folder: str | Path | None = None,
    *,
    profile: LinkProfile | str | None = None,
    repetitions: int = 1,
    on_progress: OnProgress = ignore,
    **plan: Any,
) -> ResultsFolder:
    """Run an application over patterns and return the results, which are kept in a folder with figures in ``plots/``.

    Parameters
    ----------
    application
        `Downloads`, `Flows`, `Pages`, `Streams`, `Command`, or one of another package.
    patterns
        Patterns, or what `load_pattern` takes; a mapping gives patterns their names in the results.
    folder
        Results folder to make; None for ``results/<UTC>-<application>``.
    profile
        As for `open_link`.
    repetitions
        Runs of each case over each pattern.
    on_progress
        Called with the progress.
    plan
        Further fields of `mmwemu.study.plan.ReplayPlan`, such as ``congestion_control="bbr"`` or ``clients=3``.

    Raises
    ------
    InputError
        If a pattern or what is asked of the application cannot be used, or the folder exists.
    MissingError
        If the machine lacks what it takes.
    MmwemuError
        If server, link or disk fail; the runs so far are kept.
    """
    from mmwemu.apps import registry
    from mmwemu.study.conduct import conduct
    from mmwemu.study.plan import ReplayPlan

    is_registered = application.name in registry.names()
    done = conduct(
        application,
        lambda results: _pattern_files(patterns, results / "patterns"),
        ReplayPlan(**_profile(profile).profile(), repetitions=repetitions, **plan),
        None if folder is None else Path(folder),
        sys.argv,
        summarize=registry.load(application.name).summarize if is_registered else None,
        on_progress=on_progress,
    )
    return read_results(done.folder)


def _profile(profile: LinkProfile | str | None) -> LinkProfile:
    if profile is None or isinstance(profile, LinkProfile):
        return profile or LinkProfile()
    from mmwemu.link import profile_files

    return profile_files.load(profile).profile


def _pattern_files(
    patterns: Pattern | str | Path | Sequence[Pattern | str | Path] | Mapping[str, Pattern], folder: Path
) -> list[str | Path]:
    """Return names or files of patterns; those that are values are written into a folder."""
    from mmwemu.pattern.formats import native
    from mmwemu.pattern.model import Pattern

    if isinstance(patterns, Mapping):
        named: list[tuple[str, Pattern | str | Path]] = list(patterns.items())
    else:
        several = [patterns] if isinstance(patterns, (Pattern, str, Path)) else list(patterns)
        named = [(_name_of(one, i), one) for i, one in enumerate(several, 1)]
    files: list[str | Path] = []
    for name, one in named:
        if not isinstance(one, Pattern):
            files.append(one)
            continue
        folder.mkdir(exist_ok=True)
        file = folder / f"{name}.csv"
        if file in files:
            raise InputError(f"pattern {name}", "stands twice; give patterns names: {'near': ..., 'far': ...}")
        native.save(one, file)
        files.append(file)
    return files


def _name_of(pattern: Pattern | str | Path, number: int) -> str:
    if isinstance(pattern, (str, Path)):
        return Path(pattern).stem
    words = [str(pattern.meta[key]) for key in ("scenario", "rat") if key in pattern.meta]
    return ".".join(words) or f"pattern-{number}"
