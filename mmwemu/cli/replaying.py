"""What the verbs that run applications over patterns share."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.cli.linking import link_kind, link_options, warn_of_cost, warn_of_rate
from mmwemu.cli.output import json_option, print_json, progress, warn
from mmwemu.cli.types import Span
from mmwemu.core.errors import InvalidRunError, MmwemuError

if TYPE_CHECKING:
    from mmwemu.apps.application import Application
    from mmwemu.results.records import Run
    from mmwemu.results.store import Writer
    from mmwemu.study.experiment import Part
    from mmwemu.study.replay import ReplayPlan


def repetition_options(repetitions: int) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """Add the options of verbs that repeat runs and keep results: the link's, and how often and where to."""

    def add(function: click.decorators.FC) -> click.decorators.FC:
        for option in (
            json_option,
            click.option("-o", "--output", type=click.Path(path_type=Path),
                         help="Results folder.  [default: results/UTC-NAME]"),
            link_options,
            click.option("--cc", "congestion_control", default="cubic", show_default=True,
                         help="TCP congestion control of both ends."),
            click.option("--repetitions", "-n", type=click.IntRange(min=1), default=repetitions, show_default=True,
                         help="Runs of each case over each pattern."),
        ):  # fmt: skip
            function = option(function)
        return function

    return add


def replay_options(repetitions: int) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Add the options of verbs that run applications over patterns; the function gets them as one `Replaying`."""

    def add(function: Callable[..., int]) -> Callable[..., int]:
        @functools.wraps(function)
        def wrapper(**options: Any) -> int:
            return function(replaying=Replaying.take(options), **options)

        changed: Callable[..., int] = repetition_options(repetitions)(wrapper)
        for option in (
            click.option("--packets", type=click.Choice(["parquet", "pcapng"]), multiple=True,
                         help="Write down each packet of each replay; 50 bytes a packet (parquet) or 180 (pcapng); "
                              "may be given twice."),
            click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True,
                         help="Seed of random starts and of random loss."),
            click.option("--start-random", "start_between_s", type=Span(),
                         help="Draw the start of each repetition from this span instead, s; the study's is 0-20."),
            click.option("--start-at", "starts_at_s", type=click.FloatRange(min=0), multiple=True, default=(0.0,),
                         show_default=True, help="Time in the pattern to start at, s; may be given more than once."),
            click.option("--pattern", "patterns", multiple=True, required=True,
                         help="Pattern file or shipped pattern; may be given more than once."),
        ):  # fmt: skip
            changed = option(changed)
        return changed

    return add


@dataclass(frozen=True)
class Replaying:
    """The options of `replay_options`, read."""

    patterns: tuple[str, ...]
    plan: ReplayPlan
    output: Path | None
    as_json: bool

    @classmethod
    def take(cls, options: dict[str, Any]) -> Replaying:
        """Take them out of what click gave."""
        from mmwemu.study.replay import ReplayPlan

        names = ("repetitions", "starts_at_s", "start_between_s", "congestion_control", "seed", "backend", "tc_mode",
                 "packets")  # fmt: skip
        plan = ReplayPlan(**link_kind(options), **{name: options.pop(name) for name in names})
        return cls(options.pop("patterns"), plan, options.pop("output"), options.pop("as_json"))

    @contextmanager
    def results(self, name: str, asked: Mapping[str, Any]) -> Iterator[tuple[Writer, Path]]:
        """Give the results folder of an experiment while it is filled, and the folder's name afterwards."""
        from mmwemu.results import store

        warn_of_cost(self.plan.tc_mode)
        warn_of_rate(self.patterns, self.plan.backend)
        output = self.output or store.default_path(Path("results"), name)
        everything = {"patterns": list(self.patterns), **asdict(self.plan), **asked}
        with store.create(store.Experiment(name, sys.argv, everything), output) as writer:
            (writer.folder / "plots").mkdir()
            yield writer, output

    def run(self, application: Application[Any], writer: Writer) -> list[Any]:
        """Run an application."""
        from mmwemu.study.experiment import run_application

        with progress() as on_progress:
            return run_application(self.patterns, self.plan, application, writer, on_progress)

    def run_together(self, parts: Sequence[Part], writer: Writer) -> list[Run]:
        """Run several applications at once."""
        from mmwemu.study.experiment import run_together

        with progress() as on_progress:
            return run_together(self.patterns, self.plan, parts, writer, on_progress)

    def conclude(self, folder: Path, runs: Sequence[Run], summary: Mapping[str, Any], show: Callable[[], None]) -> int:
        """Print what came out, as JSON or by ``show``, and give the exit code."""
        if self.as_json:
            print_json({"folder": folder, **summary, "runs": [asdict(run) for run in runs]})
        else:
            show()
            click.echo(f"results: {folder}")
        return exit_code(runs)


def exit_code(runs: Sequence[Run]) -> int:
    """Give 1 if a run failed, 4 if the link was not valid in one, else 0; and say so."""
    invalid = [run.invalid_because for run in runs if not run.valid]
    if invalid:
        warn(f"the link was not valid in {len(invalid)} of {len(runs)} runs: {invalid[0]}")
    failed = [run.error for run in runs if run.status == "failed"]
    if failed:
        warn(f"{len(failed)} of {len(runs)} runs failed: {failed[0]}")
        return MmwemuError.exit_code
    return InvalidRunError.exit_code if invalid else 0
