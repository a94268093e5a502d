import numpy as np
import pandas as pd
import pytest

from mmwemu.apps.stream.measures import cpu_bound_because, find_stalls, linear_qoe, shown_segments, summary, timeline
from mmwemu.apps.stream.result import Play, failed


def play(positions_s, buffers_s, *, events=(), segments=(), startup_s=0.0, **samples):
    time_s = np.arange(len(positions_s)) * 0.1
    table = {"time_s": time_s, "position_s": positions_s, "buffer_s": buffers_s, "received_bytes": 0.0, "frames": 0.0,
             "dropped_frames": 0.0, "quality": 0.0, "throughput_bps": 1e6} | samples  # fmt: skip
    columns = ["track", "number", "start_s", "duration_s", "quality", "rate_bps", "bytes", "requested_s",
               "first_byte_s", "ended_s", "outcome"]  # fmt: skip
    return Play(
        status="ok",
        error="",
        duration_s=float(time_s[-1]),
        startup_s=startup_s,
        samples=pd.DataFrame(table),
        segments=pd.DataFrame(list(segments), columns=columns),
        events=pd.DataFrame(list(events), columns=["time_s", "event", "track"]),
    )


def segment(number, quality=0, rate_bps=1e6, size=250_000, outcome="ok", track="video"):
    return (track, number, 2.0 * number, 2.0, quality, rate_bps, size, 0.0, 0.1, 0.2, outcome)


def moving(n, first=0.0):
    return first + 0.1 * np.arange(n)


def test_a_film_that_moves_has_no_stall():
    assert find_stalls(play(moving(50), np.full(50, 5.0))) == []


def test_a_film_that_stands_with_nothing_loaded_waits_for_the_network():
    positions = np.concatenate((moving(10), np.full(20, 0.9), moving(10, 0.9)))
    (stall,) = find_stalls(play(positions, np.concatenate((np.full(10, 0.1), np.zeros(19), np.full(11, 2.0)))))
    assert (stall.cause, stall.position_s) == ("network", pytest.approx(0.9))
    assert stall.start_s == pytest.approx(0.9)
    assert stall.duration_s == pytest.approx(2.1)


@pytest.mark.parametrize(
    ("events", "cause"),
    [
        ([], "cpu"),
        ([(0.95, "buffer-empty", "video"), (2.0, "buffer-loaded", "video")], "network"),
        ([(0.2, "buffer-empty", "audio"), (0.4, "buffer-loaded", "audio")], "cpu"),
        ([(0.2, "buffer-empty", "audio")], "network"),
    ],
)
def test_a_film_that_stands_with_something_loaded_waits_for_the_computer_unless_the_player_says_empty(events, cause):
    positions = np.concatenate((moving(10), np.full(10, 0.9), moving(10, 0.9)))
    (stall,) = find_stalls(play(positions, np.full(30, 5.0), events=events))
    assert stall.cause == cause


def test_sound_that_goes_on_without_a_picture_is_a_stall():
    (stall,) = find_stalls(play(moving(30), np.concatenate((np.full(10, 0.3), np.zeros(20)))))
    assert (stall.start_s, stall.cause) == (pytest.approx(0.9), "network")


def test_what_is_shorter_than_two_samples_is_not_seen():
    positions = np.concatenate((moving(10), moving(10, 0.9)))
    assert find_stalls(play(positions, np.full(20, 5.0))) == []


def test_time_before_the_start_is_no_stall():
    positions = np.concatenate((np.zeros(20), moving(20)))
    assert find_stalls(play(positions, np.concatenate((np.zeros(20), np.full(20, 2.0))), startup_s=2.0)) == []
    never = play(np.zeros(20), np.zeros(20), startup_s=None)
    assert find_stalls(never) == []
    assert summary(never)["qoe_bps"] is None


def test_what_was_loaded_last_of_a_number_is_what_was_shown():
    segments = [segment(0), segment(1), segment(1, 3, 4e6, 1_000_000), segment(2, outcome="abandoned"), segment(5)]
    shown = shown_segments(play(moving(31), np.full(31, 5.0), segments=segments))
    assert shown["number"].tolist() == [0, 1]
    assert shown["quality"].tolist() == [0, 3]
    assert shown["played_s"].tolist() == pytest.approx([2.0, 1.0])


def test_bytes_and_rate_follow_the_position():
    segments = [segment(0), segment(1, 3, 4e6, 1_000_000), segment(0, track="audio", size=8_000)]
    table = timeline(play(moving(41), np.full(41, 5.0), segments=segments))
    assert table["played_bytes"].iloc[10] == pytest.approx(125_000 + 4_000)
    assert table["played_bytes"].iloc[30] == pytest.approx(250_000 + 500_000 + 8_000)
    assert table["rate_bps"].iloc[[10, 30]].tolist() == [1e6, 4e6]


def test_a_summary():
    segments = [segment(0), segment(1, 3, 4e6, 1_000_000), segment(2, 1, 2e6, 500_000), segment(3, outcome="failed")]
    found = summary(play(moving(61), np.full(61, 5.0), segments=segments, received_bytes=np.linspace(0, 2e6, 61)))
    assert (found["switches_up"], found["switches_down"], found["failed_segments"]) == (1, 1, 1)
    assert found["bitrate_mean_bps"] == pytest.approx((1e6 + 4e6 + 2e6) / 3)
    assert (found["received_bytes"], found["played_bytes"]) == (2_000_000, 1_750_000)
    assert (found["stalls"], found["cpu_stall_s"]) == (0, pytest.approx(0, abs=1e-9))


def test_a_computer_that_falls_behind_or_drops_frames_is_at_its_limit():
    slow = play(0.95 * moving(100), np.full(100, 5.0), segments=[segment(i) for i in range(5)])
    assert summary(slow)["cpu_stall_s"] == pytest.approx(0.05 * 9.9)
    assert summary(slow)["cpu_stalls"] == 0
    assert cpu_bound_because(slow) == "the film fell 0.5 s behind although it was loaded"
    steady = play(moving(100), np.full(100, 5.0), segments=[segment(i) for i in range(5)])
    assert cpu_bound_because(steady) == ""
    # 25 frames a second, 3 of them lost.
    drops = {"frames": np.arange(100) * 2.5, "dropped_frames": np.arange(100) * 0.3}
    dropping = play(moving(100), np.full(100, 5.0), segments=[segment(i) for i in range(5)], **drops)
    assert cpu_bound_because(dropping) == "30 frames were dropped"


def test_frames_that_a_browser_drops_after_a_stall_do_not_count():
    positions = np.concatenate((moving(50), np.full(20, 4.9), moving(30, 4.9)))
    buffers = np.concatenate((np.full(49, 1.0), np.zeros(20), np.full(31, 2.0)))
    dropped = np.where(np.arange(100) >= 70, 50.0, 0.0)
    stalled = play(positions, buffers, segments=[segment(i) for i in range(4)], dropped_frames=dropped)
    assert (summary(stalled)["stalls"], summary(stalled)["dropped_frames"]) == (1, 50)
    assert cpu_bound_because(stalled) == ""


def test_linear_qoe_is_that_of_the_paper():
    # Rates 1, 3, 3 Mbit/s; one step of 2; 1 s stalled, half a second waited.
    assert linear_qoe(np.array([1e6, 3e6, 3e6]), 1.0, 0.5) == pytest.approx((7e6 - 2e6 - 3e6 - 1.5e6) / 3)
    assert linear_qoe(np.array([]), 0.0, 1.0) is None


def test_a_play_that_failed_has_no_values():
    found = summary(failed("gone"))
    assert (found["startup_s"], found["received_bytes"], found["stalls"]) == (None, None, 0)


def test_a_film_at_less_than_half_its_speed_stands_still():
    for speed, stalls in ((0.45, 1), (0.55, 0)):
        positions = np.concatenate((moving(10), 0.9 + speed * moving(10, 0.1), moving(10, 3.0)))
        assert len(find_stalls(play(positions, np.full(30, 5.0)))) == stalls


def test_a_stall_of_three_samples_is_seen_and_of_one_is_not():
    for samples, stalls in ((1, 0), (3, 1)):
        positions = np.concatenate((moving(10), np.full(samples - 1, 0.9), moving(20, 0.9)))
        assert len(find_stalls(play(positions, np.full(len(positions), 5.0)))) == stalls


@pytest.mark.parametrize(("buffer_s", "cause"), [(0.49, "network"), (0.5, "cpu")])
def test_a_stall_with_less_than_half_a_second_loaded_is_the_networks(buffer_s, cause):
    positions = np.concatenate((moving(10), np.full(20, 0.9), moving(10, 0.9)))
    (stall,) = find_stalls(play(positions, np.full(40, buffer_s)))
    assert stall.cause == cause


@pytest.mark.parametrize("place", [9, 10])
def test_one_of_the_first_two_samples_of_a_stall_shows_that_nothing_is_left(place):
    positions = np.concatenate((moving(10), np.full(20, 0.9), moving(10, 0.9)))
    buffers = np.full(40, 5.0)
    buffers[place] = 0.4
    assert [stall.cause for stall in find_stalls(play(positions, buffers))] == ["network"]
    buffers[place], buffers[11] = 5.0, 0.4
    assert [stall.cause for stall in find_stalls(play(positions, buffers))] == ["cpu"]


def test_a_track_is_empty_from_the_first_report_until_it_is_loaded():
    positions = np.concatenate((moving(10), np.full(20, 0.9), moving(10, 0.9), np.full(10, 1.8)))
    events = [
        (0.5, "buffer-empty", "video"), (1.2, "buffer-empty", "video"), (1.3, "buffer-loaded", "audio"),
        (2.5, "buffer-loaded", "video"), (3.0, "waiting", "video"), (3.8, "buffer-loaded", "video"),
    ]  # fmt: skip
    first, second = find_stalls(play(positions, np.full(50, 5.0), events=events))
    assert (first.cause, second.cause) == ("network", "cpu")


def test_a_film_that_stands_from_its_start_on_stalls():
    positions = np.concatenate((np.zeros(40), moving(20)))
    (stall,) = find_stalls(play(positions, np.full(60, 5.0), startup_s=2.0))
    assert (stall.start_s, stall.position_s) == (pytest.approx(2.0), 0.0)


def test_segments_are_in_order_and_end_where_the_film_does():
    segments = [segment(2), segment(0), segment(1), segment(0, track="audio"), segment(3, outcome="open")]
    shown = shown_segments(play(moving(46), np.full(46, 5.0), segments=segments))
    assert shown["number"].tolist() == [0, 1, 2]
    assert shown["played_s"].tolist() == pytest.approx([2.0, 2.0, 0.5])
    assert list(shown.columns) == [*play(moving(2), np.ones(2)).segments.columns, "played_s"]
    assert shown.index.tolist() == [0, 1, 2]


def test_a_segment_that_was_loaded_and_not_reached_is_not_shown():
    shown = shown_segments(play(moving(21), np.full(21, 5.0), segments=[segment(0), segment(1)]))
    assert shown["number"].tolist() == [0]


def test_the_rate_is_that_of_the_picture_on_the_screen():
    segments = [segment(0), segment(1, 3, 4e6, 1_000_000)]
    positions = np.concatenate((np.zeros(10), moving(41)))
    table = timeline(play(positions, np.full(51, 5.0), segments=segments, startup_s=1.0))
    assert table["rate_bps"].isna().tolist() == [True] * 10 + [False] * 41
    assert table["rate_bps"].iloc[[10, 29, 31, 50]].tolist() == [1e6, 1e6, 4e6, 4e6]
    assert table["played_bytes"].iloc[[0, 9, 50]].tolist() == pytest.approx([0, 0, 1_250_000])
    never = timeline(play(np.zeros(5), np.zeros(5), startup_s=None, segments=segments))
    assert never["rate_bps"].isna().all() and (never["played_bytes"] == 0).all()


def whole_play():
    """Return start-up of 1 s, film of 3 s, 2 s without data, film of 2 s, 1 s still in spite of data, film of 1 s."""
    positions = np.concatenate(
        (np.zeros(10), moving(30), np.full(20, 3.0), moving(20, 3.0), np.full(10, 5.0), moving(11, 5.0))
    )
    buffers = np.concatenate((np.zeros(10), np.full(31, 2.0), np.zeros(19), np.full(41, 3.0)))
    segments = [
        segment(0), segment(1, 3, 4e6, 1_000_000), segment(2, 1, 2e6, 500_000), segment(3, outcome="failed"),
        segment(3, 2, outcome="abandoned"), segment(3, 2, outcome="abandoned"), segment(0, size=8_000, track="audio"),
    ]  # fmt: skip
    counts = {
        "received_bytes": np.linspace(0, 2e6, 101),
        "frames": np.arange(101) * 1.5,
        "dropped_frames": np.full(101, 4),
    }
    return play(positions, buffers, segments=segments, startup_s=1.0, **counts)


def test_a_summary_has_all_that_happened():
    found = summary(whole_play())
    assert found == {
        "startup_s": 1.0,
        "played_s": 6.0,
        "stalls": 1,
        "stall_s": pytest.approx(2.0),
        "cpu_stalls": 1,
        "cpu_stall_s": pytest.approx(1.0),
        "bitrate_mean_bps": pytest.approx((1e6 + 4e6 + 2e6) / 3),
        "switches_up": 1,
        "switches_down": 1,
        "buffer_mean_s": pytest.approx((31 * 2 + 41 * 3) / 91),
        "buffer_min_s": 0.0,
        "received_bytes": 2_000_000,
        "played_bytes": 1_758_000,
        "abandoned_segments": 2,
        "failed_segments": 1,
        "frames": 150,
        "dropped_frames": 4,
        # 3 Mbit/s for each second of 2 + 1 stalled and of 1 at the start; steps of 3 and 2 Mbit/s.
        "qoe_bps": pytest.approx((7e6 - 5e6 - 9e6 - 3e6) / 3),
    }


def test_a_film_that_never_began_has_only_what_was_received():
    found = summary(play(np.zeros(20), np.zeros(20), startup_s=None, received_bytes=np.full(20, 700.0)))
    nothing = {name for name, value in found.items() if value is None}
    assert nothing == {"startup_s", "bitrate_mean_bps", "buffer_mean_s", "buffer_min_s", "qoe_bps"}
    assert {name for name, value in found.items() if value not in (None, 0)} == {"received_bytes"}


def test_a_mean_rate_weighs_each_segment_by_its_played_part():
    found = summary(play(moving(31), np.full(31, 5.0), segments=[segment(0), segment(1, 3, 4e6)]))
    assert found["bitrate_mean_bps"] == pytest.approx((2 * 1e6 + 1 * 4e6) / 3)


@pytest.mark.parametrize(("behind", "bound"), [(0.019, False), (0.021, True)])
def test_a_computer_may_be_two_per_cent_behind(behind, bound):
    film = play((1 - behind) * moving(101), np.full(101, 5.0), segments=[segment(i) for i in range(5)])
    assert bool(cpu_bound_because(film)) is bound


@pytest.mark.parametrize(("a_second", "bound"), [(2.4, False), (2.6, True)])
def test_a_computer_may_drop_one_frame_in_ten_of_25_a_second(a_second, bound):
    drops = a_second * moving(101)
    segments = [segment(i) for i in range(5)]
    film = play(moving(101), np.full(101, 5.0), segments=segments, dropped_frames=drops)
    assert bool(cpu_bound_because(film)) is bound


@pytest.mark.parametrize(("after_s", "bound"), [(0.9, False), (1.2, True)])
def test_a_browser_may_drop_frames_for_a_second_after_a_stall(after_s, bound):
    positions = np.concatenate((moving(50), np.full(20, 4.9), moving(31, 4.9)))
    buffers = np.concatenate((np.full(49, 1.0), np.zeros(20), np.full(32, 2.0)))
    # The stall ends at 6.9 s.
    dropped = np.where(np.arange(101) * 0.1 > 6.9 + after_s - 0.05, 50.0, 0.0)
    film = play(positions, buffers, segments=[segment(i) for i in range(4)], dropped_frames=dropped)
    assert bool(cpu_bound_because(film)) is bound


def test_frames_dropped_before_the_first_sample_count():
    film = play(
        moving(101), np.full(101, 5.0), segments=[segment(i) for i in range(5)], dropped_frames=np.full(101, 26.0)
    )
    assert cpu_bound_because(film)


@pytest.mark.parametrize(
    "events",
    [
        [(0.2, "buffer-empty", "video"), (0.9, "buffer-loaded", "video")],  # full again as the stall begins
        [(2.0, "buffer-empty", "video")],  # empty as it ends
    ],
)
def test_an_empty_buffer_before_or_after_a_stall_is_not_its_cause(events):
    positions = np.concatenate((moving(10), np.full(10, 0.9), moving(11, 0.9)))
    (stall,) = find_stalls(play(positions, np.full(31, 5.0), events=events))
    assert (stall.start_s, stall.start_s + stall.duration_s, stall.cause) == (0.9, 2.0, "cpu")


@pytest.mark.parametrize(("sample", "bound"), [(48, True), (49, False), (69, False)])
def test_frames_dropped_in_a_stall_do_not_count_and_those_before_it_do(sample, bound):
    positions = np.concatenate((moving(50), np.full(20, 4.9), moving(31, 4.9)))
    buffers = np.concatenate((np.full(50, 1.0), np.zeros(19), np.full(32, 2.0)))
    dropped = np.where(np.arange(101) >= sample, 50.0, 0.0)
    film = play(positions, buffers, segments=[segment(i) for i in range(4)], dropped_frames=dropped)
    assert [stall.start_s for stall in find_stalls(film)] == [pytest.approx(4.9)]
    assert bool(cpu_bound_because(film)) is bound


def test_a_stall_after_a_standstill_that_is_too_short_is_seen():
    positions = np.concatenate((moving(10), moving(10, 0.9), np.full(10, 1.8), moving(10, 1.8)))
    (stall,) = find_stalls(play(positions, np.full(40, 5.0)))
    assert stall.start_s == pytest.approx(1.9)


def test_segments_of_one_quality_in_turn_are_no_switch():
    segments = [segment(i, quality) for i, quality in enumerate((0, 0, 2, 2, 1, 1, 0))]
    found = summary(play(moving(141), np.full(141, 5.0), segments=segments))
    assert (found["switches_up"], found["switches_down"]) == (1, 2)
