"""Fuzzer of every reader of traces and patterns, with coverage by atheris: ``python -m tests.fuzz.readers [SECONDS]``.

A reader gives what it reads or refuses it with an `MmwemuError`; any other exception, a warning, or memory out of
proportion to the file is a fault. Each reader has a process of its own, and an equal share of the time. What it found
worth keeping is in build/fuzz/readers/NAME, where the next run begins; a fault leaves its file there as crash-*.
"""

import importlib.util
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORK = ROOT / "build" / "fuzz" / "readers"
TRACE = "trace"
_MOST_FILE_BYTES = 4096
_LONGEST_S = 20
_LONGEST_ERROR = 2000
_MANY_STEPS = 10_000
# Beside the file: what a reader may take for its bounds, such as 1,000,000 steps of 20 columns, whatever the file.
_MOST_KIB, _KIB_PER_BYTE = 512 << 10, 1


def reader(target: str) -> Callable[[Path, int], None]:
    """Return what reads a file, with options by a number, and uses what was read."""
    from mmwemu.pattern import convert, library, measures
    from mmwemu.pattern.comparison import likeness, series
    from mmwemu.pattern.formats import native, registry
    from mmwemu.trace import parquet

    def read_trace(file: Path, choice: int) -> None:
        trace = parquet.load(file)
        pattern = convert.convert(trace, convert.Conversion("window" if choice % 2 else "segments"))
        likeness.compare(series.of_trace("t", trace), [series.of_pattern("p", pattern, "downlink", 1.0)])

    if target == TRACE:
        return read_trace
    formats = registry.registered().formats
    form = registry.load(target)

    def read_pattern(file: Path, choice: int) -> None:
        head = file.read_bytes().decode("utf-8", "replace")
        for one in formats:
            one.looks_like(head or "x")
        given = {one.name: one.choices[choice % len(one.choices)] for one in form.options if one.choices and choice}
        assert form.read is not None
        reading = form.read(file, library.filled(form, given))
        measures.summary(reading.pattern)
        if len(reading.pattern.time_s) < _MANY_STEPS:
            native.loads(native.dumps(reading.pattern), "again")

    return read_pattern


def refused(read: Callable[[Path, int], None], file: Path, choice: int) -> bool:
    """Return whether a file is refused; anything but that or reading it is an exception."""
    from mmwemu.core.errors import MmwemuError

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            read(file, choice)
        except MmwemuError as error:
            if len(str(error)) > _LONGEST_ERROR:
                raise AssertionError(f"an error of {len(str(error))} characters") from error
            return True
    return False


def targets() -> list[str]:
    """Return the formats that can be read, and the trace."""
    from mmwemu.pattern.formats import registry

    return [form.name for form in registry.registered().formats if form.read] + [TRACE]


def seed(target: str, folder: Path) -> None:
    """Put good files into a folder; the first byte of each chooses options."""
    from tests.fuzz import good

    if target != TRACE:
        for choice in range(3):
            (folder / f"good-{choice}").write_bytes(bytes([choice]) + good.FORMATS[target].encode())
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    from mmwemu.trace.model import COLUMNS

    columns = {name: [1.0] * 3 for name in COLUMNS} | {"time_s": [0.0, 0.001, 0.002]}
    for compression in ("none", "zstd"):
        sink = pa.BufferOutputStream()
        table = pa.table(columns).replace_schema_metadata({b"mmwemu": b'{"format": 1, "payload_bytes": 1400}'})
        pq.write_table(table, sink, compression=compression)
        (folder / f"good-{compression}").write_bytes(b"\1" + sink.getvalue().to_pybytes())


def fuzz(target: str, seconds: int, scratch: Path) -> None:
    """Fuzz one reader in this process, which ends with it; ``scratch`` is a folder for its file."""
    import atheris

    # The loader of an editable installation cannot be instrumented; the sources are the same.
    sys.meta_path = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
    sys.path.insert(0, str(ROOT))
    with atheris.instrument_imports(include=["mmwemu"]):
        from mmwemu.pattern.formats import registry

        registry.registered()
    folder = WORK / target
    folder.mkdir(parents=True, exist_ok=True)
    seed(target, folder)
    file = scratch / "in"
    read = reader(target)

    def one_input(data: bytes) -> None:
        file.write_bytes(data[1:])
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        refused(read, file, data[0] if data else 0)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        if grown > _MOST_KIB + _KIB_PER_BYTE * len(data):
            raise AssertionError(f"{grown >> 10} MiB for a file of {len(data)} bytes")

    argv = [
        sys.argv[0], str(folder), f"-max_total_time={seconds}", f"-max_len={_MOST_FILE_BYTES}", "-rss_limit_mb=3000",
        f"-timeout={_LONGEST_S}", f"-artifact_prefix={folder}/", "-print_final_stats=1", "-verbosity=0",
    ]  # fmt: skip
    atheris.Setup(argv, one_input)
    atheris.Fuzz()


def main(words: list[str]) -> int:
    """Fuzz every reader, each in a process; return 1 if one has a fault."""
    if importlib.util.find_spec("atheris") is None:
        print("fuzz: there is no atheris: .venv/bin/pip install -e '.[fuzz]'", file=sys.stderr)
        return 3
    names = targets()
    share = max(1, (int(words[0]) if words else 600) // len(names))
    faulty = False
    for name in names:
        with tempfile.TemporaryDirectory(prefix="mmwemu-fuzz-") as scratch:
            argv = [sys.executable, "-m", "tests.fuzz.readers", "--one", name, str(share), scratch]
            found = subprocess.run(
                argv, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
            )
        lines = found.stderr.splitlines()
        runs = next((line.split()[-1] for line in lines if "number_of_executed_units" in line), "?")
        print(f"{name}: {runs} files in {share} s, exit code {found.returncode}", flush=True)
        if found.returncode != 0:
            faulty = True
            print("\n".join([*found.stdout.splitlines()[-40:], *lines[-40:]]))
    return int(faulty)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        fuzz(sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))
    sys.exit(main(sys.argv[1:]))
