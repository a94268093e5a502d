import json

import pytest

from mmwemu.apps.web.film import read_film, write_times
from mmwemu.apps.web.result import Frame
from mmwemu.apps.web.view import course
from mmwemu.report.view import KeptRun

HAR = {
    "log": {
        "pages": [{"startedDateTime": "2026-01-01T00:00:01.000Z"}],
        "entries": [
            {"startedDateTime": "2026-01-01T00:00:01.500Z", "time": 250, "request": {"url": "https://b.test/x?y"},
             "response": {"status": 404}},
            {"startedDateTime": "2026-01-01T00:00:01.000Z", "time": 100, "request": {"url": "https://a.test/"},
             "response": {"status": 200}},
        ],
    }
}  # fmt: skip


def kept(folder, har=None, **times_s):
    pages = folder / "pages" / "00001"
    (pages / "film").mkdir(parents=True)
    if har is not None:
        (pages / "page.har").write_text(har)
    return KeptRun({"run": 1, "offset_s": 2.0, "duration_s": 1.0, "status": "ok", **times_s}, {}, folder)


def test_requests_are_on_the_clock_of_the_replay(tmp_path):
    found = course(kept(tmp_path, json.dumps(HAR), ttfb_s=0.1, on_load_s=0.9))
    assert [(span.begin_s, span.end_s, span.label) for span in found.spans] == [
        (2.0, 2.1, "https://a.test/, 200"),
        (2.5, 2.75, "https://b.test/x, 404"),
    ]
    assert [(mark.time_s, mark.label) for mark in found.marks] == [(2.1, "first byte"), (2.9, "onLoad")]


@pytest.mark.parametrize(
    "har", ["", "[]", "{}", '{"log": {"pages": [], "entries": []}}', '{"log": {"pages": [{}]}}', "x"]
)
def test_requests_edited_into_nonsense_are_left_out(tmp_path, har):
    assert course(kept(tmp_path, har)).spans == []


def test_the_film_has_the_frames_that_are_there(tmp_path):
    film = kept(tmp_path).folder / "pages" / "00001"
    assert read_film(film) == []
    frames = [Frame(0.1, "0000.jpg"), Frame(0.2, "0001.jpg"), Frame(0.3, "../page.har")]
    (film / "film" / "0000.jpg").write_bytes(b"")
    (film / "page.har").write_bytes(b"")
    write_times(frames, film)
    assert read_film(film) == frames[:1]
    (film / "film" / "times.json").write_text('[{"time_s": "x"}]')
    assert read_film(film) == []
