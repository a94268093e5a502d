"""Application that downloads files of several sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar

from mmwemu.apps.application import Context, Go, Outcome, check_limit
from mmwemu.apps.download import http3
from mmwemu.apps.download.client import download, find_curl
from mmwemu.apps.download.content import Fill, make_file
from mmwemu.apps.download.record import DownloadRun
from mmwemu.apps.download.settings import DownloadSettings, Protocol
from mmwemu.apps.shared.quic import ngtcp2
from mmwemu.apps.shared.quic.states import states_of
from mmwemu.apps.shared.quic.transfers import Asked, Ready, fetching, make_ready, serving
from mmwemu.apps.shared.webserver.hosts import VirtualHost
from mmwemu.core.errors import InputError
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.capacity import time_to_pass
from mmwemu.results.records import Run

# Headers of IP, TCP and HTTP; set-up and slow start.
_OVERHEAD = 1.04
_ROUND_TRIPS = 10
# The programs of ngtcp2 do not give up before the limit.
_GRACE_S = 10.0


@dataclass(frozen=True)
class Downloads:
    """Settings: ``sizes_bytes`` of the files, their content ``fill``, time limit of a download, and ``protocols``.

    HTTP/3 has no file: its server makes the content up.
    """

    sizes_bytes: tuple[int, ...] = (2_000_000, 20_000_000)
    fill: Fill = "sparse"
    limit_s: float = 40.0
    protocols: tuple[Protocol, ...] = ("http",)

    name: ClassVar[str] = "download"
    record: ClassVar[type[Run]] = DownloadRun

    def __post_init__(self) -> None:
        if not self.sizes_bytes or min(self.sizes_bytes) < 1:
            raise InputError("size", "must be at least 1 byte")
        if not self.protocols:
            raise InputError("protocol", "has no value; at least one is needed")
        twice = next((one for one in self.protocols if self.protocols.count(one) > 1), None)
        if twice is not None:
            raise InputError("protocol", f"names {twice} twice")
        check_limit(self.limit_s)

    @property
    def cases(self) -> tuple[DownloadSettings, ...]:
        """Each size by each protocol."""
        return tuple(DownloadSettings(size, protocol) for protocol in self.protocols for size in self.sizes_bytes)

    @property
    def uses_tcp(self) -> bool:
        """Whether all downloads are over TCP."""
        return "h3" not in self.protocols

    @property
    def congestion_controls(self) -> Sequence[str] | None:
        """Those that all downloads can have; None: all of the kernel."""
        return None if self.uses_tcp else ngtcp2.CONGESTION_CONTROLS

    def expected_s(self, case: DownloadSettings, settings: LinkSettings, clients: int) -> float:
        """Return the time until the pattern has carried the files of all clients, at most the limit, s."""
        size_bytes = case.size_bytes * clients * _OVERHEAD
        carried_s = time_to_pass(settings.pattern, settings.pattern.downlink, settings.start_at_s, size_bytes)
        return min(self.limit_s, _ROUND_TRIPS * 2 * settings.delay_s + carried_s)

    def prepare(self, folder: Path, on_progress: OnProgress = ignore) -> PreparedDownloads:
        """Find the tools, and make a certificate for QUIC; files are made in the server's folder on demand.

        Raises
        ------
        MissingError
            If curl is not installed, or for HTTP/3 the programs of ngtcp2 or openssl.
        """
        if "http" in self.protocols:
            find_curl()
        return PreparedDownloads(self, None if self.uses_tcp else make_ready(folder))


@dataclass(frozen=True)
class PreparedDownloads:
    """Downloads ready to begin."""

    asked: Downloads
    quic: Ready | None

    @property
    def hosts(self) -> tuple[VirtualHost, ...] | None:
        """No virtual hosts of its own; HTTP/3 alone needs no web server."""
        return () if "http" in self.asked.protocols else None

    def before(self, context: Context, case: DownloadSettings) -> None:
        """Make the file."""
        if case.protocol == "http":
            assert context.webserver is not None
            make_file(context.webserver.content, case.size_bytes, self.asked.fill)

    def run(self, context: Context, case: DownloadSettings, number: int, go: Go) -> Outcome:
        """Fetch a file once; over HTTP/3 table ``quic`` has the state of the sender."""
        columns = {**asdict(case), "limit_s": self.asked.limit_s}
        if case.protocol == "h3":
            return self._run_http3(context, case, number, go, columns)
        assert context.webserver is not None
        url = f"{context.webserver.base_url}/{make_file(context.webserver.content, case.size_bytes, self.asked.fill)}"
        go()
        outcome = download(context.client, url, case.size_bytes, self.asked.limit_s)
        return Outcome({**columns, **asdict(outcome)})

    def _run_http3(
        self, context: Context, case: DownloadSettings, number: int, go: Go, columns: Mapping[str, object]
    ) -> Outcome:
        assert self.quic is not None
        asked = Asked(1, case.size_bytes, context.congestion_control, self.asked.limit_s + _GRACE_S)
        with serving(context.server, asked, self.quic, number) as servers:
            go()
            with fetching(context.client, servers) as transfers:
                outcome = http3.receive(transfers, case.size_bytes, self.asked.limit_s)
        states = states_of(transfers.each, context.testbed, context.client, context.congestion_control)
        return Outcome({**columns, **asdict(outcome)}, {"quic": states}, transfers.held_up_because)
