"""The backends by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import get_args

from mmwemu.core.errors import InputError
from mmwemu.link.settings import Backend, LinkSettings, TcMode
from mmwemu.testbed.backends.tc.testbed import TcTestbed
from mmwemu.testbed.backends.tun import TunTestbed
from mmwemu.testbed.sandbox import NamespaceTestbed


@contextmanager
def open_testbed(
    settings: LinkSettings, log_dir: Path | None = None, backend: Backend = "tun", tc_mode: TcMode = "tbf"
) -> Iterator[NamespaceTestbed]:
    """Make a testbed and start its link; on leaving, everything that runs in it is killed.

    Parameters
    ----------
    settings
        The first replay; `Testbed.start` starts more.
    log_dir
        Folder for the backend's log; None keeps none.
    backend
        ``tun``, the engine in user space, or ``tc``, the kernel's queueing disciplines.
    tc_mode
        How ``tc`` shapes; see `mmwemu.testbed.backends.tc.tbf`.

    Raises
    ------
    InputError
        If there is no such backend or mode.
    MissingError
        If this machine lacks what the backend needs.
    """
    if backend not in get_args(Backend):
        raise InputError("backend", f"is {backend!r}; must be one of {', '.join(get_args(Backend))}")
    if backend != "tc" and tc_mode != "tbf":
        raise InputError("tc-mode", f"is {tc_mode!r}, which works with backend tc only; add --backend tc")
    with TunTestbed(log_dir) if backend == "tun" else TcTestbed(log_dir, tc_mode) as testbed:
        testbed.start(settings)
        yield testbed
