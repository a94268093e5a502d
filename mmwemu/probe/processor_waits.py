"""How long the programs of a testbed waited for a processor or stood stopped, beside their run.

The kernel counts for each thread the time in which it was ready and did not run: the second number of
/proc/PID/task/TID/schedstat (Documentation/scheduler/sched-stats.rst). That a program stands stopped is seen in
/proc/PID/stat, state T or t. A program that starts and ends between two samples is not seen.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from mmwemu.core.units import from_ns
from mmwemu.pattern.model import Floats

# A sample each 5 % of the time so far, within these bounds, and rarer where samples take more than 2 % of a processor.
_LEAST_S, _MOST_S = 0.01, 0.1
_SHARE, _COST = 0.05, 0.02
_STOPPED = b"Tt"


@dataclass
class ProcessorWaits:
    """Waits between samples; a `watching` block fills it.

    Attributes
    ----------
    edges_s
        Times of the samples [n + 1], s of CLOCK_MONOTONIC.
    waited_s
        Between samples [n]: how long the thread waited that waited longest, s; NaN if this kernel does not count that.
    stopped_s
        Between samples [n]: their distance if a program stood stopped at the later one, else 0, s.
    """

    edges_s: Floats = field(default_factory=lambda: np.zeros(1))
    waited_s: Floats = field(default_factory=lambda: np.zeros(0))
    stopped_s: Floats = field(default_factory=lambda: np.zeros(0))


@contextmanager
def watching(programs: Callable[[], Iterable[int]]) -> Iterator[ProcessorWaits]:
    """Sample until the block ends, in a thread.

    Parameters
    ----------
    programs
        Returns the ids of the processes to watch, with all their descendants.
    """
    waits = ProcessorWaits()
    sampler = _Sampler(programs)
    sampler.start()
    try:
        yield waits
    finally:
        sampler.over.set()
        sampler.join()
    waits.edges_s = np.array(sampler.edges_s)
    waits.waited_s, waits.stopped_s = np.array(sampler.waited_s), np.array(sampler.stopped_s)


class _Sampler(threading.Thread):
    def __init__(self, programs: Callable[[], Iterable[int]]) -> None:
        super().__init__(daemon=True)
        self.over = threading.Event()
        self.waited_s: list[float] = []
        self.stopped_s: list[float] = []
        self._programs = programs
        self._counts = bool(_read("/proc/self/schedstat"))
        self._delays_ns, _ = _look(programs())
        self.edges_s = [time.monotonic()]

    def run(self) -> None:
        pause_s, begin_s = _LEAST_S, self.edges_s[0]
        while not self.over.wait(pause_s):
            before_s = time.thread_time()
            self._sample()
            cost_s = time.thread_time() - before_s
            pause_s = max(_LEAST_S, min(_MOST_S, _SHARE * (time.monotonic() - begin_s)), cost_s / _COST)
        self._sample()

    def _sample(self) -> None:
        delays_ns, stopped = _look(self._programs())
        now_s = time.monotonic()
        length_s = now_s - self.edges_s[-1]
        most_ns = max((delay - self._delays_ns.get(thread, 0) for thread, delay in delays_ns.items()), default=0)
        self.waited_s.append(min(from_ns(float(most_ns)), length_s) if self._counts else float("nan"))
        self.stopped_s.append(length_s if stopped else 0.0)
        self.edges_s.append(now_s)
        self._delays_ns = delays_ns


def _look(programs: Iterable[int]) -> tuple[dict[tuple[int, int], int], bool]:
    """Return the run delays of all threads of programs and their descendants, ns, and whether one stands stopped."""
    delays_ns: dict[tuple[int, int], int] = {}
    stopped = False
    todo = list(programs)
    while todo:
        pid = todo.pop()
        try:
            with os.scandir(f"/proc/{pid}/task") as entries:
                threads = [entry.name for entry in entries]
        except OSError:
            continue  # it has ended
        stopped = stopped or _read(f"/proc/{pid}/stat").rpartition(b") ")[2][:1] in _STOPPED
        for thread in threads:
            folder = f"/proc/{pid}/task/{thread}"
            todo += map(int, _read(f"{folder}/children").split())
            words = _read(f"{folder}/schedstat").split()
            if len(words) > 1:
                delays_ns[pid, int(thread)] = int(words[1])
    return delays_ns, stopped


def _read(path: str) -> bytes:
    """Return a file of /proc, empty if there is none; faster than `pathlib` for hundreds of them."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(fd, 65536)
    except OSError:
        return b""
    finally:
        os.close(fd)
