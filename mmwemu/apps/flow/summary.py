"""Summary of flows: a figure and a table row for each."""

from __future__ import annotations

from pathlib import Path

from mmwemu.apps.flow.figures import plot_flow
from mmwemu.apps.flow.subpath import link_of
from mmwemu.core.units import mbps, ms
from mmwemu.report.summary import Results, Summary, Table, number

_MBPS, _MS = mbps(1.0), ms(1.0)
_RTTS = ("rtt_min_s", "rtt_median_s", "rtt_p95_s")


def summarize(results: Results, plots: Path) -> Summary:
    """Draw flow-RUN.png for each run in a folder and return the table of runs."""
    rows = []
    for run in results.runs.to_dict("records"):
        name = f"{run['pattern']}: {run['protocol'].upper()} {run['direction']}, {run['congestion_control']}"
        subpath = run["subpath"] if isinstance(run.get("subpath"), str) else "whole"  # of old folders: not known
        name += "" if subpath == "whole" else f", {subpath} alone"
        name += ", CPU-bound" if run["cpu_bound"] else ""
        path = plots / f"flow-{run['run']}.png"
        plot_flow(results.tables(run["run"]), run["direction"], path, name, link_of(subpath))
        values = [number(_value(run["goodput_bps"]), 1, _MBPS), *(number(_value(run[rtt]), 1, _MS) for rtt in _RTTS)]
        lost = _value(run["retransmissions"] if run["protocol"] == "tcp" else run["lost_packets"])
        doubts = [*([] if run["valid"] else ["not valid"]), *(["CPU-bound"] if run["cpu_bound"] else [])]
        status = ", ".join([run["status"], *doubts])
        ways = (run["protocol"], subpath, f"{run['start_at_s']:g} s")
        rows.append((run["pattern"], *ways, *values, number(lost, 0), status))
    figures = ("goodput [Mbit/s]", "RTT least [ms]", "median", "95 %", "resent or lost")
    header = ("pattern", "protocol", "subpath", "from", *figures, "")
    return Summary(tables=[Table(header, rows, range(3, 9))])


def _value(value: float | None) -> float:
    return float("nan") if value is None else value
