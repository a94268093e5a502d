"""The entry point: finds the verb, turns errors into one line and an exit code."""

from __future__ import annotations

import errno
import importlib
import logging
import sys
from typing import Any

import click

from mmwemu.cli.output import say, warn
from mmwemu.core.errors import MmwemuError

# Verb: module of this package, what it does. Modules are imported only when their verb is used.
_VERBS = {
    "doctor": ("doctor", "Show what this machine can do and how to mend what it cannot."),
    "demo": ("demo", "Run the main job: simulate s1, make patterns, download over both RATs, draw."),
    "scenario": ("scenario", "List, show, check and draw radio scenarios."),
    "simulate": ("simulate", "Simulate a scenario's mmWave or LTE cell; writes a trace."),
    "pattern": ("pattern", "Make, show, check, draw and convert patterns."),
    "link": ("link", "Run any command behind a pattern, on one client or several."),
    "run": ("run", "Run real applications over patterns and keep the results."),
    "site": ("site", "Make, record and check web sites for run web."),
    "web": ("web", "Set up what web pages and films need."),
    "clean": ("clean", "Remove what an earlier crash may have left."),
}
_INTERRUPTED = 130
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


def main(argv: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code: 0 done, 1 failed, 2 usage, 3 missing, 4 not valid, 130."""
    sys.exit(_code(argv))


def _code(argv: list[str] | None) -> int:
    try:
        result: Any = cli.main(args=argv, prog_name="mmwemu", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except MmwemuError as error:
        return _complain(str(error), error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        hint = f" (see {context.command_path} --help)" if context is not None else ""
        return _complain(error.format_message().replace("\n", " ") + hint, error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return _complain("interrupted", _INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EMFILE):
            raise
        place = f"{error.filename}: " if error.filename else ""
        return _complain(f"{place}{error.strerror}", 1)


def _complain(message: str, code: int) -> int:
    warn(message)
    return code
