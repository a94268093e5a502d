"""What the paper compares: senders, fixed latencies and RLC buffers, each with milliProxy and without."""

from __future__ import annotations

from dataclasses import dataclass

FIXED_LATENCIES_S = {2: 0.008, 6: 0.024, 11: 0.044, 21: 0.084}
"""Fixed latency of the paper, one way, ms, and four times it, s, for a quarter of the bandwidth."""

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
        The paper's fixed latency, a key of `FIXED_LATENCIES_S`.
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
    shortest, longest = min(FIXED_LATENCIES_S), max(FIXED_LATENCIES_S)
    quick = [("newreno", fixed_ms, buffer) for fixed_ms in (shortest, longest) for buffer in BUFFERS_MB]
    quick += [(sender, fixed_ms, 10) for sender in ("cubic", "bbr") for fixed_ms in (shortest, longest)]
    every = [
        (sender, fixed_ms, buffer) for sender in SENDERS for fixed_ms in FIXED_LATENCIES_S for buffer in BUFFERS_MB
    ]
    found = [*quick, *(one for one in every if one not in quick)]
    return tuple(Case(*one, has_proxy) for one in found for has_proxy in (False, True))


CASES = _cases()
"""All of them in the order of the studies' experiments: those of the quick study first."""
