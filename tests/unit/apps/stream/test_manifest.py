import pytest

from mmwemu.apps.stream.headless.manifest import parse
from mmwemu.apps.stream.ladder import LADDERS
from mmwemu.apps.stream.sized import make_sized, segment_bytes
from mmwemu.core.errors import InputError


def test_a_manifest_without_pixels_says_what_is_there(tmp_path):
    ladder = LADDERS["8k"]
    make_sized(ladder, 10.0, tmp_path / "manifest.mpd")
    tracks = parse((tmp_path / "manifest.mpd").read_text())
    assert [one.rate_bps for one in tracks["video"].representations] == [one.rate_bps for one in ladder.video]
    assert [one.rate_bps for one in tracks["audio"].representations] == [ladder.audio_bps]
    assert tracks["video"].segments == tracks["audio"].segments == 5
    for track in tracks.values():
        for one in track.representations:
            sizes = [(tmp_path / one.path(number)).stat().st_size for number in range(track.segments)]
            assert sizes == [segment_bytes(one.rate_bps)] * 5
            assert sum(sizes) * 8 / 10 == pytest.approx(one.rate_bps, rel=0.001)
            assert (tmp_path / one.init).exists()


def test_durations_of_any_length():
    text = """<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" mediaPresentationDuration="PT1H1M20.0S"><Period>
      <AdaptationSet contentType="video"><Representation id="7" bandwidth="1000"><SegmentTemplate timescale="10"
      duration="40" startNumber="1" initialization="i$RepresentationID$" media="$RepresentationID$-$Number$"/>
      </Representation></AdaptationSet></Period></MPD>"""
    track = parse(text)["video"]
    assert track.segments == 920
    assert (track.representations[0].path(0), track.representations[0].segment_s) == ("7-1", 4.0)


@pytest.mark.parametrize("text", ["", "<a/>", '<MPD xmlns="urn:mpeg:dash:schema:mpd:2011"/>', "{}"])
def test_what_is_no_manifest_is_refused(text):
    with pytest.raises(InputError, match="manifest: cannot be played"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "segments"), [("PT1H", 3600), ("PT2M", 120), ("PT1H1M20S", 3680), ("PT80.0S", 80), ("PT0.6S", 1)]
)
def test_a_duration_is_in_hours_minutes_and_seconds(text, segments):
    manifest = f"""<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" mediaPresentationDuration="{text}"><Period>
      <AdaptationSet contentType="video"><Representation id="0" bandwidth="1"><SegmentTemplate timescale="1000"
      duration="1000" startNumber="0" initialization="i" media="m$Number$"/></Representation></AdaptationSet>
      </Period></MPD>"""
    assert parse(manifest)["video"].segments == segments


def test_encodings_rise_in_rate_and_are_numbered_from_0():
    one = """<Representation id="{0}" bandwidth="{1}"><SegmentTemplate timescale="1" duration="2" startNumber="{0}"
      initialization="$RepresentationID$.i" media="$RepresentationID$.$Number$"/></Representation>"""
    head = '<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" mediaPresentationDuration="PT4S"><Period>'
    video = '<AdaptationSet contentType="video">' + one.format(5, 900) + one.format(6, 100) + "</AdaptationSet>"
    audio = '<AdaptationSet contentType="audio">' + one.format(7, 30) + "</AdaptationSet>"
    tracks = parse(f"{head}{audio}{video}</Period></MPD>")
    assert [(r.number, r.rate_bps, r.init, r.path(1)) for r in tracks["video"].representations] == [
        (0, 100, "6.i", "6.7"), (1, 900, "5.i", "5.6"),
    ]  # fmt: skip
    assert [(kind, track.kind, track.segments) for kind, track in tracks.items()] == [
        ("audio", "audio", 2), ("video", "video", 2),
    ]  # fmt: skip
    with pytest.raises(InputError, match="manifest: has no video"):
        parse(f"{head}{audio}</Period></MPD>")


def test_a_film_without_pixels_has_these_files_and_no_others(tmp_path):
    make_sized(LADDERS["1080p"], 4.0, tmp_path / "manifest.mpd")
    names = {f"{track}-{part}" for track in range(6) for part in ("init.mp4", "1.m4s", "2.m4s")}
    assert {path.name for path in tmp_path.iterdir()} == names | {"manifest.mpd"}
    assert {(tmp_path / f"{track}-init.mp4").stat().st_size for track in range(6)} == {800}
    tracks = parse((tmp_path / "manifest.mpd").read_text())
    assert {one.segment_s for track in tracks.values() for one in track.representations} == {2.0}
    assert [one.path(0) for one in tracks["audio"].representations] == ["5-1.m4s"]
    text = (tmp_path / "manifest.mpd").read_text()
    assert 'mediaPresentationDuration="PT4S" maxSegmentDuration="PT2S"' in text
    assert text.count('codecs="avc1.64003e"') == 5 and 'width="320" height="180"' in text
