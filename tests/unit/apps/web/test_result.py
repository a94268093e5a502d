import json

import pytest

from mmwemu.apps.web.result import Frame, interpret
from mmwemu.core.errors import InputError

GOOD = {
    "format": 1,
    "status": "ok",
    "error": "",
    "browser": "HeadlessChrome/1",
    "duration_s": 1.5,
    "timings": {"ttfb_s": 0.1, "fcp_s": 0.5, "on_load_s": 1.4, "lcp_s": None},
    "visual": {"speed_index_s": 0.8, "above_the_fold_s": 1.2, "visual_s": {"85": 1.0}, "frames": [], "note": ""},
    "network": {"requests": 3, "failed_requests": 0, "body_bytes": 10, "wire_bytes": 12, "protocols": ["h2"]},
    "connections": [{"host": "a", "connect_s": 0.05}, {"host": "b", "connect_s": 1.07}],
    "cost": {"browser_cpu_s": 0.4, "machine_load": 0.5},
}


def test_a_result_becomes_a_load():
    load = interpret(json.dumps(GOOD))
    assert (load.status, load.ttfb_s, load.lcp_s, load.visual_85_s, load.visual_95_s) == ("ok", 0.1, None, 1.0, None)
    assert (load.connections, load.connect_max_s, load.requests, load.protocols) == (2, 1.07, 3, "h2")


def test_a_load_without_contentful_paint_failed():
    load = interpret(json.dumps(GOOD | {"timings": {"on_load_s": 1.4}}))
    assert (load.status, load.error) == ("failed", "the page drew nothing: no first contentful paint")


def test_a_browser_that_broke_is_a_failed_load():
    load = interpret('{"format": 1, "status": "failed", "error": "browser: gone"}')
    assert (load.status, load.error, load.ttfb_s) == ("failed", "browser: gone", None)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "is not valid JSON"),
        ("[]", "format: is None"),
        (json.dumps(GOOD | {"format": 2}), "format: is 2; this mmwemu reads 1"),
        (json.dumps(GOOD | {"status": "fine"}), "status: is 'fine'"),
        (json.dumps(GOOD | {"visual": None}), "visual: must be an object"),
        (json.dumps(GOOD | {"timings": {"fcp_s": -1}}), "fcp_s: is -1; must be a number"),
        (json.dumps(GOOD | {"timings": {"fcp_s": "1"}}), "fcp_s: is '1'"),
        (json.dumps(GOOD | {"connections": [1]}), "connections: must be a list of objects"),
    ],
)
def test_another_shape_is_refused(text, problem):
    with pytest.raises(InputError, match=problem):
        interpret(text)


def test_each_value_has_its_place():
    timings = ["ttfb_s", "first_paint_s", "fcp_s", "lcp_s", "dom_interactive_s", "dom_content_loaded_s", "on_load_s",
               "cls", "tbt_s"]  # fmt: skip
    counts = ["requests", "failed_requests", "body_bytes", "wire_bytes", "retransmissions", "syn_retransmissions"]
    visual = {"speed_index_s": 21.0, "above_the_fold_s": 22.0, "visual_s": {"85": 23.0, "95": 24.0, "99": 25.0},
              "frames": [{"time_s": 0.1, "file": "a.png"}, {"file": "b.png"}], "note": "doubtful"}  # fmt: skip
    answer = GOOD | {
        "timings": {name: float(i) for i, name in enumerate(timings, 1)},
        "network": {name: i for i, name in enumerate(counts, 11)} | {"protocols": ["h2", "h3"]},
        "visual": visual,
    }
    load = interpret(json.dumps(answer))
    assert [getattr(load, name) for name in timings] == list(range(1, 10))
    assert [getattr(load, name) for name in counts] == list(range(11, 17))
    assert (load.speed_index_s, load.above_the_fold_s, load.visual_note) == (21.0, 22.0, "doubtful")
    assert (load.visual_85_s, load.visual_95_s, load.visual_99_s) == (23.0, 24.0, 25.0)
    assert load.frames == (Frame(0.1, "a.png"), Frame(0.0, "b.png"))
    assert (load.duration_s, load.browser, load.protocols) == (1.5, "HeadlessChrome/1", "h2 h3")
    assert (load.browser_cpu_s, load.machine_load, load.error) == (0.4, 0.5, "")


def test_without_connections_there_is_no_longest():
    load = interpret(json.dumps(GOOD | {"connections": []}))
    assert (load.connections, load.connect_max_s) == (0, None)
    assert interpret(json.dumps(GOOD | {"connections": [{"host": "a"}]})).connect_max_s == 0


def test_what_is_absent_is_zero_or_empty():
    bare = {"format": 1, "status": "timeout", "error": "late", "timings": {}, "network": {}, "cost": {},
            "visual": {"visual_s": {}, "frames": []}, "connections": []}  # fmt: skip
    load = interpret(json.dumps(bare))
    assert (load.status, load.error, load.duration_s, load.browser, load.visual_note) == (
        "timeout",
        "late",
        0.0,
        "",
        "",
    )
    assert (load.requests, load.protocols, load.frames) == (0, "", ())


def test_a_browser_that_broke_without_a_word_says_so():
    load = interpret('{"format": 1, "status": "failed", "error": ""}')
    assert (load.error, load.duration_s) == ("the browser measured nothing", 0.0)
