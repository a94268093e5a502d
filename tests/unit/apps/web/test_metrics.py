from dataclasses import fields

from mmwemu.apps.web.metrics import METRICS
from mmwemu.apps.web.record import WebRun


def test_every_metric_is_a_column_of_a_load():
    assert set(METRICS) <= {field.name for field in fields(WebRun)}


def test_the_first_six_are_those_of_figure_9_of_the_study():
    assert list(METRICS.values())[:6] == [
        "TTFB", "first paint", "DOM interactive", "DOM content loaded", "onLoad", "above the fold",
    ]  # fmt: skip
    assert list(METRICS.values())[6:] == [
        "FCP", "LCP", "TBT", "85 % visible", "95 % visible", "99 % visible", "Speed Index",
    ]  # fmt: skip
