"""Registration of downloads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.apps.application import ApplicationType
from mmwemu.apps.option_types import Seconds, Size

if TYPE_CHECKING:
    from mmwemu.apps.download.application import Downloads
    from mmwemu.core.requirements import Requirement
    from mmwemu.report.summary import Results, Summary
    from mmwemu.report.view import View

OPTIONS = (
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
    from mmwemu.core.requirements import tool

    return [
        tool("nginx", "run download, web and stream, demo", "nginx-light", "-v", required=True),
        tool("curl", "run download, demo", "curl", required=True),
    ]


def view() -> View:
    """Return how the report page shows the runs."""
    from mmwemu.apps.download.view import VIEW

    return VIEW


APPLICATION = ApplicationType(
    "Download files by curl from nginx over patterns, as in the first experiment of Hurtig 2019.",
    OPTIONS, create, summarize, requirements, view=view,
)  # fmt: skip
