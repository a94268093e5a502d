"""Registration of downloads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.apps.application import ApplicationType
from mmwemu.apps.option_types import Seconds, Several, Size

if TYPE_CHECKING:
    from mmwemu.apps.download.application import Downloads
    from mmwemu.apps.explained import Explained
    from mmwemu.core.requirements import Requirement
    from mmwemu.report.summary import Results, Summary
    from mmwemu.report.view import View

OPTIONS = (
    click.option("--protocol", "protocols", type=Several(click.Choice(["http", "h3"])), default="http",
                 show_default=True,
                 help="HTTP/1.1 without TLS by curl from nginx, HTTP/3 by the programs of ngtcp2, or both: http,h3."),
    click.option("--size", "sizes_bytes", type=Size(), multiple=True, default=("2MB", "20MB"), show_default=True,
                 help="File size; may be given more than once."),
    click.option("--fill", type=click.Choice(["sparse", "random"]), default="sparse", show_default=True,
                 help="Content of the files."),
    click.option("--limit-s", type=Seconds(above=0), default=40.0, show_default=True,
                 help="Limit of a download; a download that reaches it is a result."),
)  # fmt: skip


def create(**asked: Any) -> Downloads:
    """Return the downloads that the options describe."""
    from mmwemu.apps.download.application import Downloads

    return Downloads(**asked)


def summarize(results: Results, plots: Path) -> Summary:
    """Draw the figure and return the summary of goodput."""
    from mmwemu.apps.download.summary import summarize

    return summarize(results, plots)


def requirements() -> list[Requirement]:
    """Return the requirements of downloads: server and client."""
    from mmwemu.apps.shared.quic import ngtcp2
    from mmwemu.core.requirements import tool

    return [
        tool("nginx", "run download, web and stream, demo", "nginx-light", "-v", required=True),
        tool("curl", "run download, demo", "curl", required=True),
        *ngtcp2.examine("run download --protocol h3"),
    ]


def view() -> View:
    """Return how the report page shows the runs."""
    from mmwemu.apps.download.view import VIEW

    return VIEW


def explained() -> Explained:
    """Return how runs are explained."""
    from mmwemu.apps.download.explained import EXPLAINED

    return EXPLAINED


APPLICATION = ApplicationType(
    "Download files over patterns, as in the first experiment of Hurtig 2019.",
    OPTIONS, create, summarize, requirements, view=view, explained=explained,
)  # fmt: skip
