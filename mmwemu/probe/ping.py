"""Round-trip times by ping, beside other traffic."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mmwemu.core import process
from mmwemu.core.errors import MmwemuError
from mmwemu.testbed.place import Place

if TYPE_CHECKING:
    import pandas as pd

_REPLY = re.compile(r"\[([0-9.]+)\] .*icmp_seq=(\d+) .*time=([0-9.]+) ms")


@dataclass
class Pings:
    """Round trips of a `pinging` block; filled at its end."""

    samples: pd.DataFrame


def find_ping() -> str:
    """Return the path of ping.

    Raises
    ------
    MissingError
        If it is not installed.
    """
    return process.find_tool("ping", "install it: sudo apt-get install iputils-ping")


@contextmanager
def pinging(client: Place, address: str, interval_s: float) -> Iterator[Pings]:
    """Ping an address from a client every ``interval_s`` until the block ends, from its start.

    Raises
    ------
    MissingError
        If ping is not installed.
    MmwemuError
        If ping fails.
    """
    argv = [find_ping(), "-n", "-D", "-i", f"{interval_s:g}", address]
    ping = client.popen(argv, probe=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    pings = Pings(samples=parse("", interval_s))
    try:
        yield pings
        ping.send_signal(signal.SIGINT)
        output, stderr = ping.communicate(timeout=10)
    except BaseException:
        ping.kill()
        ping.wait()
        raise
    if ping.returncode not in (0, 1):  # 1: no reply came, as in an outage
        raise MmwemuError(f"ping failed: {stderr.decode(errors='replace').strip() or ping.returncode}")
    pings.samples = parse(output.decode(errors="replace"), interval_s)


def parse(output: str, interval_s: float) -> pd.DataFrame:
    """Return ping's output, with its time stamps, as a table.

    Columns: ``time_s``, send time since the first request; ``rtt_s``, NaN if lost. Requests without a reply follow from
    gaps in the sequence and the count at the end; their times are interpolated.
    """
    import pandas as pd

    replies = {int(seq): (float(stamp), float(ms) / 1e3) for stamp, seq, ms in _REPLY.findall(output)}
    count = re.search(r"(\d+) packets transmitted", output)
    n = max(int(count[1]) if count else 0, max(replies, default=0))
    numbers = np.arange(1, n + 1)
    sent_s = numbers * interval_s
    if replies:
        known = np.array(sorted(replies))
        times_s = np.array([replies[i][0] - replies[i][1] for i in known])
        sent_s = np.interp(numbers, known, times_s)
        sent_s += np.minimum(numbers - known[0], 0) * interval_s + np.maximum(numbers - known[-1], 0) * interval_s
    rtt_s = [replies[i][1] if i in replies else np.nan for i in range(1, n + 1)]
    return pd.DataFrame({"time_s": sent_s - sent_s[:1].sum(), "rtt_s": rtt_s}, dtype=float)
