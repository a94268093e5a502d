"""Commands that a signal ends at a random moment: results stay, nothing else does.

``MMWEMU_SIGNALS`` is how many (12 by default), ``MMWEMU_SEED`` the seed of what is drawn.
"""

import itertools
import json
import os
import random
import re
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mmwemu.core import temporary
from mmwemu.results import store
from tests.programs import MMWEMU

pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_browser")]

LINK = ["--pattern", "s1-long-nlos.lte"]
# What is run, and within how many seconds from its start the signal comes.
COMMANDS = {
    "download": (["run", "download", *LINK, "--size", "1MB", "-n", "6", "-o", "r"], 6.0),
    "web": (["run", "web", *LINK, "--site", "google", "-n", "2", "-o", "r"], 9.0),
    "film": (["run", "stream", *LINK, "--film", "synthetic", "--duration-s", "2", "-n", "2", "-o", "r"], 12.0),
    "player": (
        ["run", "stream", *LINK, "--ladder", "8k", "--player", "headless", "--duration-s", "2", "-n", "3", "-o", "r"],
        8.0,
    ),
    "mix": (["run", "mix", *LINK, "--clients", "2", "--app", "download --size 300kB",
             "--app", "flow --duration-s 2", "-n", "2", "-o", "r"], 8.0),
    "simulate": (["simulate", "s1-long-nlos", "--rat", "lte", "--plot", "p.png", "-o", "t.parquet"], 6.0),
    "site": (["site", "make", "--objects", "60", "--bytes", "60MB", "-o", "site"], 2.0),
    "topology": (
        ["link", *LINK, "--clients", "3", "--edge", "--serve", "sleep 60", "--log", "log", "--packets", "p.parquet",
         "--tcp", "tcp.parquet", "--", "ping", "-q", "-c", "15", "-i", "0.2", "10.77.1.1"],
        6.0,
    ),
}  # fmt: skip
SIGNALS = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 130}
# Until then Python starts, and a signal is its own; generous, since the machine may be busy.
STARTED_S = 0.3
OUTPUTS = {"t.parquet", "p.png", "site", "log", "p.parquet", "tcp.parquet", "r", "r.in-progress"}


@dataclass
class Ended:
    """A command that a signal ended; ``runs`` is how many complete ones its results have, None without results."""

    command: str
    signal: signal.Signals
    at_s: float
    code: int = 0
    complaints: list[str] = field(default_factory=list)
    runs: int | None = None
    problems: list[str] = field(default_factory=list)

    def expect(self, ok, problem):
        if not ok:
            self.problems.append(problem)


def draw(count, seed):
    """Yield commands, signals and times: each pair of the first two in turn, the times at random."""
    generator = random.Random(seed)
    pairs = list(itertools.product(COMMANDS, SIGNALS))
    generator.shuffle(pairs)
    for name, number in itertools.islice(itertools.cycle(pairs), count):
        yield Ended(name, number, generator.uniform(0, COMMANDS[name][1]))


def disturb(one, folder):
    """Run a command in a folder, end it, and write down what is not as it should be."""
    for name in ("work", "tmp", "cache"):
        (folder / name).mkdir(parents=True)
    env = os.environ | {
        "TMPDIR": str(folder / "tmp"), "XDG_CACHE_HOME": str(folder / "cache"), "MMWEMU_TEST": str(folder),
    }  # fmt: skip
    words, _ = COMMANDS[one.command]
    with (folder / "stderr").open("wb") as stderr:
        head = subprocess.Popen(
            [*MMWEMU, *words], cwd=folder / "work", env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=stderr, process_group=0, preexec_fn=restore_sigint,
        )  # fmt: skip
        time.sleep(one.at_s)
        was_running = head.poll() is None
        head.send_signal(one.signal)
        one.code = head.wait(40)
    one.complaints = (folder / "stderr").read_text().splitlines()
    if was_running:
        expect_end(one)
    else:
        one.expect(one.code == 0, f"exit code {one.code} before the signal")
    one.expect(not any("Traceback" in line for line in one.complaints) or one.at_s < STARTED_S, "traceback")
    left = wait_for_end(f"MMWEMU_TEST={folder}")
    one.expect(not left, f"still running: {left}")
    if one.signal != signal.SIGKILL:
        one.expect(not leftovers(folder), f"left without clean: {leftovers(folder)}")
    expect_results(one, folder / "work")
    cleaned = subprocess.run(
        [*MMWEMU, "clean", "--unfinished"], cwd=folder / "work", env=env, capture_output=True, text=True
    )
    one.expect(cleaned.returncode == 0, f"clean: {cleaned.stderr}")
    left = [*leftovers(folder), *(folder / "work").glob("*.in-progress")]
    one.expect(not left, f"left after clean: {left}")
    others = {path.name for path in (folder / "work").iterdir()} - OUTPUTS
    one.expect(not others, f"unknown files: {others}")


def restore_sigint():
    """Let Ctrl-C be handled as in a shell's foreground, also where the tests run in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def expect_end(one):
    """Expect the exit code and the line of a command that a signal ended, unless it ended by itself meanwhile."""
    expected = {0, SIGNALS[one.signal]}
    if one.at_s < STARTED_S:
        expected |= {-one.signal, 1}
    one.expect(one.code in expected, f"exit code {one.code}")
    if one.code in (130, 143):
        says = {130: "interrupted", 143: "terminated"}[one.code]
        lines = [line for line in one.complaints if not line.endswith(" ...")]
        one.expect(len(lines) == 1 and lines[0].startswith(f"mmwemu: {says}"), f"says {lines}")


def expect_results(one, work):
    """Expect that the complete runs that are kept can be read, and are as many as was said."""
    folder = work / "r"
    if not folder.exists():
        folder = work / "r.in-progress"
    if not (folder / "parts").exists() and not (folder / "manifest.json").exists():
        one.expect(not any("kept" in line for line in one.complaints) or one.command == "topology", "nothing is kept")
        return
    one.runs = len(store.load(folder))
    said = [int(found[1]) for line in one.complaints if (found := re.search(r"(\d+) complete run", line))]
    one.expect(said in ([], [one.runs]), f"has {one.runs} runs and said {said}")
    for file in (folder / "parts").glob("run-*.json"):
        json.loads(file.read_text())
        one.expect((folder / "parts" / file.name.replace("run", "link")).with_suffix(".parquet").exists(), "no link")


def leftovers(folder):
    """Return what should be gone, beside unfinished results."""
    drafts = [path for path in (folder / "work").rglob("*") if temporary.DRAFT.fullmatch(path.name)]
    drafts += (folder / "cache").glob("mmwemu/films/.*")
    return [*(folder / "tmp").iterdir(), *(path for path in drafts if "r.in-progress" not in path.parts)]


def wait_for_end(mark, within_s=5.0):
    """Return the command lines of processes with a variable in their environment that do not end in time."""
    end_s = time.monotonic() + within_s
    while (found := running(mark)) and time.monotonic() < end_s:
        time.sleep(0.02)
    return found


def running(mark):
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


def test_whatever_ends_a_command_keeps_its_results_and_leaves_nothing(tmp_path):
    count, seed = int(os.environ.get("MMWEMU_SIGNALS", "12")), int(os.environ.get("MMWEMU_SEED", "1"))
    ended = list(draw(count, seed))
    for i, one in enumerate(ended):
        disturb(one, tmp_path / f"{i:03}")
        print(f"{one.command:9} {one.signal.name:8} at {one.at_s:5.2f} s: {one.code:4}", one.runs, *one.problems)
    print(Counter((one.command, one.code) for one in ended))
    assert [one for one in ended if one.problems] == []
