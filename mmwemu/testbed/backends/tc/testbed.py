"""The backend ``tc``: namespaces connected by veth, with qdiscs at both exits of the middle one."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.link.check import Tolerance
from mmwemu.link.settings import MTU_BYTES, LinkSettings, TcMode
from mmwemu.link.telemetry import BIN_S
from mmwemu.testbed.backends.tc import samples
from mmwemu.testbed.backends.tc import tbf as plan
from mmwemu.testbed.backends.tc.order import encode
from mmwemu.testbed.backends.tc.token_balance import MOST_BUCKETS
from mmwemu.testbed.sandbox import NamespaceTestbed

if TYPE_CHECKING:
    import pandas as pd

_BUCKETS = 1 + MOST_BUCKETS  # one filled by a change, others owed


class TcTestbed(NamespaceTestbed):
    """A client and a server in namespaces of their own, and the kernel's tbf and netem between them.

    Parameters
    ----------
    log_dir
        Folder for the log; None keeps none.
    mode
        See `mmwemu.testbed.backends.tc.tbf`.
    """

    def __init__(self, log_dir: Path | None = None, mode: TcMode = "tbf") -> None:
        if mode not in get_args(TcMode):
            raise InputError("tc-mode", f"is {mode!r}; must be one of {', '.join(get_args(TcMode))}")
        self._mode = mode
        self._settings: LinkSettings | None = None
        self._samples: samples.SampleFile | None = None
        # -P: the folder it is started in is not to be searched for modules.
        super().__init__("host", ["2", sys.executable, "-P", "-m", "mmwemu.testbed.backends.tc.router"], log_dir)

    @property
    def tolerance(self) -> Tolerance:
        """How far the link may be off in a run: a token bucket may give its filling away at once."""
        if self._settings is None:
            return Tolerance()
        bucket_bytes = plan.bucket_bytes(plan.most_finite_bps(self._settings.pattern))
        return Tolerance(excess_bytes=2 * MTU_BYTES + _BUCKETS * bucket_bytes)

    def start(self, settings: LinkSettings) -> None:
        """Start a replay anew; see `Testbed.start`.

        Raises
        ------
        InputError
            If neither tbf nor netem can do it.
        MissingError
            If it needs netem and this kernel has none.
        """
        plan.refuse(settings, self._mode)
        rows = samples.SampleFile()
        order_fd = os.memfd_create("mmwemu-order", os.MFD_CLOEXEC)
        try:
            with open(order_fd, "w", closefd=False) as text:
                text.write(encode(settings, self._mode))
            self._ask("start", [order_fd, rows.fd])
        except BaseException:
            rows.close()
            raise
        finally:
            os.close(order_fd)
        if self._samples is not None:
            self._samples.close()
        self._samples, self._settings = rows, settings

    def epoch_ns(self) -> int | None:
        """Give when the pattern started; see `Testbed.epoch_ns`."""
        return None if self._samples is None else self._samples.epoch_ns()

    def telemetry(self, since_s: float = 0.0) -> pd.DataFrame:
        """Give what the link did since the last start; see `Testbed.telemetry` and `samples.to_frame`."""
        if self._settings is None or self._samples is None:
            raise MmwemuError("the link has not been started")
        self._ask("stats")
        frame = samples.to_frame(self._samples.read(), self._settings, sees_queue=self._mode == "tbf")
        return frame[frame["time_s"] > since_s - BIN_S / 2].reset_index(drop=True)

    def close(self) -> None:
        """End everything in the testbed and the testbed; harmless when done already."""
        super().close()
        if self._samples is not None:
            self._samples.close()
            self._samples = None
