"""mmwemu run mix."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from mmwemu.cli import run_download, run_flow, run_stream, run_web
from mmwemu.cli.output import print_table
from mmwemu.cli.replaying import Replaying, replay_options
from mmwemu.core.units import mbps

if TYPE_CHECKING:
    from mmwemu.results.records import Run
    from mmwemu.study.experiment import Part

_APPLICATIONS = {"download": run_download, "flow": run_flow, "stream": run_stream, "web": run_web}


class Application(click.ParamType["Part"]):
    """An application as its own verb takes it, such as "web --site cnn --at 2"."""

    name = "'verb options'"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Part:
        """Give the application and when it starts."""
        words = shlex.split(str(value))
        if not words or words[0] not in _APPLICATIONS:
            self.fail(f"{value!r} starts with none of {', '.join(_APPLICATIONS)}", param, ctx)
        part: Part = _parser(words[0]).main(words[1:], prog_name=f"mmwemu run {words[0]}", standalone_mode=False)
        return part


def _parser(name: str) -> click.Command:
    """Make a command that reads the options of an application and runs nothing."""

    def parse(offset_s: float, **asked: Any) -> Part:
        from mmwemu.study.experiment import Part

        return Part(_APPLICATIONS[name].application(**asked), offset_s)

    at = click.option("--at", "offset_s", type=click.FloatRange(min=0), default=0.0)
    return click.command(name, add_help_option=False)(_APPLICATIONS[name].options(at(parse)))


@click.command("mix")
@click.option("--app", "parts", type=Application(), multiple=True, required=True,
              help="An application with the options of its own verb, and --at, when it starts, s; "
                   "may be given more than once.")  # fmt: skip
@replay_options(repetitions=1)
def command(replaying: Replaying, parts: tuple[Part, ...]) -> int:
    """Run several applications at once over patterns: a page load while a download runs.

    \b
    mmwemu run mix --pattern s1-long-nlos.mmwave --app "download --size 500MB" --app "web --site cnn --at 2"
    """
    from mmwemu.report.mix_figures import plot_mix

    asked = [{"name": part.application.name, **asdict(part)} for part in parts]
    with replaying.results("mix", {"applications": asked}) as (writer, folder):
        runs = replaying.run_together(parts, writer)
        for number in range(1, runs[-1].replay + 1):
            group = [run for run in runs if run.replay == number]
            plot = writer.folder / "plots" / f"mix-{number}.png"
            plot_mix(writer.tables(group[0].run)["link"], group, plot, group[0].pattern)
    return replaying.conclude(folder, runs, {}, lambda: _print_runs(runs))


def _print_runs(runs: Sequence[Run]) -> None:
    rows = []
    for run in runs:
        status = run.status if run.valid else f"{run.status}, not valid"
        times = (f"{run.offset_s:g}", f"{run.duration_s:.2f}")
        rows.append((run.pattern, run.replay, run.application, *times, _finding(run), status))
    header = ("pattern", "replay", "application", "from [s]", "took [s]", "came to", "")
    print_table(header, rows, right=(1, 3, 4))


def _finding(run: Run) -> str:
    """Give the one value that says most of a run."""
    names = ("goodput_bps", "speed_index_s", "bitrate_mean_bps")
    goodput_bps, speed_index_s, bitrate_bps = (getattr(run, name, None) for name in names)
    if goodput_bps is not None:
        return f"{mbps(goodput_bps):.1f} Mbit/s"
    if bitrate_bps is not None:
        return f"{mbps(bitrate_bps):.1f} Mbit/s of video"
    return f"Speed Index {speed_index_s:.2f} s" if speed_index_s is not None else "-"
