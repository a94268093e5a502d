"""One play of a film as one row of a table."""

from __future__ import annotations

from dataclasses import dataclass

from mmwemu.core.units import mbps
from mmwemu.results.records import Run


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

    @property
    def headline(self) -> str:
        """The bitrate of the video that was shown."""
        return "" if self.bitrate_mean_bps is None else f"{mbps(self.bitrate_mean_bps):.1f} Mbit/s of video"
