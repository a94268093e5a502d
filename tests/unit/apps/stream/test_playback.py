import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.apps.stream.headless.playback import Playback


def test_it_begins_when_both_tracks_are_there_and_stands_where_one_ends():
    film = Playback({"video": 0.0, "audio": 0.0})
    film.append("video", 2.0, 0.5)
    assert film.advance(1.0) == 0
    film.append("audio", 2.0, 1.0)
    assert film.startup_s == 1.0
    assert film.advance(2.5) == 1.5
    assert film.buffer_s("video", 2.5) == 0.5
    assert film.advance(4.0) == 2.0
    film.append("audio", 4.0, 4.5)
    assert film.advance(5.0) == 2.0
    film.append("video", 4.0, 6.0)
    assert film.advance(6.5) == 2.5


@given(st.lists(st.tuples(st.sampled_from(["video", "audio"]), st.floats(0, 5), st.booleans())))
def test_it_never_goes_back_nor_faster_than_time_nor_beyond_what_is_loaded(events):
    film = Playback({"video": 0.0, "audio": 0.0})
    now_s = position_s = 0.0
    for track, step_s, comes in events:
        now_s += step_s
        after_s = film.advance(now_s)
        assert position_s <= after_s <= position_s + step_s + 1e-9
        assert after_s <= min(film.loaded_s.values()) + 1e-9
        position_s = after_s
        if comes:
            film.append(track, film.loaded_s[track] + 2, now_s)
            assert film.advance(now_s) == pytest.approx(position_s)


def test_it_begins_once():
    film = Playback({"video": 0.0, "audio": 0.0})
    film.append("video", 2.0, 0.5)
    assert film.startup_s is None
    film.append("audio", 2.0, 1.0)
    film.append("audio", 4.0, 1.5)
    assert film.startup_s == 1.0
    short = Playback({"video": 0.0})
    short.append("video", 0.5, 2.0)
    assert short.startup_s == 2.0


def test_it_knows_what_is_left_of_each_track_and_no_time_before():
    film = Playback({"video": 0.0, "audio": 0.0})
    film.append("video", 4.0, 0.0)
    film.append("audio", 2.0, 1.0)
    assert film.position_s == 0
    assert (film.buffer_s("video", 2.0), film.buffer_s("audio", 2.0)) == (3.0, 1.0)
    # A call that comes late with an earlier time moves nothing.
    assert film.advance(1.5) == 1.0
    assert film.advance(2.5) == 1.5
    assert (film.buffer_s("video", 9.0), film.buffer_s("audio", 9.0)) == (2.0, 0.0)


def test_a_repeated_segment_takes_nothing_away():
    film = Playback({"video": 0.0})
    film.append("video", 4.0, 0.0)
    film.append("video", 2.0, 3.0)
    assert (film.loaded_s, film.advance(3.5)) == ({"video": 4.0}, 3.5)
