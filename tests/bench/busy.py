"""Busy loops beside applications: from how many on runs are marked, and what error remains in those that are not.

The error is the difference from the median of the unmarked runs without busy loops. It includes what is no fault of the
computer, such as the chance in a flow's slow start: the rows without busy loops show how much.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from mmwemu.apps.download.application import Downloads
from mmwemu.apps.flow.application import Flows
from mmwemu.apps.flow.settings import FlowSettings
from mmwemu.apps.web.application import Pages
from mmwemu.pattern.convert import constant
from mmwemu.pattern.formats import native
from mmwemu.results import store
from mmwemu.study.experiment import run_application
from mmwemu.study.plan import ReplayPlan

REPETITIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 10
LOOPS = range(5)
BUSY = [sys.executable, "-I", "-S", "-c", "while True: pass"]
CASES = (
    ("download 10 MB", 20e6, Downloads(sizes_bytes=(10_000_000,)), "duration_s"),
    ("download 20 MB", 100e6, Downloads(sizes_bytes=(20_000_000,)), "duration_s"),
    ("flow 4 s", 550e6, Flows((FlowSettings(duration_s=4.0),)), "goodput_bps"),
    ("web huffpost", 20e6, Pages(("huffpost",)), "on_load_s"),
)


def runs_beside(loops, rate_bps, application):
    """Give the runs of an application beside busy loops."""
    programs = [subprocess.Popen(BUSY) for _ in range(loops)]
    try:
        with tempfile.TemporaryDirectory() as folder:
            native.save(constant(rate_bps, 60.0), Path(folder) / "p.csv")
            with store.create(store.Experiment("busy", [], {}), Path(folder) / "r") as writer:
                plan = ReplayPlan(repetitions=REPETITIONS)
                return run_application([Path(folder) / "p.csv"], plan, application, writer)
    finally:
        for program in programs:
            program.kill()
            program.wait()


print(f"{os.cpu_count()} processors, {REPETITIONS} runs a row")
print("application      Mbit/s  loops  not valid  marked  held up, median  worst error  unmarked", flush=True)
for name, rate_bps, application, metric in CASES:
    quiet = None
    for loops in LOOPS:
        runs = [run for run in runs_beside(loops, rate_bps, application) if run.status == "ok"]
        good = [run for run in runs if run.valid and getattr(run, metric)]
        unmarked = [getattr(run, metric) for run in good if not run.cpu_bound]
        quiet = quiet or statistics.median(unmarked or [getattr(run, metric) for run in good])
        errors = [abs(getattr(run, metric) / quiet - 1) for run in good]
        left = [abs(value / quiet - 1) for value in unmarked]
        share = statistics.median(run.held_up_s / run.duration_s for run in runs)
        print(
            f"{name:<15}{rate_bps / 1e6:8.0f}{loops:7}{len(runs) - len(good):11}{sum(run.cpu_bound for run in good):8}"
            f"{share:18.1%}{max(errors, default=0):13.1%}{max(left, default=0):10.1%}",
            flush=True,
        )
