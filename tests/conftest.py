import os
import signal

import hypothesis
import numpy as np
import pytest

from mmwemu.core.errors import MissingError
from mmwemu.testbed.testbed import open_testbed
from mmwemu.trace.model import Trace

pytest_plugins = ["tests.retry"]

# Who starts the tests in the background or by nohup ignores these signals, and programs would inherit that.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples each time, unless somebody asks for more of them; a busy machine may be slow.
hypothesis.settings.register_profile("mmwemu", derandomize="MMWEMU_EXAMPLES" not in os.environ, deadline=None)
hypothesis.settings.load_profile("mmwemu")


@pytest.fixture(scope="session")
def needs_link():
    """Skip where no link can be made, with the reason."""
    try:
        with open_testbed():
            pass
    except MissingError as error:
        pytest.skip(str(error))


@pytest.fixture
def make_trace():
    """Give a maker of small traces: 1 ms bins, LOS at 30 dB and 1000 Mbit/s, NLOS at 0 dB and 300 Mbit/s."""

    def make(los, *, bin_s=0.001, throughput_bps=None, sinr_db=None, **meta):
        los = np.asarray(los, dtype=float)
        n = len(los)
        rate = np.where(los == 1, 1000e6, 300e6) if throughput_bps is None else np.asarray(throughput_bps, dtype=float)
        return Trace(
            time_s=np.arange(n) * bin_s,
            los=los,
            sinr_db=np.where(los == 1, 30.0, 0.0) if sinr_db is None else np.asarray(sinr_db, dtype=float),
            mcs=np.full(n, 10.0),
            phy_rate_bps=rate * 1.2,
            throughput_bps=rate,
            rlc_queue_bytes=np.zeros(n),
            delay_s=np.full(n, 0.011),
            drops=np.zeros(n),
            meta={"rat": "mmwave", "scenario": "t", "seed": 1, "payload_bytes": 1400, "header_bytes": 28, **meta},
        )

    return make
