import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mmwemu.pattern.model import Direction, Pattern

PEERS = Path(__file__).with_name("peers.py")


def make_pattern(rates_bps, *, step_s=0.5, delay_s=0.0, loss=0.0, effects=None, **options) -> Pattern:
    """Make a pattern with the same two directions."""
    n = len(rates_bps)
    more = {name: np.full(n, value) for name, value in (effects or {}).items()}
    direction = Direction(np.array(rates_bps, dtype=float), np.full(n, delay_s), np.full(n, loss), **more)
    return Pattern(np.arange(n) * step_s, n * step_s, direction, direction, **options)


@pytest.fixture(scope="session", autouse=True)
def _needs_link(needs_link):
    """Every test here makes a link."""


@pytest.fixture(scope="session")
def pattern() -> Callable[..., Pattern]:
    return make_pattern


@pytest.fixture(scope="session")
def ask():
    """Run a program of peers.py in a testbed; give what it prints, or the process itself with ``wait=False``."""

    def run(testbed, role, *words, wait=True, timeout_s=60.0):
        argv = [sys.executable, str(PEERS), *map(str, words)]
        process = testbed.popen(role, argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        if wait:
            text, _ = process.communicate(timeout=timeout_s)
            assert process.returncode == 0
            return text
        assert process.stdout.readline() == "ready\n"
        return process

    return run
