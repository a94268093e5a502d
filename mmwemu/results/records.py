"""Record of a run: the columns that all applications share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Run:
    """One application on one client in one replay.

    The fields hold the settings of the run, its outcome, and the fidelity of the link to the pattern. Applications
    inherit them and add their own.

    Attributes
    ----------
    run
        Number within the experiment, from 1.
    replay
        Number of the replay of the pattern; concurrent applications and clients share it.
    experiment
        Number of the experiment within its study, from 1.
    application, offset_s
        Name of the application, and its start after time 0 of the replay.
    client, clients
        Number of the client, from 1, and number of concurrent clients.
    pattern, pattern_sha256
        Name of the pattern and the hash of its file.
    rat
        ``mmwave`` or ``lte``, empty if the pattern does not say.
    repetition, start_at_s, congestion_control, limit_s, seed, backend, tc_mode, scheduler
        Settings of the run.
    initial_window, pacing_bps, window_bytes
        The sender's choices, as in `mmwemu.testbed.tcp.TcpChoices`; None: the kernel's.
    used_initial_window, used_pacing_bps, used_receive_buffer_bytes, used_send_buffer_bytes
        What the kernel made of them, as in `mmwemu.probe.tcp_used.TcpUsed`; None if nothing was chosen, or it is not
        known.
    edge, core_rate_bps, core_loss
        Whether the testbed has an edge and a core link; rate (None: unlimited) and loss of that core link.
    access_delay_s
        The part of ``delay_s`` that was before the edge.
    edge_proxy
        Name of the proxy at the edge, empty without one.
    edge_congestion_control
        TCP congestion control of the edge, empty where it was that of all places.
    link
        The link profile, see `mmwemu.link.profile.LinkProfile`; each of its values is a column of its own.
        ``queue_bytes`` applies only if no other queue size is given.
    status, error
        ``ok``; ``timeout``: the limit ended the run, which is a valid result; ``failed``, with the reason.
    duration_s
        Length of the run, at most the limit, s.
    valid, invalid_because
        Whether the link kept its tolerance in this run and the kernel the sender's choices, and the reason if not.
    delivered_ratio
        Bytes delivered over the integral of the pattern while packets waited; None if none waited.
    lateness_p99_s
        99th percentile of the lateness of the link, s.
    waited_s, stopped_s, held_up_s
        As in `mmwemu.study.held_up.HeldUp`: how the computer held up the programs of the replay during this run.
    cpu_bound, cpu_bound_because
        Whether the computer rather than the link decided the outcome, and why.
    dropped_queue_bytes, dropped_aqm_bytes, dropped_outage_bytes, dropped_loss_bytes
        Bytes that the links dropped in both directions, by cause; None if the backend counts packets only.
    """

    run: int
    replay: int
    experiment: int = 1
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
    access_delay_s: float
    edge_proxy: str
    edge_congestion_control: str
    link: Mapping[str, Any]
    status: str
    error: str
    duration_s: float
    valid: bool
    invalid_because: str
    delivered_ratio: float | None
    lateness_p99_s: float
    waited_s: float | None
    stopped_s: float
    held_up_s: float
    cpu_bound: bool
    cpu_bound_because: str
    dropped_queue_bytes: int | None
    dropped_aqm_bytes: int | None
    dropped_outage_bytes: int | None
    dropped_loss_bytes: int | None
    initial_window: int | None = None
    pacing_bps: float | None = None
    window_bytes: int | None = None
    used_initial_window: int | None = None
    used_pacing_bps: float | None = None
    used_receive_buffer_bytes: int | None = None
    used_send_buffer_bytes: int | None = None

    def row(self) -> dict[str, Any]:
        """Return the columns of this run by name."""
        row: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            row |= value if isinstance(value, Mapping) else {field.name: value}
        return row

    @property
    def verdict(self) -> str:
        """The status, and what else speaks against the run, for people."""
        doubts = [*([] if self.valid else ["not valid"]), *(["CPU-bound"] if self.cpu_bound else [])]
        return ", ".join([self.status, *doubts])

    @property
    def headline(self) -> str:
        """The most telling value of the run, with its unit; empty if there is none."""
        return ""
