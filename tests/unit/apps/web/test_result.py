import json

import pytest

from mmwemu.apps.web.result import interpret
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
