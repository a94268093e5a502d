"""DASH films without pixels: a real manifest, and media segments with the size of video but no content."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import quoteattr

from mmwemu.apps.stream.ladder import SEGMENT_S, Ladder, Quality

_INIT_BYTES = 800

_MANIFEST = """\
<?xml version="1.0" encoding="utf-8"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-live:2011" type="static"
  mediaPresentationDuration="PT{duration_s:g}S" maxSegmentDuration="PT{segment_s:g}S" minBufferTime="PT4S">
  <Period id="0" start="PT0S">
    <AdaptationSet id="0" contentType="video" mimeType="video/mp4" segmentAlignment="true" startWithSAP="1">
{video}    </AdaptationSet>
    <AdaptationSet id="1" contentType="audio" mimeType="audio/mp4" segmentAlignment="true" startWithSAP="1">
{audio}    </AdaptationSet>
  </Period>
</MPD>
"""
_REPRESENTATION = """\
      <Representation id="{number}" bandwidth="{rate_bps}"{more}>
        <SegmentTemplate timescale="1000" duration="{segment_ms}" startNumber="1"
          initialization="$RepresentationID$-init.mp4" media="$RepresentationID$-$Number$.m4s"/>
      </Representation>
"""


def make_sized(ladder: Ladder, duration_s: float, manifest: Path) -> None:
    """Write the manifest of a ladder, and beside it sparse files with the sizes of constant-rate segments.

    Raises
    ------
    OSError
        If the disk is full.
    """
    rates = [quality.rate_bps for quality in ladder.video] + [ladder.audio_bps]
    for number, rate_bps in enumerate(rates):
        _sparse(manifest.with_name(f"{number}-init.mp4"), _INIT_BYTES)
        for segment in range(1, round(duration_s / SEGMENT_S) + 1):
            _sparse(manifest.with_name(f"{number}-{segment}.m4s"), segment_bytes(rate_bps))
    shown = [_representation(number, q.rate_bps, _size(q)) for number, q in enumerate(ladder.video)]
    heard = _representation(len(ladder.video), ladder.audio_bps, ' codecs="mp4a.40.2" audioSamplingRate="48000"')
    text = _MANIFEST.format(duration_s=duration_s, segment_s=SEGMENT_S, video="".join(shown), audio=heard)
    manifest.write_text(text, encoding="utf-8")


def segment_bytes(rate_bps: int) -> int:
    """Return the size of a segment at a constant rate."""
    return round(rate_bps * SEGMENT_S / 8)


def _size(quality: Quality) -> str:
    # Level 6.2, the highest of H.264, covers 8K.
    return f' codecs={quoteattr("avc1.64003e")} width="{quality.width}" height="{quality.height}"'


def _representation(number: int, rate_bps: int, more: str) -> str:
    return _REPRESENTATION.format(number=number, rate_bps=rate_bps, more=more, segment_ms=round(SEGMENT_S * 1000))


def _sparse(path: Path, size_bytes: int) -> None:
    with path.open("wb") as file:
        file.truncate(size_bytes)
