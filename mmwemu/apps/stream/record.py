"""Record of a playback."""

from __future__ import annotations

from dataclasses import dataclass

from mmwemu.core.units import mbps
from mmwemu.results.records import Run


@dataclass(frozen=True, kw_only=True)
class StreamRun(Run):
    """A playback of a film; times are s since the player got it, None if the point was not reached.

    Attributes
    ----------
    film, ladder, player, abr
        Settings of the playback; ``film`` is ``sized`` if media segments have a size but no content.
    software
        Name and version of the player.
    top_bps
        Rate of the highest quality.
    startup_s
        Start-up delay.
    played_s
        Played length of the film.
    stalls, stall_s
        Number and total length of stalls with an empty buffer.
    cpu_stalls, cpu_stall_s
        Number of stalls of at least 0.2 s with a filled buffer, and total time that playback fell behind.
    bitrate_mean_bps
        Mean rate of the shown video, weighted by time.
    switches_up, switches_down
        Changes of quality as shown.
    buffer_mean_s, buffer_min_s
        Mean and least buffer level since the film began.
    received_bytes, played_bytes
        Bytes of media segments at the end.
    abandoned_segments, failed_segments
        Requests abandoned for a lower quality; failed requests.
    frames, dropped_frames
        Frames of the video; 0 for the headless player.
    qoe_bps
        Linear quality of experience by Yin et al. 2015, over the number of segments.
    browser_cpu_s, machine_load
        CPU time of the player, and share of all cores that was busy.
    control_startup_s, control_cpu_stall_s
        The same of a play beside it over a link of the same delay without limit of its rate.
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

    @property
    def headline(self) -> str:
        """The mean bitrate of the shown video."""
        return "" if self.bitrate_mean_bps is None else f"{mbps(self.bitrate_mean_bps):.1f} Mbit/s of video"
