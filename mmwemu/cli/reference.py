"""The reference page of the command line, made from the verbs' own help: python -m mmwemu.cli.reference."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from mmwemu.cli.verbs import HELP_OPTIONS, cli

_WIDTH = 100


def page() -> str:
    """Return docs/reference/cli.md."""
    parts = ["# Command line\n\nMade by `python -m mmwemu.cli.reference`; a test keeps it true.\n"]
    parts += [
        "Exit codes: 0 done; 1 the run failed; 2 bad input or usage; 3 a tool, privilege or kernel feature is missing; "
        "4 ran, but the link missed its tolerance, or a check is inconclusive; 130, 143 and 129 after Ctrl-C, SIGTERM "
        "and SIGHUP. `mmwemu link` ends with its command's own code, or 124 at `--limit-s`; "
        "[how a command ends](../explanation/endings.md).\n"
    ]
    root = click.Context(
        cli, info_name="mmwemu", max_content_width=_WIDTH, terminal_width=_WIDTH, help_option_names=HELP_OPTIONS
    )
    for path, text in _helps(cli, root):
        parts.append(f"## {path}\n\n```text\n{text.rstrip()}\n```\n")
    return "\n".join(parts)


def _helps(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None:
                yield from _helps(child, child.context_class(child, parent=context, info_name=name))


if __name__ == "__main__":
    sys.stdout.write(page())
