"""Engine that computes a cell with simple arithmetic, for tests of the later stages."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from mmwemu.core.progress import OnProgress, Progress, ignore
from mmwemu.scenario.geometry import extra_loss_db, los
from mmwemu.scenario.model import Rat, Scenario
from mmwemu.scenario.random_boxes import placed
from mmwemu.simulate.config import scenario_hash
from mmwemu.trace.model import Floats, Trace

BIN_S = 0.001
_HEADER_BYTES = 28
_LOS_DB, _NLOS_DB, _LTE_DB = 38.0, -1.0, 37.0
_NOISE_DB = 0.5
_MMWAVE_PEAK_BPS, _LTE_PEAK_BPS = 3.1e9, 75e6
_EFFICIENCY = 0.31
_TOP_MCS = 28


class FakeEngine:
    """Simulates levels near those of ``mmwemu-cell``: SINR by line of sight alone, rate as a share of Shannon's."""

    def simulate(self, scenario: Scenario, rat: Rat, seed: int, on_progress: OnProgress = ignore) -> Trace:
        """Simulate; see `mmwemu.simulate.engine.Engine`."""
        scenario_sha256 = scenario_hash(scenario, rat)
        scenario = placed(scenario, seed)
        n = round(scenario.duration_s / BIN_S)
        time_s: Floats = np.arange(n, dtype=np.float64) * BIN_S
        free = los(scenario, time_s)
        if rat == "lte":
            sinr_db = np.full(n, _LTE_DB)
            rate_bps = np.full(n, _LTE_PEAK_BPS)
        else:
            sinr_db = np.where(free, _LOS_DB, _NLOS_DB - extra_loss_db(scenario, time_s))
            sinr_db = sinr_db + np.random.default_rng(seed).normal(0.0, _NOISE_DB, n)
            share = _EFFICIENCY * scenario.mmwave.bandwidth_hz * np.log2(1 + 10 ** (sinr_db / 10))
            rate_bps = np.minimum(share, _MMWAVE_PEAK_BPS)
        buffer_bytes = (scenario.lte if rat == "lte" else scenario.mmwave).rlc_buffer_bytes
        throughput_bps, queue_bytes, delay_s, drops = _fluid(scenario, time_s, rate_bps, buffer_bytes)
        mcs = np.where(throughput_bps > 0, np.clip(np.round(_TOP_MCS * sinr_db / _LOS_DB), 0, _TOP_MCS), np.nan)
        on_progress(Progress("simulate", scenario.duration_s, scenario.duration_s))
        meta = {
            "scenario": scenario.name,
            "scenario_hash": scenario_sha256,
            "rat": rat,
            "engine": "fake",
            "seed": seed,
            "payload_bytes": scenario.traffic.payload_bytes,
            "header_bytes": _HEADER_BYTES,
            "outage": asdict(scenario.outage),
        }
        return Trace(
            time_s, free.astype(float), sinr_db, mcs, rate_bps, throughput_bps, queue_bytes, delay_s, drops, meta
        )


def _fluid(
    scenario: Scenario, time_s: Floats, rate_bps: Floats, buffer_bytes: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Model a drop-tail queue as a fluid; return throughput in bit/s, queued bytes, delay in s and drops, all [n]."""
    packet_bytes = scenario.traffic.payload_bytes + _HEADER_BYTES
    payload_share = scenario.traffic.payload_bytes / packet_bytes
    arrives = time_s >= scenario.traffic.start_s + scenario.core.delay_s
    arrival_bytes = np.where(arrives, scenario.traffic.rate_bps / payload_share * BIN_S / 8, 0.0)
    n = len(time_s)
    served_bytes, queue_bytes, lost_bytes = np.zeros(n), np.zeros(n), np.zeros(n)
    queue = 0.0
    for i in range(n):
        there = queue + arrival_bytes[i]
        served_bytes[i] = min(there, rate_bps[i] * BIN_S / 8)
        left = there - served_bytes[i]
        queue = min(left, buffer_bytes)
        lost_bytes[i] = left - queue
        queue_bytes[i] = queue
    drops = np.diff(np.floor(np.cumsum(lost_bytes) / packet_bytes), prepend=0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        delay_s = scenario.core.delay_s + queue_bytes * 8 / rate_bps
    delay_s = np.where(served_bytes > 0, delay_s, np.nan)
    return served_bytes * 8 / BIN_S * payload_share, queue_bytes, delay_s, drops
