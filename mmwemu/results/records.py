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
    replay
        Number of the replay of the pattern; applications that ran at once have the same.
    application, offset_s
        Which record this is: ``download`` and so on; when it started after time 0 of the replay.
    pattern, pattern_sha256
        Name of the pattern and the hash of its file.
    rat
        ``mmwave`` or ``lte``, empty where the pattern does not say.
    repetition, start_at_s, congestion_control, limit_s, seed, backend, tc_mode
        What was asked.
    delay_s and following
        As in `mmwemu.link.settings.LinkKind`; ``queue_bytes`` holds only where no other size is given.
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
        Bytes the link dropped in both directions, by cause; None where the backend counts packets only.
    """

    run: int
    replay: int
    application: str
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
    delay_s: float
    queue_bytes: int
    queue_packets: int | None
    queue_s: float | None
    queue_bdp: float | None
    aqm: str
    ecn: bool
    slot_s: float
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


@dataclass(frozen=True, kw_only=True)
class DownloadRun(Run):
    """A download.

    Attributes
    ----------
    size_bytes
        Size of the file asked for.
    received_bytes, connect_s, ttfb_s, goodput_bps
        As in `mmwemu.apps.download.client.Download`; None where a value was not reached.
    """

    size_bytes: int
    received_bytes: int
    connect_s: float | None
    ttfb_s: float | None
    goodput_bps: float | None


@dataclass(frozen=True, kw_only=True)
class FlowRun(Run):
    """A bulk flow with ping beside it.

    Attributes
    ----------
    protocol, way, streams, offered_bps
        What was asked, as in `mmwemu.apps.flow.client.FlowKind`.
    received_bytes and following
        As in `mmwemu.apps.flow.client.Flow`.
    pings, pings_lost, rtt_min_s, rtt_median_s, rtt_p95_s, rtt_max_s
        Round trips from client to server; None when no reply came.
    """

    protocol: str
    way: str
    streams: int
    offered_bps: float | None
    received_bytes: int | None
    goodput_bps: float | None
    retransmissions: int | None
    cwnd_max_bytes: int | None
    tcp_rtt_mean_s: float | None
    lost_packets: int | None
    jitter_s: float | None
    pings: int
    pings_lost: int
    rtt_min_s: float | None
    rtt_median_s: float | None
    rtt_p95_s: float | None
    rtt_max_s: float | None


@dataclass(frozen=True, kw_only=True)
class WebRun(Run):
    """A cold load of a page; times are s since the navigation started, None where a value was not reached.

    Attributes
    ----------
    site, objects, site_bytes, protocol, device
        What was loaded and how.
    ttfb_s and following
        As in `mmwemu.apps.web.result.Load`.
    control_on_load_s, control_speed_index_s
        The same of a control load over a link of the same delay without limit of its rate.
    control_age_s
        How long before this load the control load ended.
    cpu_bound
        Whether the computer rather than the link decided how long it took.
    """

    site: str
    objects: int
    site_bytes: int
    protocol: str
    device: str
    browser: str
    ttfb_s: float | None
    first_paint_s: float | None
    fcp_s: float | None
    lcp_s: float | None
    dom_interactive_s: float | None
    dom_content_loaded_s: float | None
    on_load_s: float | None
    cls: float | None
    tbt_s: float | None
    above_the_fold_s: float | None
    visual_85_s: float | None
    visual_95_s: float | None
    visual_99_s: float | None
    speed_index_s: float | None
    speed_index_check_s: float | None
    visual_note: str
    requests: int | None
    failed_requests: int | None
    body_bytes: int | None
    wire_bytes: int | None
    retransmissions: int | None
    syn_retransmissions: int | None
    connections: int | None
    connect_max_s: float | None
    protocols: str
    browser_cpu_s: float | None
    machine_load: float | None
    control_on_load_s: float | None
    control_speed_index_s: float | None
    control_age_s: float
    cpu_bound: bool


@dataclass(frozen=True, kw_only=True)
class StreamRun(Run):
    """A film played for a while; times are s since the player was given it, None where a point was not reached.

    Attributes
    ----------
    film, ladder, player, abr
        What was asked for; ``film`` is ``sized`` where segments have a size and no content.
    software
        Name and version of the player.
    top_bps
        Rate of the highest quality.
    startup_s
        When the film began to play.
    played_s
        How much of it was played.
    stalls, stall_s
        How often and how long it stood still because nothing was loaded.
    cpu_stalls, cpu_stall_s
        How often it stood still for 0.2 s or more though something was, and how far it fell behind in all.
    bitrate_mean_bps
        Rate of the video that was shown, weighted by time.
    switches_up, switches_down
        Changes of quality as shown.
    buffer_mean_s, buffer_min_s
        What was loaded ahead since the film began.
    received_bytes, played_bytes
        Of segments, at the end.
    abandoned_segments, failed_segments
        Requests given up for a lower quality; requests that failed.
    frames, dropped_frames
        Of the video; 0 for a player that does not decode.
    qoe_bps
        Linear quality of experience after Yin et al. 2015, over the number of segments.
    browser_cpu_s, machine_load
        CPU time of the player, and share of all cores that was busy.
    control_startup_s, control_cpu_stall_s
        The same of a play beside it over a link of the same delay without limit of its rate.
    cpu_bound
        Whether the computer did not keep up: it fell behind by 2 % of the time, or dropped a tenth of the frames.
    """

    film: str
    ladder: str
    player: str
    abr: str
    software: str
    top_bps: float
    startup_s: float | None
    played_s: float
    stalls: int
    stall_s: float
    cpu_stalls: int
    cpu_stall_s: float
    bitrate_mean_bps: float | None
    switches_up: int
    switches_down: int
    buffer_mean_s: float | None
    buffer_min_s: float | None
    received_bytes: int | None
    played_bytes: int | None
    abandoned_segments: int
    failed_segments: int
    frames: int | None
    dropped_frames: int | None
    qoe_bps: float | None
    browser_cpu_s: float | None
    machine_load: float | None
    control_startup_s: float | None
    control_cpu_stall_s: float | None
    cpu_bound: bool
