"""Summary of playback by pattern and start: groups, table, figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mmwemu.apps.stream import figures
from mmwemu.core.units import mbps
from mmwemu.report.effects import effect_table, effects
from mmwemu.report.summary import INTERVAL, Group, Results, Summary, Table, group_runs, interval, number, start_of

METRICS = ("startup_s", "stalls", "stall_s", "cpu_stall_s", "bitrate_mean_bps", "switches", "buffer_mean_s", "qoe_bps")
_KEYS = ("pattern", "rat", "film", "ladder", "player", "abr")
_MBPS = mbps(1.0)


def summarize(results: Results, plots: Path) -> Summary:
    """Draw buffer.png, bytes.png and quality.png in a folder and return the table of playback."""
    groups = play_groups(results)
    traces = []
    for run in results.runs.to_dict("records"):
        tables = results.tables(run["run"])
        traces.append(
            figures.StreamTrace(run["pattern"], run["rat"], tables["buffer"], tables["stalls"], run["cpu_bound"])
        )
    figures.plot_buffer(traces, plots / "buffer.png", "Loaded ahead")
    figures.plot_bytes(traces, plots / "bytes.png", "Received and played")
    figures.plot_quality(traces, plots / "quality.png", "Quality")
    found = effects(groups, METRICS)
    values = {"streams": [group.to_json() for group in groups], "effects": [each.to_json() for each in found]}
    return Summary(values, [play_table(groups), *effect_table(found, {"bitrate_mean_bps": "video bitrate"})])


def play_groups(results: Results) -> list[Group]:
    """Return playback grouped by pattern, film, player and fixed start; ``switches`` counts both directions."""
    runs = results.runs.assign(switches=results.runs["switches_up"] + results.runs["switches_down"])
    keys = [*_KEYS, *([] if results.has_random_starts else ["start_at_s"])]
    return group_runs(replace(results, runs=runs), keys, METRICS)


def play_table(groups: Sequence[Group]) -> Table:
    """Return the printed table: averages over the runs."""
    rows = []
    for group in groups:
        average = {name: estimate.value for name, estimate in group.metrics.items()}
        rows.append(
            (
                group.keys["pattern"],
                start_of(group),
                number(average["startup_s"], 2),
                number(average["stalls"], 1),
                number(average["stall_s"], 1),
                number(average["bitrate_mean_bps"], 2, _MBPS),
                interval(group, "bitrate_mean_bps", lambda value: number(value, 2, _MBPS)),
                number(average["switches"], 1),
                number(average["buffer_mean_s"], 1),
                number(average["qoe_bps"], 2, _MBPS),
                group.runs,
                ", ".join(group.notes("did not begin")),
            )
        )
    header = ("pattern", "from", "start-up [s]", "stalls", "stalled [s]", "video [Mbit/s]", INTERVAL, "switches")
    return Table((*header, "buffer [s]", "QoE", "runs", ""), rows, range(1, 11))
