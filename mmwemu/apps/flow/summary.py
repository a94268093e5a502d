"""Summary of flows: a figure and a table row for each."""

from __future__ import annotations

from pathlib import Path

from mmwemu.apps.flow.figures import plot_flow
from mmwemu.core.units import mbps, ms
from mmwemu.report.summary import Results, Summary, Table, number

_MBPS, _MS = mbps(1.0), ms(1.0)
_RTTS = ("rtt_min_s", "rtt_median_s", "rtt_p95_s")


def summarize(results: Results, plots: Path) -> Summary:
    """Draw flow-RUN.png for each run in a folder and return the table of runs."""
    rows = []
    for run in results.runs.to_dict("records"):
        name = f"{run['pattern']}: {run['protocol'].upper()} {run['direction']}, {run['congestion_control']}"
        name += ", CPU-bound" if run["cpu_bound"] else ""
        plot_flow(results.tables(run["run"]), run["direction"], plots / f"flow-{run['run']}.png", name)
        values = [number(_value(run["goodput_bps"]), 1, _MBPS), *(number(_value(run[rtt]), 1, _MS) for rtt in _RTTS)]
        lost = _value(run["retransmissions"] if run["protocol"] == "tcp" else run["lost_packets"])
        doubts = [*([] if run["valid"] else ["not valid"]), *(["CPU-bound"] if run["cpu_bound"] else [])]
        status = ", ".join([run["status"], *doubts])
        rows.append((run["pattern"], f"{run['start_at_s']:g} s", *values, number(lost, 0), status))
    header = ("pattern", "from", "goodput [Mbit/s]", "RTT least [ms]", "median", "95 %", "resent or lost", "")
    return Summary(tables=[Table(header, rows, range(1, 7))])


def _value(value: float | None) -> float:
    return float("nan") if value is None else value
