"""Bitrate ladders of films."""

from __future__ import annotations

from dataclasses import dataclass

SEGMENT_S = 2.0
FRAMES_PER_S = 25


@dataclass(frozen=True)
class Quality:
    """One encoding of the video: picture size in pixels and constant rate in bit/s."""

    width: int
    height: int
    rate_bps: int


@dataclass(frozen=True)
class Ladder:
    """Encodings of a film, rising in rate.

    Attributes
    ----------
    name
        Name of the ladder.
    video
        The qualities, the lowest first.
    audio_bps
        Rate of the only sound track, bit/s.
    encoded
        Whether the film has pixels. If not, media segments have the exact size but no content, which is enough for the
        headless player.
    """

    name: str
    video: tuple[Quality, ...]
    audio_bps: int
    encoded: bool


# Hurtig 2019 has five qualities; its published manifest contains those from 288p on, and the sound. The lowest one is
# an assumption, a step below at the same ratio as the next.
_HURTIG_2019 = (
    Quality(320, 180, 730_000),
    Quality(512, 288, 1_150_000),
    Quality(768, 432, 1_820_000),
    Quality(1280, 720, 4_140_000),
    Quality(1920, 1080, 7_940_000),
)
_AUDIO_BPS = 33_000
# Upper ends of YouTube's recommendation for uploads with 48 to 60 frames per second; services that encode with newer
# codecs than H.264 send less.
_BEYOND = (Quality(2560, 1440, 24_000_000), Quality(3840, 2160, 68_000_000), Quality(7680, 4320, 240_000_000))

LADDERS = {
    "1080p": Ladder("1080p", _HURTIG_2019, _AUDIO_BPS, encoded=True),
    "8k": Ladder("8k", _HURTIG_2019 + _BEYOND, _AUDIO_BPS, encoded=False),
}
