"""An application run with several initial windows of TCP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmwemu.apps.application import Context, Go, Outcome
from mmwemu.core.progress import OnProgress

if TYPE_CHECKING:
    from mmwemu.apps.shared.webserver.hosts import VirtualHost

TABLE = "initial_window"
"""Name of the table that tells the initial window of each run."""


@dataclass(frozen=True)
class Windows:
    """The first case of an application, run with each initial window.

    Attributes
    ----------
    application
        The application.
    packets
        Initial windows, packets; 0 for the kernel's own.
    """

    application: Any
    packets: tuple[int, ...]

    @property
    def name(self) -> str:
        """The name of the application."""
        return str(self.application.name)

    @property
    def record(self) -> Any:
        """The record of the application."""
        return self.application.record

    @property
    def cases(self) -> tuple[int, ...]:
        """The initial windows."""
        return self.packets

    def prepare(self, folder: Path, on_progress: OnProgress) -> PreparedWindows:
        """Prepare the application."""
        return PreparedWindows(self.application.prepare(folder, on_progress), self.application.cases[0])


@dataclass(frozen=True)
class PreparedWindows:
    """An application ready to run its case with each window."""

    inner: Any
    case: Any

    @property
    def hosts(self) -> Sequence[VirtualHost] | None:
        """The hosts of the application."""
        hosts: Sequence[VirtualHost] | None = self.inner.hosts
        return hosts

    def before(self, context: Context, case: int) -> None:
        """Set the window, after what the application does."""
        self.inner.before(context, self.case)
        context.testbed.set_initial_window(case)

    def run(self, context: Context, case: int, number: int, go: Go) -> Outcome:
        """Run the application, and note the window."""
        import pandas as pd

        outcome: Outcome = self.inner.run(context, self.case, number, go)
        note: Mapping[str, pd.DataFrame] = {TABLE: pd.DataFrame({"initial_window_packets": [case]})}
        return replace(outcome, tables={**outcome.tables, **note})
