"""Registration of users."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.apps.application import ApplicationType
from mmwemu.apps.option_types import SEED, Seconds, Size

if TYPE_CHECKING:
    from mmwemu.apps.users.application import Users
    from mmwemu.core.requirements import Requirement
    from mmwemu.report.summary import Results, Summary
    from mmwemu.report.view import View

OPTIONS = (
    click.option("--duration-s", type=Seconds(above=0), default=60.0, show_default=True, help="Length of a run."),
    click.option("--size-mean", "size_mean_bytes", type=Size(), default="30MB", show_default=True,
                 help="Mean of the log-normal sizes, before the bounds."),
    click.option("--size-sd", "size_sd_bytes", type=Size(), default="10MB", show_default=True,
                 help="Their standard deviation."),
    click.option("--size-least", "size_least_bytes", type=Size(), default="1MB", show_default=True,
                 help="Smaller sizes are drawn again."),
    click.option("--size-most", "size_most_bytes", type=Size(), default="100MB", show_default=True,
                 help="Larger sizes are drawn again."),
    click.option("--pause-mean-s", type=Seconds(), default=5.0, show_default=True,
                 help="Mean of the exponential pauses before each download, before the bounds."),
    click.option("--pause-least-s", type=Seconds(), default=1.0, show_default=True,
                 help="Shorter pauses are drawn again."),
    click.option("--pause-most-s", type=Seconds(), default=10.0, show_default=True,
                 help="Longer pauses are drawn again."),
    click.option("--traffic-seed", "traffic_seeds", type=SEED, multiple=True, default=(1,), show_default=True,
                 help="Seed of sizes and pauses; may be given more than once."),
)  # fmt: skip


def create(**asked: Any) -> Users:
    """Return the users that the options describe."""
    from mmwemu.apps.users.application import Users

    return Users(**asked)


def summarize(results: Results, plots: Path) -> Summary:
    """Draw the figure and return the summary of the distribution over users."""
    from mmwemu.apps.users.summary import summarize

    return summarize(results, plots)


def requirements() -> list[Requirement]:
    """Return the requirements of users: the server."""
    from mmwemu.core.requirements import tool

    return [tool("nginx", "run users", "nginx-light", "-v", required=True)]


def view() -> View:
    """Return how the report page shows the runs."""
    from mmwemu.apps.users.view import VIEW

    return VIEW


APPLICATION = ApplicationType(
    "Let users of a cell fetch files of random sizes with random pauses, as in Krasilov 2019.",
    OPTIONS, create, summarize, requirements, repetitions=1, view=view,
)  # fmt: skip
