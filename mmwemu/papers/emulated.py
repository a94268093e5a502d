"""What flows of Linux over the emulated link show, as traces of the cell that the link stands for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mmwemu.apps.flow.figures import senders_of
from mmwemu.core.errors import InputError
from mmwemu.link.profile import MTU_BYTES
from mmwemu.link.telemetry import BIN_S
from mmwemu.papers.cells import Keys
from mmwemu.papers.variant import Variant
from mmwemu.results import store
from mmwemu.testbed.tcp import MSS_BYTES
from mmwemu.trace.model import Floats, Trace

if TYPE_CHECKING:
    import pandas as pd

Plain = Mapping[tuple[str, str], Trace]
"""By scenario and RAT, the trace that the pattern was made of."""

_DROPS = [f"dropped_{reason}_packets" for reason in ("queue", "aqm", "loss", "outage")]
_SAMPLED = ("cwnd_bytes", "ssthresh_bytes", "rtt_s")


def emulated(
    variants: Sequence[Variant], runs: pd.DataFrame, results: Path, plain: Plain
) -> Iterator[tuple[Keys, Trace]]:
    """Yield each flow of the experiments that run variants, as `mmwemu.papers.cells.table_of` takes it.

    Flows that failed are left out.

    Raises
    ------
    InputError
        If a table of the results folder cannot be read.
    """
    names = {variant.experiment: variant.name for variant in variants if variant.experiment is not None}
    chosen = runs["experiment"].isin(list(names)) & (runs["application"] == "flow") & (runs["status"] != "failed")
    for row in runs[chosen].to_dict("records"):
        run = {str(name): value for name, value in row.items()}
        keys = {
            "by": "linux", "scenario": run["scenario"], "variant": names[run["experiment"]], "rat": run["rat"],
            "seed": run["repetition"], "valid": run["valid"], "status": run["status"], "cpu_bound": run["cpu_bound"],
        }  # fmt: skip
        tables = {name: store.load_table(results, name, run["run"]) for name in ("link", "ping", "tcp")}
        yield keys, trace_of(run, tables, plain.get((run["scenario"], run["rat"])))


def trace_of(run: Mapping[str, Any], tables: Mapping[str, pd.DataFrame], plain: Trace | None) -> Trace:
    """Return what one flow shows, in bins of 10 ms from the start of the pattern.

    ``phy_rate_bps`` is the link's capacity, ``throughput_bps`` what it delivered, without headers; ``ran_delay_s`` is
    the round trip of pings that come back in a bin, without the core's delay; the window, its threshold and the
    smoothed round trip are the sender's last sample.

    Parameters
    ----------
    run
        The row of the run.
    tables
        Its rows of the tables ``link``, ``ping`` and ``tcp``.
    plain
        The trace that the pattern was made of, which tells line of sight and the length; None: not known, and the whole
        run.

    Raises
    ------
    InputError
        If there is no telemetry of the run.
    """
    link = tables["link"]
    link = link[(link["link"] == run["client"]) & (link["direction"] == run["direction"])].sort_values("time_s")
    if plain is not None:
        link = link[link["time_s"] < plain.duration_s - BIN_S / 2]
    if len(link) < 2:
        raise InputError(f"run {run['run']}", "has no telemetry of its link")
    time_s: Floats = np.arange(len(link), dtype=np.float64) * BIN_S
    rate = 8 / BIN_S * link["capacity_bytes"].to_numpy(float)
    unknown = np.full(len(link), np.nan)
    return Trace(
        time_s=time_s,
        los=unknown if plain is None else _los(plain, run["start_at_s"] + time_s + BIN_S / 2),
        sinr_db=unknown,
        mcs=unknown,
        phy_rate_bps=np.where(np.isfinite(rate), rate, np.nan),
        throughput_bps=8 / BIN_S * MSS_BYTES / MTU_BYTES * link["delivered_bytes"].to_numpy(float),
        rlc_queue_bytes=link["queue_bytes"].to_numpy(float),
        delay_s=unknown,
        drops=link[_DROPS].sum(axis=1).to_numpy(float),
        meta={"scenario": run["scenario"], "rat": run["rat"]},
        optional={"ran_delay_s": _ran_delay_s(tables["ping"], 2 * run["delay_s"], time_s)}
        | _sender(tables["tcp"], run, time_s),
    )


def _los(plain: Trace, time_s: Floats) -> Floats:
    """Return the line of sight at times in the pattern, which loops."""
    found: Floats = plain.los[np.minimum((time_s % plain.duration_s / plain.bin_s).astype(int), len(plain.los) - 1)]
    return found


def _ran_delay_s(ping: pd.DataFrame, core_s: float, time_s: Floats) -> Floats:
    ping = ping.dropna(subset=["rtt_s"])
    rtt_s = ping["rtt_s"].to_numpy(float)
    row = ((ping["time_s"].to_numpy(float) + rtt_s) / BIN_S).astype(int)
    rtt_s, row = rtt_s[row < len(time_s)], row[row < len(time_s)]
    count = np.bincount(row, minlength=len(time_s))
    total = np.bincount(row, weights=np.maximum(rtt_s - core_s, 0.0), minlength=len(time_s))
    means: Floats = np.divide(total, count, out=np.full(len(time_s), np.nan), where=count > 0)
    return means


def _sender(tcp: pd.DataFrame, run: Mapping[str, Any], time_s: Floats) -> dict[str, Floats]:
    """Return the columns of the connection that carried the most; none of a flow of UDP."""
    if run["protocol"] != "tcp":
        return {}
    senders = senders_of(tcp, run["direction"])
    if not senders:
        return {}
    own = max(senders, key=lambda samples: float(samples["acked_bytes"].max())).sort_values("time_s")
    # The last sample before the end of each bin.
    row = np.searchsorted(own["time_s"].to_numpy(float), time_s + BIN_S) - 1
    found = {name: np.where(row < 0, np.nan, own[name].to_numpy(float)[row]) for name in _SAMPLED}
    again = np.where(row < 0, 0.0, own["retransmissions"].to_numpy(float)[row])
    return found | {"retransmissions": np.diff(again, prepend=0.0)}
