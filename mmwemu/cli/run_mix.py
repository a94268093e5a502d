"""mmwemu run mix."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click
import cloup

from mmwemu.apps import registry
from mmwemu.cli.application_options import own_parameters
from mmwemu.cli.output import progress
from mmwemu.cli.replay_options import replay_options, replay_plan
from mmwemu.cli.results_output import conclude, results_folder

if TYPE_CHECKING:
    from mmwemu.report.summary import Table
    from mmwemu.results.records import Run
    from mmwemu.study.experiment import Part


class _Application(click.ParamType["Part"]):
    """An application with the options of its own verb, such as "web --site cnn --at 2"."""

    name = "'verb options'"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Part:
        """Return the application and when it starts."""
        words = shlex.split(str(value))
        if not words or words[0] not in registry.names():
            self.fail(f"{value!r} starts with none of {', '.join(registry.names())}", param, ctx)
        part: Part = _parser(words[0]).main(words[1:], prog_name=f"mmwemu run {words[0]}", standalone_mode=False)
        return part


def _parser(name: str) -> click.Command:
    """Make a command that reads the options of an application and runs nothing."""
    application = registry.load(name)

    def parse(offset_s: float, **asked: Any) -> Part:
        from mmwemu.study.experiment import Part

        return Part(application.create(**asked), offset_s)

    at = click.Option(["--at", "offset_s"], type=click.FloatRange(min=0), default=0.0)
    return click.Command(name, params=[*own_parameters(name, application), at], callback=parse, add_help_option=False)


@cloup.command("mix")
@cloup.option_group(
    "Mix",
    cloup.option("--app", "parts", type=_Application(), multiple=True, required=True,
                 help="An application with the options of its own verb, and --at, when it starts, s; "
                      "may be given more than once."),
)  # fmt: skip
@replay_options(repetitions=1)
def command(parts: tuple[Part, ...], patterns: tuple[str, ...], output: Any, *, as_json: bool, **options: Any) -> int:
    """Run several applications at once over patterns: a page load while a download runs.

    \b
    mmwemu run mix --pattern s1-long-nlos.mmwave --app "download --size 500MB" --app "web --site cnn --at 2"
    """
    from mmwemu.report.mix_figures import plot_mix
    from mmwemu.report.summary import Summary
    from mmwemu.study.experiment import run_together

    plan = replay_plan(options)
    asked = [{"name": part.application.name, **asdict(part)} for part in parts]
    with results_folder("mix", output, patterns, plan, {"applications": asked}) as (writer, folder):
        with progress() as on_progress:
            runs = run_together(patterns, plan, parts, writer, on_progress)
        for number in range(1, runs[-1].replay + 1):
            group = [run for run in runs if run.replay == number]
            plot = writer.folder / "plots" / f"mix-{number}.png"
            plot_mix(writer.tables(group[0].run)["link"], group, plot, group[0].pattern)
    return conclude(folder, runs, Summary(tables=[_table(runs)]), as_json=as_json)


def _table(runs: Sequence[Run]) -> Table:
    from mmwemu.report.summary import Table

    rows = []
    for run in runs:
        status = run.status if run.valid else f"{run.status}, not valid"
        times = (f"{run.offset_s:g}", f"{run.duration_s:.2f}")
        rows.append((run.pattern, run.replay, run.application, *times, run.headline or "-", status))
    return Table(("pattern", "replay", "application", "from [s]", "took [s]", "came to", ""), rows, (1, 3, 4))
