import json

import pytest

from mmwemu.apps.stream.result import interpret
from mmwemu.core.errors import InputError

SAMPLE = {"time_s": 0.1, "position_s": 0, "buffer_s": 0, "received_bytes": 5, "frames": 0, "dropped_frames": 0,
          "quality": None, "throughput_bps": None}  # fmt: skip
SEGMENT = {"track": "video", "number": 0, "start_s": 0, "duration_s": 2, "quality": 1, "rate_bps": 1e6, "bytes": 250,
           "requested_s": 0.1, "first_byte_s": None, "ended_s": 0.3, "outcome": "ok"}  # fmt: skip
GOOD = {
    "format": 1, "status": "ok", "error": "", "script": "dash.js 5", "player": "HeadlessChrome/1", "duration_s": 8.0,
    "startup_s": 0.4, "samples": [SAMPLE], "segments": [SEGMENT],
    "events": [{"time_s": 0.4, "event": "playing", "track": ""}], "cost": {"browser_cpu_s": 1, "machine_load": 0.2},
}  # fmt: skip


def test_a_result_becomes_a_play():
    play = interpret(json.dumps(GOOD))
    assert (play.status, play.startup_s, play.player) == ("ok", 0.4, "dash.js 5 HeadlessChrome/1")
    assert play.samples["received_bytes"].tolist() == [5]
    assert play.samples["quality"].isna().all()
    assert play.segments["track"].tolist() == ["video"]
    assert play.events["event"].tolist() == ["playing"]


def test_a_player_that_broke_is_a_failed_play():
    play = interpret('{"format": 1, "status": "failed", "error": "gone"}')
    assert (play.status, play.error, play.startup_s) == ("failed", "gone", None)
    assert len(play.samples) == len(play.segments) == len(play.events) == 0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "is not valid JSON"),
        ("[]", "format: is None"),
        (json.dumps(GOOD | {"format": 2}), "format: is 2; this mmwemu reads 1"),
        (json.dumps(GOOD | {"status": "fine"}), "status: is 'fine'"),
        (json.dumps(GOOD | {"cost": None}), "cost: must be an object"),
        (json.dumps(GOOD | {"samples": 1}), "samples: must be a list of objects"),
        (json.dumps(GOOD | {"samples": [SAMPLE | {"time_s": None}]}), "time_s: is missing or null"),
        (json.dumps(GOOD | {"samples": [SAMPLE | {"buffer_s": -1}]}), "buffer_s: is -1; must be a number"),
        (json.dumps(GOOD | {"segments": [SEGMENT | {"track": "text"}]}), "track: is 'text'"),
        (json.dumps(GOOD | {"segments": [SEGMENT | {"outcome": "?"}]}), "outcome: is '\\?'"),
    ],
)
def test_another_shape_is_refused(text, problem):
    with pytest.raises(InputError, match=problem):
        interpret(text)


def test_each_value_has_its_place():
    play = interpret(json.dumps(GOOD))
    assert (play.duration_s, play.browser_cpu_s, play.machine_load, play.error) == (8.0, 1.0, 0.2, "")
    (sample,), (segment,), (event,) = (table.to_dict("records") for table in (play.samples, play.segments, play.events))
    assert {name: value for name, value in sample.items() if value == value} == {
        name: value for name, value in SAMPLE.items() if value is not None
    }
    assert {name: value for name, value in segment.items() if value == value} == {
        name: value for name, value in SEGMENT.items() if value is not None
    }
    assert event == {"time_s": 0.4, "event": "playing", "track": ""}
    assert sorted(sample) == sorted(SAMPLE) and sorted(segment) == sorted(SEGMENT)


@pytest.mark.parametrize("name", [name for name, value in SEGMENT.items() if name != "first_byte_s"])
def test_each_value_of_a_segment_but_its_first_byte_is_required(name):
    with pytest.raises(InputError, match=f"{name}: is"):
        interpret(json.dumps(GOOD | {"segments": [SEGMENT | {name: None}]}))


@pytest.mark.parametrize("name", ["position_s", "buffer_s", "received_bytes", "frames", "dropped_frames"])
def test_each_value_of_a_sample_but_the_players_own_is_required(name):
    with pytest.raises(InputError, match=f"^stream result: {name}: is missing or null; must be a number$"):
        interpret(json.dumps(GOOD | {"samples": [SAMPLE | {name: None}]}))


def test_an_event_needs_a_time_and_outcomes_and_tracks_are_known():
    with pytest.raises(InputError, match="time_s: is missing or null"):
        interpret(json.dumps(GOOD | {"events": [{"event": "playing"}]}))
    for outcome in ("ok", "abandoned", "failed", "open"):
        for track in ("video", "audio"):
            text = json.dumps(GOOD | {"segments": [SEGMENT | {"outcome": outcome, "track": track}]})
            assert interpret(text).segments[["outcome", "track"]].to_numpy().tolist() == [[outcome, track]]


def test_a_player_that_broke_without_a_word_says_so():
    broken = interpret('{"format": 1, "status": "failed", "error": ""}')
    assert (broken.error, broken.duration_s) == ("the player measured nothing", 0.0)
    missing = {name: value for name, value in GOOD.items() if name not in ("duration_s", "script")}
    assert (interpret(json.dumps(missing)).duration_s, interpret(json.dumps(missing)).player) == (
        0.0,
        "HeadlessChrome/1",
    )
