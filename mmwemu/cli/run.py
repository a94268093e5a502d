"""mmwemu run."""

from __future__ import annotations

import click

from mmwemu.cli import run_download, run_flow, run_mix, run_stream, run_web


@click.group("run")
def command() -> None:
    """Run real applications over patterns and keep the results."""


for verb in (run_download, run_flow, run_stream, run_web, run_mix):
    command.add_command(verb.command)
