"""mmwemu web."""

from __future__ import annotations

import click


@click.group("web")
def command() -> None:
    """Set up what loading web pages takes."""


@command.command("setup")
def setup() -> None:
    """Install the JavaScript modules that drive the browser, by npm, for this user; never a browser."""
    from mmwemu.apps.web import modules

    click.echo(f"modules: {modules.install()}")
    tools = modules.find_tools()
    click.echo(f"browser: {tools.browser}")
