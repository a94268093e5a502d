"""Reader of DASH manifests with templates of media segments of constant duration."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree

from mmwemu.core.errors import InputError

_DASH = "{urn:mpeg:dash:schema:mpd:2011}"
Kind = Literal["video", "audio"]


@dataclass(frozen=True)
class Representation:
    """One encoding of a track, with segments numbered from 0."""

    number: int
    rate_bps: int
    init: str
    media: str
    first: int
    segment_s: float

    def path(self, segment: int) -> str:
        """Return the address of a segment, relative to that of the manifest."""
        return self.media.replace("$Number$", str(self.first + segment))


@dataclass(frozen=True)
class Track:
    """Encodings of one kind, rising in rate, and the number of segments in each."""

    kind: Kind
    representations: tuple[Representation, ...]
    segments: int


def parse(text: str) -> dict[Kind, Track]:
    """Return the tracks in a manifest.

    Raises
    ------
    InputError
        If it is not a manifest, or does not describe its segments by template, number and duration.
    """
    try:
        root = ElementTree.fromstring(text)
        duration_s = _seconds(root.attrib["mediaPresentationDuration"])
        tracks: dict[Kind, Track] = {}
        for group in root.iter(f"{_DASH}AdaptationSet"):
            found = sorted(group.iter(f"{_DASH}Representation"), key=lambda one: int(one.attrib["bandwidth"]))
            kind: Kind = "audio" if group.attrib["contentType"] == "audio" else "video"
            encodings = tuple(_representation(number, one) for number, one in enumerate(found))
            tracks[kind] = Track(kind, encodings, round(duration_s / encodings[0].segment_s))
    except (ElementTree.ParseError, KeyError, ValueError, AttributeError, IndexError) as error:
        raise InputError("manifest", f"cannot be played: {error!r}") from None
    if "video" not in tracks:
        raise InputError("manifest", "has no video")
    return tracks


def _representation(number: int, element: ElementTree.Element) -> Representation:
    template = element.find(f"{_DASH}SegmentTemplate")
    assert template is not None
    name = element.attrib["id"]

    def filled(key: str) -> str:
        return template.attrib[key].replace("$RepresentationID$", name)

    return Representation(
        number=number,
        rate_bps=int(element.attrib["bandwidth"]),
        init=filled("initialization"),
        media=filled("media"),
        first=int(template.attrib["startNumber"]),
        segment_s=int(template.attrib["duration"]) / int(template.attrib["timescale"]),
    )


def _seconds(text: str) -> float:
    """Return a duration such as PT1M20.0S, s."""
    match = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?", text)
    if match is None:
        raise ValueError(f"duration {text}")
    hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return hours * 3600 + minutes * 60 + seconds
