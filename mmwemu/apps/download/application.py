"""Application that downloads files of several sizes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar

from mmwemu.apps.application import Context, Go, Outcome, check_limit
from mmwemu.apps.download.client import download, find_curl
from mmwemu.apps.download.content import Fill, make_file
from mmwemu.apps.download.record import DownloadRun
from mmwemu.apps.shared.webserver.hosts import VirtualHost
from mmwemu.core.errors import InputError
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.capacity import time_to_pass
from mmwemu.results.records import Run

# Headers of IP, TCP and HTTP; set-up and slow start.
_OVERHEAD = 1.04
_ROUND_TRIPS = 10


@dataclass(frozen=True)
class Downloads:
    """Settings: ``sizes_bytes`` of the files, their content ``fill``, and the time limit of a download."""

    sizes_bytes: tuple[int, ...] = (2_000_000, 20_000_000)
    fill: Fill = "sparse"
    limit_s: float = 40.0

    name: ClassVar[str] = "download"
    record: ClassVar[type[Run]] = DownloadRun

    def __post_init__(self) -> None:
        if not self.sizes_bytes or min(self.sizes_bytes) < 1:
            raise InputError("size", "must be at least 1 byte")
        check_limit(self.limit_s)

    @property
    def cases(self) -> tuple[int, ...]:
        """The sizes, bytes."""
        return self.sizes_bytes

    def expected_s(self, case: int, settings: LinkSettings, clients: int) -> float:
        """Return the time until the pattern has carried the files of all clients, at most the limit, s."""
        size_bytes = case * clients * _OVERHEAD
        carried_s = time_to_pass(settings.pattern, settings.pattern.downlink, settings.start_at_s, size_bytes)
        return min(self.limit_s, _ROUND_TRIPS * 2 * settings.delay_s + carried_s)

    def prepare(self, folder: Path, on_progress: OnProgress = ignore) -> PreparedDownloads:
        """Find curl; files are made in the server's folder on demand.

        Raises
        ------
        MissingError
            If curl is not installed.
        """
        find_curl()
        return PreparedDownloads(self)


@dataclass(frozen=True)
class PreparedDownloads:
    """Downloads ready to begin."""

    asked: Downloads

    @property
    def hosts(self) -> tuple[VirtualHost, ...]:
        """No virtual hosts of its own."""
        return ()

    def before(self, context: Context, case: int) -> None:
        """Make the file."""
        assert context.webserver is not None
        make_file(context.webserver.content, case, self.asked.fill)

    def run(self, context: Context, case: int, number: int, go: Go) -> Outcome:
        """Fetch a file once."""
        assert context.webserver is not None
        url = f"{context.webserver.base_url}/{make_file(context.webserver.content, case, self.asked.fill)}"
        go()
        outcome = download(context.client, url, case, self.asked.limit_s)
        return Outcome({"size_bytes": case, "limit_s": self.asked.limit_s, **asdict(outcome)})
