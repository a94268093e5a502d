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
