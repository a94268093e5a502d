"""Explanations of real runs: what is known of the link must be found, and what is removed must be saved."""

from pathlib import Path

import pandas as pd
import pytest

from mmwemu.apps.download.application import Downloads
from mmwemu.apps.web.application import Pages
from mmwemu.core.errors import InputError
from mmwemu.pattern.convert import constant
from mmwemu.results import store
from mmwemu.results.collection import open_folder
from mmwemu.study.conduct import conduct
from mmwemu.study.explain import what_if
from mmwemu.study.explain.changes import parse
from mmwemu.study.explain.explanation import explain
from mmwemu.study.plan import ReplayPlan
from tests.apps.running import saved, steps

pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_link")]

SIZE_BYTES = 2_000_000
PACKET_BYTES, PAYLOAD_BYTES = 1500, 1448
AIRTIME_S = SIZE_BYTES / PAYLOAD_BYTES * PACKET_BYTES * 8 / 20e6


def conducted(folder: Path, pattern, application=None, **plan):
    """Run an application once over a pattern with its packets, and return its results folder."""
    asked = ReplayPlan(packets=("parquet",), **plan)
    file = saved(folder, pattern)
    conduct(application or Downloads((SIZE_BYTES,)), [file], asked, folder / "r", [])
    return open_folder(folder / "r")


@pytest.mark.parametrize("outage", ["hold", "drop"])
def test_an_outage_and_the_bytes_take_what_they_must(tmp_path, outage):
    folder = conducted(tmp_path, steps([20e6, 0, 20e6], [0, 0.4, 1.4], outage=outage))
    found = explain(folder, 1)
    assert found.run["valid"]
    assert found.length_s == pytest.approx(found.run["duration_s"], abs=1e-6)
    assert sum(found.parts_s.values()) == pytest.approx(found.length_s, abs=1e-6)
    assert found.parts_s["outage"] == pytest.approx(1.0, abs=0.02)
    assert found.parts_s["transfer"] == pytest.approx(AIRTIME_S, rel=0.02)
    assert found.parts_s["setup"] == pytest.approx(0.022, abs=0.01)


def test_a_timeout_after_an_outage_that_drops_everything_is_told(tmp_path):
    # The outage begins before the first data, so that no packet in the queue comes after it and wakes the sender.
    folder = conducted(tmp_path, steps([20e6, 0, 20e6], [0, 0.03, 0.7], outage="drop"))
    found = explain(folder, 1)
    packets = pd.read_parquet(folder.path / "packets" / "00001.parquet")
    came = (packets["direction"] == "downlink") & (packets["payload_bytes"] > 0) & packets["delivery_s"].notna()
    first_s = packets.loc[came, "arrival_s"].min()
    assert first_s > 0.71
    # The sender waited for its timer all the while; the outage has what of this it covers.
    assert found.parts_s["timeout"] == pytest.approx(first_s - 0.7, abs=0.002)
    assert found.parts_s["outage"] > 0.6
    assert found.lost_packets > 0 and found.repeated_packets > 0


def test_what_an_outage_is_said_to_cost_is_saved_without_it(tmp_path):
    folder = conducted(tmp_path, steps([20e6, 0, 20e6], [0, 0.4, 1.4]))
    found = explain(folder, 1)
    answer = what_if.replay(folder, found.run, parse("no-outage"), 3, tmp_path / "w", [])
    assert answer.difference_s.n + len(answer.left_out) == 3 and answer.difference_s.n
    assert answer.difference_s.value == pytest.approx(-found.parts_s["outage"], abs=0.1)
    runs = store.load(tmp_path / "w")
    assert runs["pattern"].tolist() == ["p", "p.no-outage"] * 3
    assert runs["seed"].nunique() == runs["start_at_s"].nunique() == 1


def first_flight(file: Path) -> int:
    """Return the packets with data that the server sent within half a round trip of the first."""
    packets = pd.read_parquet(file)
    sent_s = packets.loc[(packets["direction"] == "downlink") & (packets["payload_bytes"] > 0), "sent_s"]
    return int((sent_s < sent_s.min() + 0.1).sum())


def test_a_larger_initial_window_saves_rounds_of_slow_start(tmp_path):
    folder = conducted(tmp_path, constant(200e6, 60), delay_s=0.1)
    found = explain(folder, 1)
    answer = what_if.replay(folder, found.run, parse("initcwnd=160"), 2, tmp_path / "w", [])
    # 10 packets double four times to 160, a round trip of 0.2 s each.
    assert answer.difference_s.value == pytest.approx(-0.8, abs=0.15)
    assert found.parts_s["slow_start"] > 0.8
    assert [first_flight(tmp_path / "w" / "packets" / f"{number:05}.parquet") for number in (1, 2)] == [10, 160]
    runs = store.load(tmp_path / "w")
    assert runs["initial_window"].fillna(0).tolist() == [0, 160, 0, 160]
    assert runs["used_initial_window"].dropna().tolist() == [160, 160]


@pytest.mark.parametrize(
    ("text", "column", "values"),
    [("cc=reno", "congestion_control", ["cubic", "reno"]), ("queue=40kB", "queue_bytes", [1_500_000, 40_000])],
)
def test_other_changes_reach_every_second_replay(tmp_path, text, column, values):
    folder = conducted(tmp_path, constant(20e6, 60), Downloads((200_000,)), queue_bdp=None)
    found = explain(folder, 1)
    answer = what_if.replay(folder, found.run, parse(text), 2, tmp_path / "w", [])
    runs = store.load(tmp_path / "w")
    assert runs[column].tolist() == values * 2 and len(answer.base_s) + len(answer.left_out) == 2
    assert set(runs["uplink_queue_bytes"]) == {1_500_000}


def test_a_pattern_that_has_changed_is_refused(tmp_path):
    folder = conducted(tmp_path, constant(20e6, 60), Downloads((20_000,)))
    saved(tmp_path, constant(30e6, 60))
    with pytest.raises(InputError, match="pattern p: is not where it was, or has changed since"):
        what_if.replay(folder, explain(folder, 1).run, parse("cc=reno"), 2, tmp_path / "w", [])
    assert not (tmp_path / "w").exists()


def test_one_of_two_clients_waits_in_the_queue_behind_the_other(tmp_path):
    folder = conducted(tmp_path, constant(20e6, 60), Downloads((500_000,)), clients=2)
    for number in (1, 2):
        found = explain(folder, number)
        assert sum(found.parts_s.values()) == pytest.approx(found.run["duration_s"], abs=1e-6)
    # The link is full until the first of both is done: that one waited for about as long as it sent.
    first = min((explain(folder, number) for number in (1, 2)), key=lambda one: one.length_s)
    assert first.parts_s["transfer"] == pytest.approx(AIRTIME_S / 4, rel=0.03)
    assert first.parts_s["queue"] > 0.3 * first.parts_s["transfer"]


def test_a_page_load_is_its_parts(tmp_path, site, needs_browser):
    folder = conducted(tmp_path, constant(2e6, 60), Pages(sites=(str(site),)))
    found = explain(folder, 1)
    assert found.length_s == pytest.approx(found.run["on_load_s"], abs=0.003)
    assert sum(found.parts_s.values()) == pytest.approx(found.length_s, abs=1e-6)
    # 400 kB at 2 Mbit/s are 1.6 s; headers of packets and HTTP come on top.
    assert 1.6 < found.parts_s["transfer"] < 1.9
    # TCP and TLS take a round trip each on the first connection, which nothing can hide.
    assert found.parts_s["setup"] > 0.040
    assert found.parts_s["computer"] > 0 and found.parts_s["request"] > 0.02
