import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from mmwemu.probe.processor_waits import watching

SLEEPING = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"]
BUSY = [sys.executable, "-I", "-S", "-c", "while True: pass"]


@pytest.fixture
def start():
    programs = []

    def start(argv, **options):
        programs.append(subprocess.Popen(argv, **options))
        return programs[-1]

    yield start
    for program in programs:
        program.kill()
        program.wait()


def test_programs_that_share_one_processor_wait_for_half_of_the_time(start):
    cpu = min(os.sched_getaffinity(0))
    first, second = (start(BUSY, preexec_fn=lambda: os.sched_setaffinity(0, {cpu})) for _ in range(2))
    with watching(lambda: [first.pid, second.pid]) as waits:
        time.sleep(1.0)
    length_s = waits.edges_s[-1] - waits.edges_s[0]
    assert length_s == pytest.approx(1.0, abs=0.3)
    # At each moment one of them waits, so the one that waits longer has at least half of each stretch.
    assert 0.45 * length_s < waits.waited_s.sum() <= length_s * (1 + 1e-9)
    assert (waits.waited_s <= np.diff(waits.edges_s) + 1e-9).all()
    assert waits.stopped_s.sum() == 0


def test_a_program_that_sleeps_waits_for_nothing(start):
    program = start(SLEEPING)
    with watching(lambda: [program.pid]) as waits:
        time.sleep(0.3)
    assert waits.waited_s.sum() < 0.05
    assert waits.stopped_s.sum() == 0


def test_a_descendant_that_stands_stopped_is_seen(start):
    shell = start(["sh", "-c", f"{sys.executable} -I -S -c 'import time; time.sleep(60)' & echo $!; wait"],
                  stdout=subprocess.PIPE, process_group=0)  # fmt: skip
    child = int(shell.stdout.readline())
    with watching(lambda: [shell.pid]) as waits:
        time.sleep(0.3)
        os.kill(child, signal.SIGSTOP)
        time.sleep(0.5)
        os.kill(child, signal.SIGCONT)
        time.sleep(0.3)
    os.killpg(shell.pid, signal.SIGKILL)
    assert waits.stopped_s.sum() == pytest.approx(0.5, abs=0.25)
    before = waits.edges_s[1:] < waits.edges_s[0] + 0.25
    assert waits.stopped_s[before].sum() == 0


def test_samples_end_with_the_block_and_programs_that_ended_are_no_error(start):
    program = start(["true"])
    with watching(lambda: [program.pid]) as waits:
        time.sleep(0.1)
        program.wait()
    assert len(waits.waited_s) == len(waits.stopped_s) == len(waits.edges_s) - 1 > 1
    assert (np.diff(waits.edges_s) > 0).all()
