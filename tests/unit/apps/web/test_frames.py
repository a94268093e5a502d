import numpy as np
import pytest
from PIL import Image

from mmwemu.apps.web.frames import from_frames, histogram, speed_index, visual_progress
from mmwemu.apps.web.result import Frame


def test_speed_index_is_the_area_above_the_progress():
    # White until 1 s, half there until 3 s, then complete.
    assert speed_index([1.0, 3.0], np.array([0.5, 1.0])) == pytest.approx(1.0 + 2.0 * 0.5)


def test_white_does_not_count(tmp_path):
    picture = Image.new("RGB", (4, 2), "white")
    picture.putpixel((0, 0), (10, 20, 30))
    picture.save(tmp_path / "p.png")
    counts = histogram(tmp_path / "p.png")
    assert counts.sum(axis=1).tolist() == [1, 1, 1]
    assert (counts[0, 10], counts[1, 20], counts[2, 30]) == (1, 1, 1)


def test_progress_goes_from_white_to_the_last_frame(tmp_path):
    frames = []
    for i, share in enumerate((0, 4, 8)):
        picture = Image.new("RGB", (8, 8), "white")
        picture.paste((200, 0, 0), (0, 0, share, 8))
        picture.save(tmp_path / f"{i}.png")
        frames.append(Frame(float(i + 1), f"{i}.png"))
    assert visual_progress(np.stack([histogram(tmp_path / f.file) for f in frames])).tolist() == [0, 0.5, 1]
    assert from_frames(frames, tmp_path) == pytest.approx(2.5)
    assert from_frames([], tmp_path) is None


def test_a_pixel_is_white_from_249_on_in_all_channels(tmp_path):
    picture = Image.new("RGB", (3, 2), "white")
    for place, colour in enumerate([(249, 249, 249), (248, 249, 249), (249, 249, 0), (0, 0, 0)]):
        picture.putpixel((place % 3, place // 3), colour)
    picture.save(tmp_path / "p.png")
    counts = histogram(tmp_path / "p.png")
    assert counts.shape == (3, 256)
    assert [int(channel.sum()) for channel in counts] == [3, 3, 3]
    assert (counts[0, 248], counts[0, 249], counts[2, 0]) == (1, 1, 2)


def test_channels_are_red_green_and_blue_whatever_the_pictures_mode(tmp_path):
    Image.new("RGBA", (2, 2), (255, 10, 20, 255)).save(tmp_path / "p.png")
    counts = histogram(tmp_path / "p.png")
    assert (counts[0, 255], counts[1, 10], counts[2, 20]) == (4, 4, 4)


def test_a_page_that_stays_white_is_complete():
    assert visual_progress(np.zeros((3, 3, 256), int)).tolist() == [1, 1, 1]


def test_progress_counts_what_a_frame_shares_with_the_last():
    frames = np.zeros((2, 3, 256), int)
    frames[0, :, 7] = 6
    frames[1, :, 7] = 2
    frames[1, :, 9] = 8
    # Two of ten pixels are there, four are of a colour that goes.
    assert visual_progress(frames).tolist() == [0.2, 1.0]
