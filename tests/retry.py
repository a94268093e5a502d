"""The retry rule, a plugin of pytest: what fails over a real link is tried again, and a stalled machine is no failure.

A processor that the machine's host lends to others makes a measurement worse and never better. So a test with one of
`MARKERS` is tried up to `TRIES` times. If it never passes, and the machine was stalled for more than `MOST_STALLED` of
each try, it is skipped with that figure. The end of the run lists all that was tried more than once.
"""

import mmap
import os
import struct
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

MARKERS = ("link", "apps")
TRIES = 3
MOST_STALLED = 0.01  # of the time; a quiet virtual machine has 0.003, one whose host is busy 0.04 to 0.12
STALLED = "the machine was stalled for"

_MONITOR = pytest.StashKey["StallMonitor"]()
_RETRIED = pytest.StashKey[list["Retried"]]()


class StallMonitor:
    """Processes, one on each processor, that measure how long the machine stalls; see stall_monitor.py."""

    def __init__(self):
        cpus = sorted(os.sched_getaffinity(0))
        fd = os.memfd_create("stalls", os.MFD_CLOEXEC)
        os.truncate(fd, 8 * len(cpus))
        self._memory = mmap.mmap(fd, 0)
        self._format = f"={len(cpus)}d"
        program = [sys.executable, "-I", "-S", str(Path(__file__).with_name("stall_monitor.py"))]
        argvs = [[*program, str(cpu), str(fd), str(slot)] for slot, cpu in enumerate(cpus)]
        self._processes = [subprocess.Popen(argv, pass_fds=(fd,), stdin=subprocess.DEVNULL) for argv in argvs]
        os.close(fd)

    def stalled_s(self):
        """Return how long a processor has stalled since the monitor started, the mean of all."""
        values = struct.unpack_from(self._format, self._memory)
        return sum(values) / len(values)

    def close(self):
        for process in self._processes:
            process.terminate()
            process.wait()


@dataclass
class Retried:
    """A test that was tried more than once, with the share of each try for which the machine was stalled."""

    name: str
    stalled: list[float]
    outcome: str
    problem: str

    def __str__(self):
        shares = ", ".join(f"{share:.1%}" for share in self.stalled)
        return f"{self.name}: {self.outcome} in try {len(self.stalled)}, stalled for {shares}; first: {self.problem}"


def pytest_configure(config):
    config.stash[_RETRIED] = []


def pytest_unconfigure(config):
    if _MONITOR in config.stash:
        config.stash[_MONITOR].close()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    if not any(item.get_closest_marker(name) for name in MARKERS):
        return None
    if _MONITOR not in item.config.stash:
        item.config.stash[_MONITOR] = StallMonitor()
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    stalled, problem = [], ""
    for _ in range(TRIES):
        share, reports = _run_once(item, nextitem)
        stalled.append(share)
        failed = next((report for report in reports if report.failed), None)
        if failed is None:
            break
        problem = problem or _first_line(failed)
        _forget_broken_fixtures(item)
    if failed is not None and min(stalled) > MOST_STALLED:
        _make_skipped(item, reports, f"{STALLED} {min(stalled):.1%} of each try or more: {problem}")
    if len(stalled) > 1:
        outcome = next((report.outcome for report in reports if report.outcome != "passed"), "passed")
        item.config.stash[_RETRIED].append(Retried(item.nodeid, stalled, outcome, problem))
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_terminal_summary(terminalreporter, config):
    retried = config.stash[_RETRIED]
    if retried:
        terminalreporter.section("tried more than once")
        for one in retried:
            terminalreporter.line(str(one))


def _run_once(item, nextitem):
    """Run a test; return the share of the time for which the machine was stalled, and the reports."""
    monitor = item.config.stash[_MONITOR]
    begin_s, before_s = time.monotonic(), monitor.stalled_s()
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    return (monitor.stalled_s() - before_s) / (time.monotonic() - begin_s), reports


def _forget_broken_fixtures(item):
    """Let fixtures of a module or session that failed be made again; pytest keeps their exception."""
    item._initrequest()
    for definitions in item._fixtureinfo.name2fixturedefs.values():
        for definition in definitions:
            cached = getattr(definition, "cached_result", None)
            if cached is not None and cached[2] is not None:
                definition.finish(item._request)


def _make_skipped(item, reports, reason):
    path, line, _ = item.location
    for report in reports:
        if report.failed:
            report.outcome, report.longrepr = "skipped", (path, (line or 0) + 1, f"Skipped: {reason}")


def _first_line(report):
    crash = getattr(report.longrepr, "reprcrash", None)
    words = crash.message if crash is not None else str(report.longrepr)
    return next(iter(words.strip().splitlines()), "")[:200]
