"""Backend ``tc``: two networks connected by veth, and the kernel's tbf and netem between them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import get_args

from mmwemu.core.errors import InputError
from mmwemu.link.check import Tolerance
from mmwemu.link.profile import MTU_BYTES
from mmwemu.link.replay import Replay
from mmwemu.testbed.backends.tc import support, tbf
from mmwemu.testbed.backends.tc.samples import SampleFile
from mmwemu.testbed.backends.tc.support import TcMode
from mmwemu.testbed.link import Link
from mmwemu.testbed.sandbox import Sandbox

_BUCKETS = 4  # one filled by a change, the others made up for; beyond them the lateness tells


class TcShaping:
    """Shaping by the kernel's queueing disciplines, in a mode of `mmwemu.testbed.backends.tc.support`."""

    def __init__(self, mode: TcMode) -> None:
        self._mode = mode

    def refuse(self, replay: Replay) -> None:
        """Refuse a replay that needs more than tbf and netem."""
        support.refuse(replay, self._mode)

    def new_record(self, replay: Replay) -> SampleFile:
        """Return a file to which the router appends samples."""
        return SampleFile(sees_queue=self._mode == "tbf")

    def tolerance(self, replay: Replay | None) -> Tolerance:
        """Return the default tolerance plus the buckets that a tbf may empty at once."""
        if replay is None:
            return Tolerance()
        bucket_bytes = tbf.bucket_bytes(tbf.most_finite_bps(replay.pattern))
        return Tolerance(excess_bytes=2 * MTU_BYTES + _BUCKETS * bucket_bytes)


def open_link(log_dir: Path | None = None, mode: TcMode = "tbf") -> Link:
    """Make a link between two new networks.

    Raises
    ------
    InputError
        If there is no such mode.
    """
    if mode not in get_args(TcMode):
        raise InputError("tc-mode", f"is {mode!r}; must be one of {', '.join(get_args(TcMode))}")
    # -P: the folder it is started in is not to be searched for modules.
    router = [sys.executable, "-P", "-m", "mmwemu.testbed.backends.tc.router", mode]
    return Link(Sandbox(router, log_dir), TcShaping(mode))
