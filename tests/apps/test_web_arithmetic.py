"""Page loads take what bytes, rate and round trips say, and differ where the links do."""

import itertools
import math

import pytest

from mmwemu.apps.web.application import Pages
from mmwemu.apps.web.differences import differences
from mmwemu.apps.web.sites.make import make_site
from mmwemu.apps.web.sites.model import PRESETS, SiteSpec
from mmwemu.pattern.convert import constant
from mmwemu.results import store
from tests.apps import running

pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_browser")]
RTT_S = 0.022
# Of an IP packet of 1500 bytes TCP with time stamps carries 1448; TLS and HTTP/2 frames take some 0.3 % more.
SEGMENT_BYTES, PACKET_BYTES, FRAMING = 1448, 1500, 1.003
INITIAL_WINDOW = 10


def expected_load_s(wire_bytes, rate_bps):
    """Give the time that bytes and round trips take, s.

    The link is busy for the bytes with what carries them. It waits for three round trips until the page comes (TCP,
    TLS 1.3, request); for one after each doubling of the first window until that holds rate times round trip; and for
    two at the end, when deferred scripts and then the pictures they put into the page are asked for. Everything
    between, such as the connections to the other hosts, happens while the link is busy with the page.
    """
    window = INITIAL_WINDOW * SEGMENT_BYTES
    doublings = max(0, math.ceil(math.log2(rate_bps / 8 * RTT_S / window)))
    busy_s = wire_bytes * FRAMING * PACKET_BYTES / SEGMENT_BYTES * 8 / rate_bps
    return busy_s + (3 + doublings + 2) * RTT_S


@pytest.mark.parametrize("sites", [("google", "amazon"), pytest.param(tuple(PRESETS), marks=pytest.mark.long)])
def test_presets_take_bytes_over_rate_and_round_trips(tmp_path, sites):
    """The long form has all presets, the largest of which take 10 s a load."""
    rates_bps = {"slow": 5e6, "fast": 20e6}
    patterns = {name: constant(rate_bps, 60.0) for name, rate_bps in rates_bps.items()}
    runs = running.run(tmp_path, patterns, Pages(sites=sites))
    assert {(run.pattern, run.site) for run in runs} == set(itertools.product(rates_bps, sites))
    bound = []
    for run in runs:
        spec, rate_bps = PRESETS[run.site], rates_bps[run.pattern]
        assert (run.status, run.requests, run.failed_requests) == ("ok", spec.objects, 0)
        assert run.body_bytes == spec.size_bytes
        expected_s = expected_load_s(run.wire_bytes, rate_bps)
        print(f"{run.site:<12} {rate_bps / 1e6:.0f} Mbit/s: {run.on_load_s:.2f} s, expected {expected_s:.2f}, "
              f"control {run.control_on_load_s:.2f}, {run.syn_retransmissions} SYN again")  # fmt: skip
        assert run.on_load_s > 0.9 * expected_s
        # Where the computer alone takes most of that time, the sum says nothing of the link.
        if run.control_on_load_s > 0.7 * expected_s:
            bound.append((run.pattern, run.site))
        else:
            assert run.on_load_s < 1.2 * expected_s, run.site
    assert all(len([name for name, _ in bound if name == pattern]) < len(sites) for pattern in rates_bps)


def test_the_same_pattern_under_two_names_shows_no_difference_and_another_does(tmp_path):
    make_site(SiteSpec("small", 25, 120_000, hosts=3), tmp_path / "small")
    twice, slower = constant(1.5e6, 60.0), constant(0.9e6, 60.0)
    patterns = {"a": twice, "b": twice, "c": slower}
    runs = running.run(tmp_path, patterns, Pages(sites=(str(tmp_path / "small"),)), repetitions=3)
    table = store.to_frame(runs)
    assert table["valid"].sum() >= 7  # a busy machine spoils links
    mean_s = table["speed_index_s"].astype(float).mean()
    # At 99.9 % the same pattern is told apart from itself once in a thousand runs of this test.
    same, _ = differences(table, confidence=0.999)
    _, other = differences(table)
    print(mean_s, same, other)
    assert (same.pattern, same.reference, other.pattern) == ("b", "a", "c")
    assert not same.is_found
    assert abs(same.difference.value) < 0.15 * mean_s
    assert other.is_found
    assert other.difference.value > 0.2 * mean_s


@pytest.mark.parametrize(("outage_s", "more_s"), [(0.6, 1), (2.0, 3), pytest.param(5.0, 7, marks=pytest.mark.long)])
def test_a_connection_that_meets_an_outage_takes_1_3_or_7_s_more(tmp_path, site, shared_controls, outage_s, more_s):
    """The longest takes its 7 s."""
    pattern = running.steps([0.0, 50e6], [0.0, outage_s], outage="drop")
    (run,) = running.run(tmp_path, pattern, Pages(sites=(str(site),), protocol="http"))
    assert run.status == "ok"
    assert run.dropped_outage_bytes >= 40
    assert run.syn_retransmissions >= {1: 1, 3: 2, 7: 3}[more_s]
    assert more_s - 0.05 < run.connect_max_s < more_s + 0.6
    assert more_s - 0.05 < run.ttfb_s < more_s + 0.9


def test_connections_meet_outages_of_s4_over_mmwave_and_none_over_lte(tmp_path, controlled_site):
    # An outage begins 3.468 s into the shipped pattern and lasts 0.951 s; the page begins with it.
    patterns = {name: name for name in ("s4-outage.mmwave", "s4-outage.lte")}
    asked = Pages(sites=(str(controlled_site),))
    runs = running.run(tmp_path, patterns, asked, starts_at_s=(3.47,))
    assert [run.rat for run in runs] == ["mmwave", "lte"]
    for run in runs:
        if run.rat == "mmwave":
            assert run.syn_retransmissions >= 1
            assert 0.95 < run.connect_max_s < 1.7
        else:
            assert (run.syn_retransmissions, run.dropped_outage_bytes) == (0, 0)
            assert run.connect_max_s < 0.4
