"""What the paper compares: senders, fixed latencies and RLC buffers, each with milliProxy and without."""

from __future__ import annotations

from dataclasses import dataclass

FIXED_MS = (2, 6, 11, 21)
"""Fixed latency of the paper: from the base station to the server, one way."""

SLOWER = 4
"""How many times slower all is over the emulated link, at as small a part of the rate."""

BUFFERS_MB = (10, 20)
SENDERS = ("newreno", "cubic", "bbr")


@dataclass(frozen=True)
class Case:
    """One way of sending, named as the paper's table has it.

    Attributes
    ----------
    sender
        Congestion control of the server; the paper has NewReno alone.
    fixed_ms
        The paper's fixed latency, one of `FIXED_MS`.
    buffer_mb
        RLC buffer, MB.
    has_proxy
        Whether milliProxy is at the base station.
    """

    sender: str
    fixed_ms: int
    buffer_mb: int
    has_proxy: bool

    @property
    def name(self) -> str:
        """Name of the variant, such as ``newreno-milliproxy-2ms-10MB``."""
        proxy = "-milliproxy" if self.has_proxy else ""
        return f"{self.sender}{proxy}-{self.fixed_ms}ms-{self.buffer_mb}MB"

    @property
    def buffer_bytes(self) -> int:
        """RLC buffer, bytes."""
        return self.buffer_mb * 1_000_000


def _cases() -> tuple[Case, ...]:
    ends = (min(FIXED_MS), max(FIXED_MS))
    quick = [("newreno", fixed_ms, buffer_mb) for fixed_ms in ends for buffer_mb in BUFFERS_MB]
    quick += [(sender, fixed_ms, 10) for sender in ("cubic", "bbr") for fixed_ms in ends]
    every = [(sender, fixed_ms, buffer_mb) for sender in SENDERS for fixed_ms in FIXED_MS for buffer_mb in BUFFERS_MB]
    found = [*quick, *(one for one in every if one not in quick)]
    return tuple(Case(*one, has_proxy) for one in found for has_proxy in (False, True))


CASES = _cases()
"""All of them in the order of the studies' experiments, those of the quick study first."""

QUICK = 16
"""How many of them the quick study has: the ends of the table, and the other senders with 10 MB."""
