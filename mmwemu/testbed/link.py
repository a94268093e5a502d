"""A running link: replays are started on it, and it tells what it did."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from mmwemu.core.errors import MmwemuError
from mmwemu.link import replay as replays
from mmwemu.link.check import Tolerance
from mmwemu.link.packets import PacketLog
from mmwemu.link.replay import Replay
from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.sandbox import Sandbox

if TYPE_CHECKING:
    import pandas as pd


class Record(Protocol):
    """A file in memory in which a backend keeps what a link does during one replay."""

    fd: int

    def epoch_ns(self) -> int | None:
        """Return the time of CLOCK_MONOTONIC at which the pattern started, None while it waits for a packet [ns]."""

    def read(self, replay: Replay, since_s: float) -> pd.DataFrame:
        """Return the telemetry of a replay; see `Link.telemetry`."""

    def read_clients(self, since_s: float) -> pd.DataFrame:
        """Return the telemetry of the clients of a cell; see `Link.client_telemetry`."""

    def close(self) -> None:
        """Free the memory."""


class Shaping(Protocol):
    """A backend's way of shaping a link."""

    def refuse(self, replay: Replay) -> None:
        """Raise InputError if the backend cannot do what a replay asks for."""

    def new_record(self, replay: Replay) -> Record:
        """Return a record for one replay."""

    def tolerance(self, replay: Replay | None) -> Tolerance:
        """Return how far the link may be off in a replay; None before the first."""


class Link:
    """A link between the two networks of a sandbox.

    Parameters
    ----------
    sandbox
        Holds the networks and shapes the link.
    shaping
        The backend's part.
    """

    def __init__(self, sandbox: Sandbox, shaping: Shaping) -> None:
        self.sandbox = sandbox
        self._shaping = shaping
        self._replay: Replay | None = None
        self._record: Record | None = None

    @property
    def tolerance(self) -> Tolerance:
        """The deviations that a valid link may have."""
        return self._shaping.tolerance(self._replay)

    @property
    def replay(self) -> Replay | None:
        """The replay of the last start."""
        return self._replay

    @property
    def core_delay_s(self) -> float:
        """Delay of the core link that is part of this link since the last start, one way, s."""
        return 0.0 if self._replay is None else self._replay.delay_s

    def start(self, settings: LinkSettings, packets: PacketLog | None = None) -> None:
        """Start a replay anew; packets on their way are gone.

        Parameters
        ----------
        settings
            The pattern, and how to replay it.
        packets
            Each packet of this replay is written down there, completely so after `finish_packets`.

        Raises
        ------
        InputError
            If the backend cannot do what is asked for.
        MissingError
            If the kernel lacks what the replay needs.
        """
        replay = replays.resolve(settings, packet_headers=packets is not None and packets.headers)
        self._shaping.refuse(replay)
        record = self._shaping.new_record(replay)
        message_fd = os.memfd_create("mmwemu-replay", os.MFD_CLOEXEC)
        try:
            with open(message_fd, "w", closefd=False) as text:
                text.write(replays.encode(replay))
            self.sandbox.ask("start", [message_fd, record.fd, *([] if packets is None else [packets.fd])])
        except BaseException:
            record.close()
            raise
        finally:
            os.close(message_fd)
        if self._record is not None:
            self._record.close()
        self._record, self._replay = record, replay

    def epoch_ns(self) -> int | None:
        """Return when the pattern last started by CLOCK_MONOTONIC, None while it waits for a packet [ns]."""
        return None if self._record is None else self._record.epoch_ns()

    def telemetry(self, since_s: float = 0.0) -> pd.DataFrame:
        """Return what the link did since the last start, a row for each bin of 10 ms and direction.

        Bins before ``since_s``, time since the epoch, are left out; there are none before the epoch.

        Columns: time_s (start of the bin since the epoch), direction (downlink, uplink), offered_bytes,
        delivered_bytes, dropped_queue_bytes, dropped_aqm_bytes, dropped_loss_bytes, dropped_outage_bytes,
        dropped_device_bytes, duplicated_bytes (copies), damaged_bytes (with wrong bits; both apart from delivered),
        reordered_bytes (came ahead of an earlier one), marked_bytes (each also in _packets), queue_bytes (at the end
        of the bin), queue_max_bytes, capacity_bytes (integral of the pattern's rate), backlogged (the queue was never
        empty), lateness_s (the worst of the packets delivered, and how long the link stood still).

        Raises
        ------
        MmwemuError
            If no replay was started.
        """
        record, replay = self._up_to_now()
        return record.read(replay, since_s)

    def client_telemetry(self, since_s: float = 0.0) -> pd.DataFrame:
        """Return what the clients of a cell got since the last start, a row for each bin, direction and client.

        Columns: time_s, direction, client (from 1), offered_bytes, delivered_bytes, queue_bytes (at the end of the
        bin), airtime_s (how long the client had the cell), granted_bytes (what it could send in that time; inf without
        limit). Without a scheduler there are no rows.

        Raises
        ------
        MmwemuError
            If no replay was started.
        """
        record, _ = self._up_to_now()
        return record.read_clients(since_s)

    def _up_to_now(self) -> tuple[Record, Replay]:
        """Return the record of the replay, complete up to now, and the replay."""
        if self._replay is None or self._record is None:
            raise MmwemuError("the link has not been started")
        self.sandbox.ask("stats")
        return self._record, self._replay

    def finish_packets(self) -> None:
        """Write out the packets recorded up to now."""
        self.sandbox.ask("flush")

    def close(self) -> None:
        """End the sandbox and free the record; harmless when done already."""
        self.sandbox.close()
        if self._record is not None:
            self._record.close()
            self._record = None
