"""Registration of playback."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.apps.application import ApplicationType
from mmwemu.apps.option_types import FileOrName, Seconds

if TYPE_CHECKING:
    from mmwemu.apps.stream.application import Streams
    from mmwemu.core.requirements import Requirement
    from mmwemu.report.summary import Results, Summary
    from mmwemu.report.view import View

OPTIONS = (
    click.option("--ladder", type=click.Choice(["1080p", "8k"]), default="1080p", show_default=True,
                 help="The qualities of Hurtig 2019, or those and 1440p, 4K and 8K without pixels."),
    click.option("--film", type=FileOrName(),
                 help="bunny, synthetic, or a file with a film.  [default: bunny if fetched]"),
    click.option("--player", type=click.Choice(["browser", "headless"]), default="browser", show_default=True,
                 help="dash.js in a browser, or its rules without decoding."),
    click.option("--abr", type=click.Choice(["dynamic", "bola", "throughput"]), default="dynamic", show_default=True,
                 help="Rules of dash.js that choose the quality."),
    click.option("--duration-s", "limit_s", type=Seconds(above=0), default=40.0,
                 show_default=True, help="Length of playback, including waits."),
    click.option("--keep", is_flag=True, help="Keep each player's own record, and the browser's last picture."),
)  # fmt: skip


def create(**asked: Any) -> Streams:
    """Return the playback that the options describe."""
    from mmwemu.apps.stream.application import Streams

    return Streams(**asked)


def summarize(results: Results, plots: Path) -> Summary:
    """Draw the figures and return the summary of the runs."""
    from mmwemu.apps.stream.summary import summarize

    return summarize(results, plots)


def requirements() -> list[Requirement]:
    """Return the requirements of playback."""
    from mmwemu.core.requirements import tool

    return [tool("ffmpeg", "run stream", "ffmpeg", "-version")]


def view() -> View:
    """Return how the report page shows the runs."""
    from mmwemu.apps.stream.view import VIEW

    return VIEW


APPLICATION = ApplicationType(
    "Play a film by DASH over patterns, as in the video experiment of Hurtig 2019.",
    OPTIONS, create, summarize, requirements, view=view,
)  # fmt: skip
