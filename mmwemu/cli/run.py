"""mmwemu run: a verb for each registered application, and mix for several at once."""

from __future__ import annotations

import sys
from typing import Any

import click
import cloup

from mmwemu.apps import registry
from mmwemu.apps.application import ApplicationType
from mmwemu.cli.application_options import own_parameters, parameters_of
from mmwemu.cli.link_options import warnings_of
from mmwemu.cli.output import progress, warn
from mmwemu.cli.replay_options import replay_options, replay_plan
from mmwemu.cli.results_output import conclude
from mmwemu.core.errors import InputError
from mmwemu.core.text import printable

_MIX = "mix"
_SUMMARY = (
    click.option(
        "--average", type=click.Choice(["mean", "median"]), default="mean", show_default=True,
        help="What tables show with its interval.",
    ),
    click.option(
        "--exclude-cpu-bound", is_flag=True,
        help="Leave runs out of the averages in which the computer held up the programs.",
    ),
)  # fmt: skip


class _Applications(click.Group):
    """Verbs that are loaded when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*registry.names(), _MIX]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name == _MIX:
            from mmwemu.cli.run_mix import command as mix

            return mix
        if cmd_name not in registry.names():
            return None
        return verb_of(cmd_name, registry.load(cmd_name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Applications"):
            formatter.write_dl([(printable(name), printable(_help_of(name))) for name in registry.names()])
        with formatter.section("Several at once"):
            formatter.write_dl([(_MIX, "Run several applications at once over patterns.")])


def _help_of(name: str) -> str:
    """Return the line of an application, or why it cannot be used; the others work all the same."""
    try:
        return registry.load(name).help.partition("\n")[0]
    except InputError as error:
        return f"cannot be used: {error.problem}"


@click.group("run", cls=_Applications)
def command() -> None:
    """Run real applications over patterns and keep the results."""


def verb_of(name: str, application: ApplicationType) -> click.Command:
    """Make the verb of an application."""

    def run(**options: Any) -> int:
        from mmwemu.study.conduct import conduct

        patterns, output, as_json = (options.pop(key) for key in ("patterns", "output", "as_json"))
        counting = {key: options.pop(key) for key in ("average", "exclude_cpu_bound")}
        plan = replay_plan(options)
        asked = application.create(**options)
        for warning in warnings_of(plan.setup, patterns):
            warn(warning)
        with progress() as on_progress:
            found = conduct(
                asked, patterns, plan, output, sys.argv,
                summarize=application.summarize, on_progress=on_progress, **counting,
            )  # fmt: skip
        return conclude(found, as_json=as_json)

    parameters = own_parameters(name, application)
    parameters += parameters_of(replay_options(application.repetitions), *_SUMMARY)
    return cloup.Command(name, params=parameters, callback=run, help=application.help)
