import pandas as pd

from mmwemu.report.variations import named_by_variation


def names(**columns):
    return named_by_variation(pd.DataFrame({"pattern": ["p", "q"], **columns}))["pattern"].tolist()


def test_what_varies_is_part_of_the_name():
    assert names(congestion_control=["bbr", "bbr"], delay_s=[0.011, 0.011]) == ["p", "q"]
    assert names(congestion_control=["bbr", "cubic"], delay_s=[0.011, 0.005]) == [
        "p, bbr, 11 ms delay", "q, cubic, 5 ms delay",
    ]  # fmt: skip
    assert names(queue_bytes=[1_500_000, 3_000_000]) == ["p, 1.5 MB queue", "q, 3 MB queue"]
    assert names(queue_packets=[None, 100], aqm=["codel", "pie"]) == ["p, codel", "q, queue packets 100, pie"]
    assert names(uplink_queue_s=[0.1, None]) == ["p, 100 ms uplink queue", "q"]


def test_the_runs_stay_as_they_are():
    runs = pd.DataFrame({"pattern": ["p", "p"], "congestion_control": ["bbr", "reno"]})
    assert named_by_variation(runs)["pattern"].tolist() == ["p, bbr", "p, reno"]
    assert runs["pattern"].tolist() == ["p", "p"]


def test_testbeds_that_differ_are_told_apart():
    assert names(clients=[1, 5], edge=[False, True]) == ["p, 1 client", "q, 5 clients, edge"]
    assert names(core_rate_bps=[None, 5e7], scheduler=["fifo", "round-robin"]) == [
        "p, fifo", "q, round-robin, core 50 Mbit/s",
    ]  # fmt: skip


def test_options_of_an_application_are_told_apart_only_between_experiments():
    columns = {"player": ["browser", "headless"], "limit_s": [40.0, 10.0]}
    assert names(**columns) == ["p", "q"]
    assert names(experiment=[1, 1], **columns) == ["p", "q"]
    assert names(experiment=[1, 2], **columns) == ["p, 40 s limit, browser", "q, 10 s limit, headless"]
    runs = pd.DataFrame({"experiment": [1, 1, 2], "pattern": "p", "site": ["a", "b", "a"], "error": ["", "", "x"]})
    assert named_by_variation(runs)["pattern"].tolist() == ["p"] * 3
