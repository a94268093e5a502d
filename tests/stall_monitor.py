"""Measure how long the machine stalls: ``python stall_monitor.py CPU FD SLOT``, until the parent process ends.

It sleeps for a moment again and again on one processor, before all other processes if it may. The time by which it
woke up late, s, is a double at a slot of the shared memory FD.
"""

import mmap
import os
import struct
import sys
import time
from contextlib import suppress

PERIOD_S = 0.002
NOTICED_S = 0.0005


def main(cpu, fd, slot):
    parent = os.getppid()
    os.sched_setaffinity(0, {cpu})
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(90))
    memory = mmap.mmap(fd, 0)
    late_s, due_s = 0.0, time.monotonic()
    while os.getppid() == parent:
        struct.pack_into("=d", memory, 8 * slot, late_s)
        due_s += PERIOD_S
        time.sleep(max(0, due_s - time.monotonic()))
        now_s = time.monotonic()
        if now_s - due_s > NOTICED_S:
            late_s += now_s - due_s
            due_s = now_s


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
