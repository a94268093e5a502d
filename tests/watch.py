"""Wake up all the time on one processor, until SIGTERM; print by what share of the time that was late.

Usage: watch.py CPU
"""

import os
import signal
import sys
import time
from contextlib import suppress

PERIOD_S = 0.002
NOTICED_S = 0.0005


def main(cpu):
    os.sched_setaffinity(0, {cpu})
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(90))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    print("ready", flush=True)
    late_s, due_s = 0.0, time.monotonic()
    begin_s = due_s
    try:
        while True:
            due_s += PERIOD_S
            time.sleep(max(0, due_s - time.monotonic()))
            now_s = time.monotonic()
            if now_s - due_s > NOTICED_S:
                late_s += now_s - due_s
                due_s = now_s
    finally:
        print(late_s / (time.monotonic() - begin_s))


if __name__ == "__main__":
    main(int(sys.argv[1]))
