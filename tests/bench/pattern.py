"""How fast packet traces become patterns, beside a plain Python loop over the same rows.

Targets: 4 million rows of 40 s in less than 1 s, by the command line; from Parquet 10 million rows a second or more, in
less than 500 MB whatever the number of rows (100 million here, or as the first argument says). CPU time tells more than
time where others use the machine.
"""

import csv
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MMWEMU = str(Path(sys.executable).with_name("mmwemu"))
ROWS, DURATION_S, WINDOW_S, GROUP_ROWS = 4_000_000, 40.0, 0.010, 1_000_000
MANY_ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000_000


def packets(rows, start_s):
    """Give a table of packets that fill 10 s for each million."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(rows)
    time_s = start_s + np.sort(random.uniform(0, DURATION_S * rows / ROWS, rows))
    return pa.table({"time_s": time_s, "size_bytes": random.integers(60, 1501, rows).astype(np.int32)})


def write_parquet(path, rows):
    """Write a million rows again and again, each later than the one before."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    group = packets(GROUP_ROWS, 0.0)
    with pq.ParquetWriter(path, group.schema, compression="zstd") as file:
        for i in range(rows // GROUP_ROWS):
            later = pa.array(group["time_s"].to_numpy() + i * DURATION_S * GROUP_ROWS / ROWS)
            file.write_table(group.set_column(0, "time_s", later))


def write_texts(table, text, mahimahi):
    """Write the same packets as text, and one opportunity for each as Mahimahi does."""
    rows = zip(table["time_s"].to_numpy().tolist(), table["size_bytes"].to_numpy().tolist(), strict=True)
    with text.open("w") as file:
        file.write("time_s,size_bytes\n")
        file.writelines(f"{time_s:.6f},{size}\n" for time_s, size in rows)
    with mahimahi.open("w") as file:
        file.writelines(f"{int(time_s * 1000) + 1}\n" for time_s in table["time_s"].to_numpy().tolist())


def by_loop(rows):
    """Give the bytes of each window, as a first script would."""
    windows = {}
    for time_s, size_bytes in rows:
        window = int(float(time_s) / WINDOW_S)
        windows[window] = windows.get(window, 0) + int(size_bytes)
    return windows


def tell(name, rows, wall_s, cpu_s, memory_mb=None):
    memory = "" if memory_mb is None else f"{memory_mb:8.0f}"
    print(f"{name:<34}{rows:>12,}{wall_s:9.2f}{cpu_s:9.2f}{rows / cpu_s / 1e6:14.1f}{memory}", flush=True)


def convert(name, path, rows):
    """Convert a file by the command line."""
    out = path.with_suffix(".csv.out")
    argv = [MMWEMU, "pattern", "convert", str(path), str(out)]
    start_s = time.perf_counter()
    quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=quiet)
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, argv
    wall_s, cpu_s = time.perf_counter() - start_s, usage.ru_utime + usage.ru_stime
    tell(name, rows, wall_s, cpu_s, usage.ru_maxrss * 1024 / 1e6)


def loop(name, rows_of):
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    rows = sum(1 for _ in by_loop(rows_of()))
    assert rows == round(DURATION_S / WINDOW_S)
    tell(name, ROWS, time.perf_counter() - wall_s, time.process_time() - cpu_s)


def of_text(path):
    with path.open() as file:
        yield from csv.reader(line for line in file if line[0] != "t")


def of_parquet(path):
    import pyarrow.parquet as pq

    for batch in pq.ParquetFile(path).iter_batches():
        yield from zip(batch["time_s"].to_pylist(), batch["size_bytes"].to_pylist(), strict=True)


def make(folder):
    """Write the files in a process of its own: a child's peak memory counts that of its parent."""
    import pyarrow.parquet as pq

    write_parquet(folder / "few.parquet", ROWS)
    write_texts(pq.read_table(folder / "few.parquet"), folder / "few.csv", folder / "few.down")
    write_parquet(folder / "many.parquet", MANY_ROWS)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.executable, __file__, str(MANY_ROWS), name], check=True)
        print("                                          rows        s    CPU s  M rows/CPU s      MB")
        convert("Parquet, mmwemu pattern convert", folder / "few.parquet", ROWS)
        convert("text, mmwemu pattern convert", folder / "few.csv", ROWS)
        convert("Mahimahi, mmwemu pattern convert", folder / "few.down", ROWS)
        convert("Parquet, mmwemu pattern convert", folder / "many.parquet", MANY_ROWS)
        loop("Parquet, plain Python loop", lambda: of_parquet(folder / "few.parquet"))
        loop("text, plain Python loop", lambda: of_text(folder / "few.csv"))


if len(sys.argv) > 2:
    make(Path(sys.argv[2]))
else:
    main()
