"""One repetition of one application under one pattern, as one row of a table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Run:
    """What was asked, how it ended, and whether the link did what the pattern says; the same for every application.

    Attributes
    ----------
    run
        Number within the experiment, from 1 on.
    application
        Which record this is: ``download`` and so on.
    pattern, pattern_sha256
        Name of the pattern and the hash of its file.
    rat
        ``mmwave`` or ``lte``, empty where the pattern does not say.
    repetition, start_at_s, congestion_control, delay_s, queue_bytes, limit_s, seed
        What was asked; ``delay_s`` is one way, each way.
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
    dropped_queue_bytes, dropped_outage_bytes, dropped_loss_bytes
        Bytes the link dropped in both directions, by cause; None where the backend counts packets only.
    """

    run: int
    application: str
    pattern: str
    pattern_sha256: str
    rat: str
    repetition: int
    start_at_s: float
    congestion_control: str
    delay_s: float
    queue_bytes: int
    limit_s: float
    seed: int
    status: str
    error: str
    duration_s: float
    valid: bool
    invalid_because: str
    delivered_ratio: float | None
    lateness_p99_s: float
    dropped_queue_bytes: int | None
    dropped_outage_bytes: int | None
    dropped_loss_bytes: int | None


@dataclass(frozen=True, kw_only=True)
class DownloadRun(Run):
    """A download.

    Attributes
    ----------
    size_bytes
        Size of the file asked for.
    received_bytes, connect_s, ttfb_s, goodput_bps
        As in `mmwemu.apps.download.Download`; None where a value was not reached.
    """

    size_bytes: int
    received_bytes: int
    connect_s: float | None
    ttfb_s: float | None
    goodput_bps: float | None
