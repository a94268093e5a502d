"""One run as one row of a table: the columns that every application has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Run:
    """One repetition of one application on one client under one pattern.

    The fields say what was asked, how the run ended, and whether the link did what the pattern says. Applications
    inherit and add their own.

    Attributes
    ----------
    run
        Number within the experiment, from 1 on.
    replay
        Number of the replay of the pattern; applications and clients that ran at once share it.
    application, offset_s
        Name of the application, and its start after time 0 of the replay.
    client, clients
        Number of the client that ran it, from 1, and how many ran at once.
    pattern, pattern_sha256
        Name of the pattern and the hash of its file.
    rat
        ``mmwave`` or ``lte``, empty where the pattern does not say.
    repetition, start_at_s, congestion_control, limit_s, seed, backend, tc_mode, scheduler
        What was asked.
    edge, core_rate_bps, core_loss
        Whether there was an edge before a core link; rate (None: unlimited) and loss of that core link.
    link
        The link profile, see `mmwemu.link.settings.LinkProfile`; each of its values is a column of its own, and
        ``queue_bytes`` holds only where no other size is given.
    status, error
        ``ok``; ``timeout``: the limit ended it, a result like any other; ``failed``, with the reason.
    duration_s
        How long it took, or the limit.
    valid, invalid_because
        Whether the link kept its tolerance in this run, and if not why.
    delivered_ratio
        Bytes delivered over the integral of the pattern while packets waited; None when none did.
    lateness_p99_s
        99th percentile of how late the link was, s.
    dropped_queue_bytes, dropped_aqm_bytes, dropped_outage_bytes, dropped_loss_bytes
        Bytes the links dropped in both directions, by cause; None where the backend counts packets only.
    """

    run: int
    replay: int
    application: str
    client: int
    clients: int
    offset_s: float
    pattern: str
    pattern_sha256: str
    rat: str
    repetition: int
    start_at_s: float
    congestion_control: str
    limit_s: float
    seed: int
    backend: str
    tc_mode: str
    scheduler: str
    edge: bool
    core_rate_bps: float | None
    core_loss: float
    link: Mapping[str, Any]
    status: str
    error: str
    duration_s: float
    valid: bool
    invalid_because: str
    delivered_ratio: float | None
    lateness_p99_s: float
    dropped_queue_bytes: int | None
    dropped_aqm_bytes: int | None
    dropped_outage_bytes: int | None
    dropped_loss_bytes: int | None

    def row(self) -> dict[str, Any]:
        """Return the columns of this run by name."""
        row: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            row |= value if isinstance(value, Mapping) else {field.name: value}
        return row

    @property
    def headline(self) -> str:
        """The one value that says most of the run, with its unit; empty where there is none."""
        return ""
