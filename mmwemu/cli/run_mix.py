"""mmwemu run mix."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
import cloup

from mmwemu.apps import registry
from mmwemu.apps.option_types import Seconds
from mmwemu.cli.application_options import own_parameters
from mmwemu.cli.link_options import warnings_of
from mmwemu.cli.output import progress, warn
from mmwemu.cli.replay_options import replay_options, replay_plan
from mmwemu.cli.results_output import conclude
from mmwemu.core import process

if TYPE_CHECKING:
    from mmwemu.study.planned import Part


class _Application(click.ParamType["Part"]):
    """An application with the options of its own verb, such as "web --site cnn --at 2"."""

    name = "'verb options'"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Part:
        """Return the application and when it starts."""
        words = process.split(str(value), "--app")
        if words[0] not in registry.names():
            self.fail(f"{value!r} starts with none of {', '.join(registry.names())}", param, ctx)
        part: Part = _parser(words[0]).main(words[1:], prog_name=f"mmwemu run {words[0]}", standalone_mode=False)
        return part


def _parser(name: str) -> click.Command:
    """Make a command that reads the options of an application and runs nothing."""
    application = registry.load(name)

    def parse(offset_s: float, **asked: Any) -> Part:
        from mmwemu.study.planned import Part

        return Part(application.create(**asked), offset_s)

    at = click.Option(["--at", "offset_s"], type=Seconds(), default=0.0)
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
    from mmwemu.study.conduct import conduct_mix

    plan = replay_plan(options)
    for warning in warnings_of(plan.setup, patterns):
        warn(warning)
    with progress() as on_progress:
        found = conduct_mix(parts, patterns, plan, output, sys.argv, on_progress=on_progress)
    return conclude(found, as_json=as_json)
