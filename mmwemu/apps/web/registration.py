"""Registration of page loads."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.apps.application import ApplicationType
from mmwemu.apps.option_types import FileOrName, Seconds, Text

if TYPE_CHECKING:
    from mmwemu.apps.web.application import Pages
    from mmwemu.core.requirements import Requirement
    from mmwemu.report.summary import Results, Summary
    from mmwemu.report.view import View

OPTIONS = (
    click.option("--site", "sites", type=FileOrName(), multiple=True, required=True,
                 help="Folder of a site or a saved page, or google, amazon, tripadvisor, huffpost or cnn; "
                      "may be given more than once."),
    click.option("--protocol", type=click.Choice(["http", "h1", "h2", "h3"]), default="h2", show_default=True,
                 help="HTTP/1.1 without TLS, HTTP/1.1 or HTTP/2 with TLS, HTTP/3 from caddy (experimental)."),
    click.option("--device", type=Text(), default="iPhone X", show_default=True,
                 help="A device of Puppeteer's list, or desktop."),
    click.option("--limit-s", type=Seconds(above=0), default=40.0, show_default=True,
                 help="Limit of a load; a load that reaches it is a result."),
    click.option("--keep", is_flag=True, help="Keep film strip, HAR and browser trace of every load."),
    click.option("--control", type=click.Choice(["recent", "each"]), default="recent", show_default=True,
                 help="Control load at unlimited rate to compare with: at most 2 minutes old, or before each load."),
)  # fmt: skip


def create(**asked: Any) -> Pages:
    """Return the page loads that the options describe."""
    from mmwemu.apps.web.application import Pages

    return Pages(**asked)


def summarize(results: Results, plots: Path) -> Summary:
    """Draw the figures and return the summary of the runs."""
    from mmwemu.apps.web.summary import summarize

    return summarize(results, plots)


def requirements() -> list[Requirement]:
    """Return the requirements of page loads."""
    from mmwemu.apps.shared.browser.requirements import examine
    from mmwemu.core.requirements import requirement, tool

    # mitmproxy takes seconds to print its version.
    mitmproxy = requirement("mitmproxy", "site record", shutil.which("mitmdump"), "pipx install mitmproxy")
    return [
        *examine(),
        tool("openssl", "run web", "openssl", "version"),
        tool("caddy", "run web --protocol h3", "caddy", "version"),
        mitmproxy,
    ]


def view() -> View:
    """Return how the report page shows the runs."""
    from mmwemu.apps.web.view import VIEW

    return VIEW


APPLICATION = ApplicationType(
    "Load web pages in a headless browser over patterns, as in the web experiment of Hurtig 2019.",
    OPTIONS, create, summarize, requirements, view=view,
)  # fmt: skip
