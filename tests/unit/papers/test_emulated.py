"""Flows over the link as traces of the cell that it stands for."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mmwemu.core.errors import InputError
from mmwemu.papers.cells import table_of
from mmwemu.papers.emulated import emulated, trace_of
from mmwemu.papers.judge import judge
from mmwemu.papers.variant import Variant
from mmwemu.results import store
from tests.unit.papers.test_course import trace_of as course_of
from tests.unit.papers.test_judge import claim

RUN = {
    "run": 4, "experiment": 2, "application": "flow", "client": 1, "direction": "downlink", "protocol": "tcp",
    "start_at_s": 0.0, "delay_s": 0.02, "scenario": "short", "rat": "mmwave", "repetition": 3, "valid": True,
    "status": "ok", "cpu_bound": False,
}  # fmt: skip


def tables(n=200):
    """Make telemetry of n bins of 10 ms: 1500 bytes in each, and the second half with a queue."""
    time_s = (np.arange(n) * 0.01).round(6)
    down = pd.DataFrame({
        "link": 1, "direction": "downlink", "time_s": time_s, "capacity_bytes": 3000.0, "delivered_bytes": 1500,
        "queue_bytes": np.where(time_s < n * 0.005, 0, 9000), "dropped_queue_packets": 2, "dropped_aqm_packets": 0,
        "dropped_loss_packets": 1, "dropped_outage_packets": 0,
    })  # fmt: skip
    link = pd.concat([down, down.assign(direction="uplink"), down.assign(link=0)])
    ping = pd.DataFrame({"time_s": [0.0, 0.003, 0.5, 0.6], "rtt_s": [0.041, 0.042, np.nan, 0.2]})
    carries = {"role": "server", "local": "a:1", "peer": "b:2", "acked_bytes": [0, 10**7], "ssthresh_bytes": np.nan}
    tcp = pd.concat([
        pd.DataFrame({"time_s": [0.105, 0.305], "cwnd_bytes": [14480, 28960], "rtt_s": 0.04,
                      "retransmissions": [0, 7], **carries}),
        pd.DataFrame({"time_s": [0.1], "cwnd_bytes": [1], "rtt_s": 0.1, "retransmissions": [9],
                      **carries | {"local": "a:9", "acked_bytes": [480]}}),
    ])  # fmt: skip
    return {"link": link, "ping": ping, "tcp": tcp}


def test_the_link_its_pings_and_the_sender_make_a_trace():
    plain = course_of([1e9] * 150, los=[1] * 100 + [0] * 50)
    trace = trace_of(RUN, tables(), plain)
    assert (trace.bin_s, trace.duration_s) == (pytest.approx(0.01), pytest.approx(1.5))
    assert trace.los.tolist() == plain.los.tolist()
    assert trace.phy_rate_bps == pytest.approx(2.4e6)
    assert trace.throughput_bps == pytest.approx(1.2e6 * 1448 / 1500)
    assert trace.rlc_queue_bytes.tolist() == [0] * 100 + [9000] * 50
    assert trace.drops.tolist() == [3] * 150
    sender = trace.optional
    assert sender["ran_delay_s"][4] == pytest.approx(0.0015) and sender["ran_delay_s"][80] == pytest.approx(0.16)
    assert np.count_nonzero(~np.isnan(sender["ran_delay_s"])) == 2
    assert np.isnan(sender["cwnd_bytes"][9]) and sender["cwnd_bytes"][[10, 29, 30]].tolist() == [14480, 14480, 28960]
    assert sender["retransmissions"].tolist() == [0] * 30 + [7] + [0] * 119


def test_without_the_cell_line_of_sight_is_unknown_and_a_flow_of_udp_has_no_sender():
    trace = trace_of(RUN | {"protocol": "udp"}, tables(), None)
    assert np.isnan(trace.los).all() and len(trace.time_s) == 200
    assert set(trace.optional) == {"ran_delay_s"}
    shifted = trace_of(RUN | {"start_at_s": 1.0}, tables(), course_of([1e9] * 150, los=[1] * 100 + [0] * 50))
    assert shifted.los.tolist() == [0] * 50 + [1] * 100


def test_a_flow_without_telemetry_is_refused_by_its_number():
    with pytest.raises(InputError, match=r"^run 4: has no telemetry of its link"):
        trace_of(RUN, {name: table.iloc[:0] for name, table in tables().items()}, None)


def test_flows_of_variants_stand_in_the_table_and_those_not_valid_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "load_table", lambda folder, name, run: tables()[name])
    others = [{"experiment": 1}, {"application": "download"}, {"status": "failed"}, {"valid": False, "repetition": 4}]
    runs = pd.DataFrame([RUN, *(RUN | other for other in others)])
    variant = Variant("deep", None, 2)
    table = table_of(emulated([variant, replace(variant, experiment=None)], runs, tmp_path, {}))
    assert table[["by", "scenario", "variant", "rat", "seed", "state"]].drop_duplicates().to_numpy().tolist() == [
        ["linux", "short", "deep", "mmwave", seed, state] for seed in (3, 4) for state in ("all", "los", "nlos")
    ]
    asked = claim(of="cells", quantity="sum_drops", where={"state": ("all",)}, low=600.0, high=600.0)
    (judged,) = judge([asked], {"runs": runs, "cells": table, "transfers": runs})
    assert (judged.verdict, judged.findings[0].estimate.n) == ("found", 1)
    assert judged.findings[0].why == "1 of 2 runs failed or had a link that was not valid"
