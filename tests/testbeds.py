"""Testbeds for tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.testbed import Testbed, open_testbed


@contextmanager
def replaying(*settings: LinkSettings, log_dir: Path | None = None, **setup: Any) -> Iterator[Testbed]:
    """Yield a testbed on whose links a replay was started; ``setup`` has the fields of `Setup`."""
    with open_testbed(Setup(**setup), log_dir) as testbed:
        testbed.start(*settings)
        yield testbed
