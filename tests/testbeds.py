"""Testbeds for tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mmwemu.core import process
from mmwemu.core.errors import MissingError
from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.testbed import Testbed, open_testbed


@contextmanager
def replaying(*settings: LinkSettings, log_dir: Path | None = None, **setup: Any) -> Iterator[Testbed]:
    """Yield a testbed on whose links a replay was started; ``setup`` has the fields of `Setup`."""
    with open_testbed(Setup(**setup), log_dir) as testbed:
        testbed.start(*settings)
        yield testbed


def need_proxy(name: str) -> None:
    """Skip a test where the program of a proxy, or what leads connections to it, is not installed."""
    for tool in ("nft", *(["haproxy"] if name == "haproxy" else [])):
        try:
            process.find_tool(tool, "install it")
        except MissingError as error:
            pytest.skip(str(error))
