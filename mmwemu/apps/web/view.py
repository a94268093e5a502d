"""Page loads on the report page."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from mmwemu.apps.web.film import read_film
from mmwemu.apps.web.metrics import METRICS
from mmwemu.core.bounds import MOST_TEXT_BYTES
from mmwemu.core.errors import InputError
from mmwemu.core.text import parse_json, read_text
from mmwemu.report.view import Course, KeptRun, Metric, Picture, Span, View

_FIRST = ("speed_index_s", "on_load_s", "fcp_s", "lcp_s")
_MOMENTS = {"ttfb_s": "first byte", "fcp_s": "FCP", "lcp_s": "LCP", "on_load_s": "onLoad"}


def course(run: KeptRun) -> Course:
    """Return the moments of a load and, where they were kept, its requests and film strip."""
    kept = run.folder / "pages" / f"{run.row['run']:05}"
    pictures = [Picture(frame.time_s, kept / "film" / frame.file) for frame in read_film(kept)]
    return Course(run.moments(_MOMENTS), _requests(kept / "page.har", run.begin_s), pictures=pictures)


def _requests(har: Path, begin_s: float) -> list[Span]:
    """Return the requests in a HAR, in the order of their begin; none where it is missing or edited into nonsense."""
    if not har.is_file():
        return []
    try:
        log = parse_json(read_text(har, MOST_TEXT_BYTES), str(har))["log"]
        zero = datetime.fromisoformat(log["pages"][0]["startedDateTime"])
        spans = []
        for entry in log["entries"]:
            at_s = begin_s + (datetime.fromisoformat(entry["startedDateTime"]) - zero).total_seconds()
            what = f"{entry['request']['url'].partition('?')[0]}, {entry['response']['status']}"
            spans.append(Span(at_s, at_s + float(entry["time"]) / 1e3, "requests", what))
    except (InputError, KeyError, IndexError, TypeError, ValueError, AttributeError):
        return []
    return sorted(spans, key=lambda span: span.begin_s)


VIEW = View(
    "Page loads",
    tuple(
        Metric(name, METRICS[name], "lower") for name in (*_FIRST, *(name for name in METRICS if name not in _FIRST))
    ),
    ("site", "protocol", "device"),
    course,
)
