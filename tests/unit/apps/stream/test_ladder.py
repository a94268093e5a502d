"""The ladders, number by number, as their sources have them."""

from mmwemu.apps.stream.ladder import FRAMES_PER_S, LADDERS, SEGMENT_S

HURTIG_2019 = [
    (320, 180, 730_000), (512, 288, 1_150_000), (768, 432, 1_820_000), (1280, 720, 4_140_000), (1920, 1080, 7_940_000),
]  # fmt: skip
YOUTUBE = [(2560, 1440, 24_000_000), (3840, 2160, 68_000_000), (7680, 4320, 240_000_000)]


def test_the_film_of_the_study_has_five_encoded_qualities():
    ladder = LADDERS["1080p"]
    assert [(one.width, one.height, one.rate_bps) for one in ladder.video] == HURTIG_2019
    assert (ladder.name, ladder.audio_bps, ladder.encoded) == ("1080p", 33_000, True)


def test_8k_goes_on_from_there_without_pixels():
    ladder = LADDERS["8k"]
    assert [(one.width, one.height, one.rate_bps) for one in ladder.video] == HURTIG_2019 + YOUTUBE
    assert (ladder.name, ladder.audio_bps, ladder.encoded) == ("8k", 33_000, False)


def test_segments_last_2_s_of_25_frames_each():
    assert (SEGMENT_S, FRAMES_PER_S) == (2.0, 25)
