"""What the simulation's source was, by its trace and scenario."""

from dataclasses import replace

import numpy as np
import pytest

from mmwemu.core.errors import InputError
from mmwemu.link.packets import RECORD
from mmwemu.scenario import read
from mmwemu.scenario.model import Traffic
from mmwemu.simulate.fake import FakeEngine
from mmwemu.study.fidelity import _source_late, source_of

S1 = read.load("s1-long-nlos")


@pytest.fixture(scope="module")
def trace():
    return FakeEngine().simulate(S1, "mmwave", 1)


def test_the_shipped_scenario_that_a_trace_names_has_the_source(trace):
    found = source_of(trace)
    assert (found.traffic, found.core_delay_s, found.buffer_bytes, found.protocol) == (
        S1.traffic,
        0.01,
        20 << 20,
        "udp",
    )


def test_the_state_of_a_tcp_sender_means_tcp(trace):
    with_tcp = replace(trace, optional={"cwnd_bytes": np.zeros(len(trace.time_s))})
    assert source_of(with_tcp).protocol == "tcp"
    assert source_of(with_tcp, protocol="udp").protocol == "udp"


def test_another_scenario_is_refused(trace):
    with pytest.raises(InputError, match="s2-crossings has other settings than the trace was made with"):
        source_of(trace, read.load("s2-crossings"))
    stranger = replace(trace, meta={**trace.meta, "scenario": "mine"})
    with pytest.raises(InputError, match="is 'mine', which is not shipped; give its file with --scenario"):
        source_of(stranger)
    with pytest.raises(InputError, match="trace: rat: is None; must be mmwave or lte"):
        source_of(replace(trace, meta={}))


def test_packets_that_no_link_takes_are_refused():
    large = replace(S1, traffic=Traffic(1e9, 9000), duration_s=1.0)
    with pytest.raises(InputError, match="makes packets of 9000 bytes and headers; a link takes 1500 bytes"):
        source_of(FakeEngine().simulate(large, "mmwave", 1), large)


def test_a_source_that_fell_behind_makes_a_measurement_not_valid(trace):
    source = source_of(trace)
    records = np.zeros(10_000, RECORD)
    records["number"] = np.arange(1, 10_001)
    due_s = np.arange(10_000) * 1400 * 8 / 1001e6
    assert _source_late(records, 5.0 + due_s, source) == []
    late_s = due_s + np.where(np.arange(10_000) >= 9_800, 0.02, 0.0)
    assert (
        "1 % of the packets were sent more than 20.0 ms late (5 ms are allowed)"
        in _source_late(records, late_s, source)[0]
    )
    assert _source_late(records[:0], due_s[:0], source) == ["no packet came to the link"]
