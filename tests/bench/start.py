"""How long the command line takes to say its help: minimum, median and maximum of 15 runs (target: under 0.25 s)."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

MMWEMU = str(Path(sys.executable).with_name("mmwemu"))

for argv in (["--help"], ["pattern", "--help"], ["scenario", "list"]):
    times_s = []
    for _ in range(15):
        start = time.perf_counter()
        subprocess.run([MMWEMU, *argv], check=True, capture_output=True)
        times_s.append(time.perf_counter() - start)
    low, middle, high = min(times_s), statistics.median(times_s), max(times_s)
    print(f"mmwemu {' '.join(argv):<16} {low:.3f} / {middle:.3f} / {high:.3f} s")
