from collections.abc import Callable

import pytest

from mmwemu.pattern.model import Pattern
from tests.link import measures


@pytest.fixture(scope="session", autouse=True)
def _needs_link(needs_link):
    """Every test here makes a link."""


@pytest.fixture(scope="session")
def pattern() -> Callable[..., Pattern]:
    return measures.make_pattern


@pytest.fixture(scope="session")
def ask():
    """Run a program of peers.py in a testbed; give what it prints, or the process itself with ``wait=False``."""
    return measures.ask
