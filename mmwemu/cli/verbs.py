"""The verbs; a verb's module is imported when the verb is used."""

from __future__ import annotations

import importlib
import logging

import click

from mmwemu.cli.output import say

# Verb: module of this package, what it does.
_VERBS = {
    "doctor": ("doctor", "Show what this machine can do and how to mend what it cannot."),
    "demo": ("demo", "Run the main job: simulate s1, make patterns, download over both RATs, draw."),
    "scenario": ("scenario", "List, show, check and draw radio scenarios."),
    "rays": ("rays", "Trace or import the paths along a route, for simulate --rays."),
    "simulate": ("simulate", "Simulate a scenario's mmWave or LTE cell; writes a trace."),
    "trace": ("trace", "Show, draw, compare and import traces of cells."),
    "pattern": ("pattern", "Make, show, check, draw and convert patterns."),
    "fidelity": ("fidelity", "Compare what comes through a link with the simulation that its pattern is from."),
    "link": ("link", "Run any command behind a pattern, on one client or several."),
    "run": ("run", "Run real applications over patterns and keep the results."),
    "study": ("study", "Run many experiments as one study, which a file describes; resume it, show how far it is."),
    "check": ("check", "Judge thresholds on what applications experience, for continuous integration."),
    "budget": ("budget", "Judge budgets of a page or film over mmWave and LTE, without a study file."),
    "results": ("results", "List, show, ask, compare, merge and export kept results."),
    "report": ("report", "Make one page of results for a browser: findings, figures, runs, provenance."),
    "explain": ("explain", "Tell where the time of a download or page load went."),
    "reproduce": ("reproduce", "Reproduce a paper, from its simulations to its claims."),
    "model": ("model", "Closed forms that measurements are held against: slow start."),
    "site": ("site", "Make, record and check web sites for run web."),
    "web": ("web", "Set up what web pages and films need."),
    "completion": ("completion", "Print the script by which bash, zsh or fish completes the command line."),
    "clean": ("clean", "Remove what an earlier crash may have left."),
}
HELP_OPTIONS = ["-h", "--help"]


class _Verbs(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _VERBS:
            return None
        command: click.Command = importlib.import_module(f"mmwemu.cli.{_VERBS[cmd_name][0]}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl([(name, text) for name, (_, text) in _VERBS.items()])


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from mmwemu.core import provenance

        say(f"mmwemu {provenance.version()}")
        ctx.exit()


@click.group(cls=_Verbs, context_settings={"help_option_names": HELP_OPTIONS})
@click.option("-v", "--verbose", is_flag=True, help="Log every program started, as typed, on stderr.")
@click.option(
    "--version", is_flag=True, callback=_print_version, expose_value=False, is_eager=True, help="Show version."
)
def cli(verbose: bool) -> None:
    """What does a 5G mmWave link do to my application?

    From a radio scenario to a trace, a pattern, a link, and a real application's experience.
    """
    if verbose:
        logging.basicConfig(level=logging.DEBUG, format="%(name)s: %(message)s")
